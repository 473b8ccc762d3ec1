module mybot

go 1.26

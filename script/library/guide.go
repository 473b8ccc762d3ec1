package library

import _ "embed"

// guide is one page about the language.
//
//go:embed guide.txt
var guide string

// Guide returns the language on one page of plain text: for people, and for the prompt of
// a language model that writes scripts.
func Guide() string { return guide }

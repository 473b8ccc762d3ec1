package main

import (
	_ "embed"
	"fmt"
	"io"
)

//go:generate go run -C ../../tools ./licences

// licencesText contains the notices that the licences of the program's modules require it to
// include.
//
//go:embed licences.txt
var licencesText string

// licencesCommand prints the licences.
func licencesCommand(args []string, stdout io.Writer) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("licences takes no arguments, but got %q", args[0])}
	}
	_, err := io.WriteString(stdout, licencesText)
	return err
}

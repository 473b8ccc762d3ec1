package main

import (
	_ "embed"
	"fmt"
	"io"
)

//go:generate go run -C ../../tools ./licences

// licencesText is what the authors of the modules in the program ask to be handed
// on with it.
//
//go:embed licences.txt
var licencesText string

// licencesCommand prints it.
func licencesCommand(args []string, stdout io.Writer) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("licences takes no arguments, but got %q", args[0])}
	}
	_, err := io.WriteString(stdout, licencesText)
	return err
}

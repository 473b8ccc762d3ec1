package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"mybot/drivers/base/examples"
)

// baseExampleCommand prints the source of an example base as a starting point.
func baseExampleCommand(args []string, stdout io.Writer) error {
	if len(args) == 1 {
		if e, ok := examples.Find(args[0]); ok {
			_, err := io.WriteString(stdout, e.Text)
			return err
		}
	}
	var text strings.Builder
	text.WriteString("base example takes the name of an example, such as mybot base example python >base.py:")
	for _, e := range examples.All() {
		_, _ = fmt.Fprintf(&text, "\n  %-8s %s", e.Name, e.What)
	}
	return usageError{errors.New(text.String())}
}

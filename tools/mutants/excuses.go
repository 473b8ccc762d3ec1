package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// listed is the file with the equivalent mutants.
const listed = "tools/mutants/equivalent.txt"

// excuses are the names of mutants that behave like the code.
type excuses map[string]bool

// readEquivalents reads the list: one mutant per line and, after a tab in the line below it,
// why it makes no difference.
func readEquivalents(root string) (excuses, error) {
	text, err := os.ReadFile(filepath.Join(root, listed))
	if err != nil {
		return nil, err
	}
	return readExcuses(string(text))
}

func readExcuses(text string) (excuses, error) {
	e := excuses{}
	waiting := "" // the mutants since the last reason
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" && waiting != "":
			return nil, noReason(waiting)
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "\t"):
			waiting = ""
		default:
			e[line], waiting = true, line
		}
	}
	if waiting != "" {
		return nil, noReason(waiting)
	}
	return e, nil
}

func noReason(m string) error {
	return fmt.Errorf("%s: %q has no reason; it should stand below it, after a tab", listed, m)
}

// isIn reports whether the mutant is in the file.
func (excuses) isIn(m, file string) bool {
	return strings.HasPrefix(m, file+" ") || strings.HasPrefix(m, file+":")
}

package base

import (
	"errors"
	"strings"
)

// splitCommand splits a command line into words. Words are separated by spaces;
// within quotes of one kind, spaces and quotes of the other kind belong to the
// word. There is no shell: nothing is expanded.
func splitCommand(s string) (words []string, err error) {
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case r == ' ' || r == '\t':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

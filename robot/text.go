package robot

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Turns reports whether a character changes the direction of the text around it (Unicode's
// Bidi_Control), so that a line reads differently from its content.
func Turns(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

// Steers reports whether a character does not belong in a line of text: a control
// character, which a terminal would execute, or one that Turns.
func Steers(r rune) bool { return unicode.IsControl(r) || Turns(r) }

// Unseen reports whether a character is invisible without being a control character:
// Unicode's Default_Ignorable_Code_Point, and the blank pattern of Braille.
func Unseen(r rune) bool {
	const blankBraille = '\u2800'
	return r == blankBraille || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cf)
}

// Blank reports whether nothing of a text can be seen.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsSpace(r) && !Unseen(r) })
}

// Legible reports whether a text is UTF-8 without characters that change its direction and
// without control characters, except those in controls, such as "\n".
func Legible(s, controls string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return Turns(r) || unicode.IsControl(r) && !strings.ContainsRune(controls, r)
	})
}

// Slug returns the letters a to z and the digits of a name in lower case, with one
// separator in place of what is between them, and at most maxLength characters: for "Night
// round" and '-' it is night-round. It is "" if the name has none of them.
func Slug(name string, separator byte, maxLength int) string {
	slug := make([]byte, 0, maxLength)
	for _, r := range strings.ToLower(name) {
		switch {
		case len(slug) == maxLength:
			return strings.TrimRight(string(slug), string(separator))
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			slug = append(slug, byte(r))
		case len(slug) > 0 && slug[len(slug)-1] != separator:
			slug = append(slug, separator)
		}
	}
	return strings.TrimRight(string(slug), string(separator))
}

package robot

import "unicode"

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

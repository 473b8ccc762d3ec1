package robot

import "unicode"

// Turns reports whether a letter changes the direction of the text around it
// (Unicode's Bidi_Control): with one of these a line reads as something else
// than it is.
func Turns(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

// Steers reports whether a letter is none that stands in one line of text: a control
// character, with which a terminal does as it is told, or one that Turns.
func Steers(r rune) bool { return unicode.IsControl(r) || Turns(r) }

// Unseen reports whether a letter shows nothing, though it is none of those that
// control text: Unicode's Default_Ignorable_Code_Point, and the blank pattern of
// Braille.
func Unseen(r rune) bool {
	const blankBraille = '\u2800'
	return r == blankBraille || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cf)
}

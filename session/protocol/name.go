package protocol

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mybot/robot"
	"mybot/strictjson"
)

// MaxName is how many letters the name of a user may have.
const MaxName = 24

// maxMarks is how many combining marks one letter of a name may have.
const maxMarks = 2

// IsName reports whether users can be shown the name: 1 to MaxName letters that
// are visible, with no space at its ends.
func IsName(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= MaxName && strings.TrimSpace(s) == s && TidyName(s) == s
}

// TidyName returns the name without what hides, turns or breaks a line of text,
// and cut to MaxName; "" when nothing is left that is visible.
func TidyName(s string) string {
	marks, visible := maxMarks, false // a mark needs a letter before it
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case isUnprintable(r) || robot.Unseen(r):
			return -1
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks {
				return -1
			}
			return r
		}
		marks = 0
		visible = visible || unicode.In(r, unicode.L, unicode.N, unicode.S)
		return r
	}, s))
	if !visible {
		return ""
	}
	for utf8.RuneCountInString(s) > MaxName {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return strings.TrimSpace(s)
}

// IsLine reports whether users can be shown the text in one line of at most
// maxLetters.
func IsLine(s string, maxLetters int) bool {
	return utf8.RuneCountInString(s) <= maxLetters && !strings.ContainsFunc(s, isUnprintable)
}

// isUnprintable reports whether a letter hides, turns or breaks a line of text, or
// stands for text that was damaged on its way.
func isUnprintable(c rune) bool { return !unicode.IsPrint(c) || c == utf8.RuneError }

// Clip shortens what a client sent to what fits into a sentence.
func Clip(s string) string {
	return strictjson.Clip(s, 40)
}

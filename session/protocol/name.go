package protocol

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mybot/robot"
	"mybot/strictjson"
)

// MaxName is the longest name of a user, in letters.
const MaxName = 24

// maxMarks is how many combining marks one letter of a name may have.
const maxMarks = 2

// IsName reports whether the name can be shown to users: 1 to MaxName visible
// letters, without a space at either end.
func IsName(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= MaxName && strings.TrimSpace(s) == s && TidyName(s) == s
}

// TidyName removes what hides, turns or breaks a line of text from the name and
// cuts it to MaxName; "" if nothing visible is left.
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

// IsLine reports whether the text can be shown to users in one line of at most
// maxLetters. Keyboards write hard spaces and the joiners of Persian words and of emoji
// into such a line.
func IsLine(s string, maxLetters int) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return utf8.RuneCountInString(s) <= maxLetters && !strings.ContainsFunc(s, func(r rune) bool {
		return isUnprintable(r) && r != nonJoiner && r != joiner && !unicode.Is(unicode.Zs, r)
	})
}

// isUnprintable reports whether a letter hides, turns or breaks a line of text, or
// stands for damaged text.
func isUnprintable(c rune) bool { return !unicode.IsPrint(c) || c == utf8.RuneError }

// Clip shortens what a client sent so that it fits into a sentence.
func Clip(s string) string {
	return strictjson.Clip(s, 40)
}

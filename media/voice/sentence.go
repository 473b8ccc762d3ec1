package voice

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxSentence is the largest number of letters in a sentence.
const maxSentence = 200

// splitSentences splits a text where a speaker takes a breath: at the ends of
// sentences and of lines. No part is empty or longer than maxSentence; joined with
// spaces the parts are the text again, except for its white space.
func splitSentences(text string) []string {
	var parts []string
	for line := range strings.FieldsFuncSeq(strings.ToValidUTF8(text, ""), endsLine) {
		var sentence []string
		words := strings.FieldsFunc(line, isBlank)
		for i, word := range words {
			sentence = append(sentence, word)
			if i+1 == len(words) || endsSentence(word, words[i+1]) {
				parts = append(parts, cutSentence(strings.Join(sentence, " "))...)
				sentence = nil
			}
		}
	}
	return parts
}

// endsLine reports whether a line ends there; blank that the line is empty.
func endsLine(r rune) bool {
	return r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}
func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// abbreviations end with a full stop that does not end a sentence.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "nr": true, "vs": true, "fig": true,
	"e.g": true, "i.e": true, "approx": true, "dept": true, "tel": true, "ext": true, "bldg": true, "rm": true,
}

// endsSentence reports whether a sentence ends with word, given the next word.
func endsSentence(word, next string) bool {
	word = strings.TrimRight(word, `"')]}”’»`)
	last, _ := utf8.DecodeLastRuneInString(word)
	if !strings.ContainsRune(".!?…。！？", last) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, `"'([{“‘«`))
	if unicode.IsLower(first) {
		return false
	}
	bare := strings.TrimLeft(strings.ToLower(word), `"'([{“‘«`)
	if last != '.' || strings.HasSuffix(bare, "..") {
		return true
	}
	bare = strings.TrimSuffix(bare, ".")
	if bare == "no" { // "No. 7", but also "No."
		return !unicode.IsDigit(first)
	}
	initial := utf8.RuneCountInString(bare) == 1 && bare != "i" && !unicode.IsDigit(rune(bare[0]))
	return !initial && !abbreviations[bare]
}

// cutSentence splits a sentence that is too long for one breath, if possible after
// a punctuation mark or a word.
func cutSentence(sentence string) (parts []string) {
	letters := []rune(sentence)
	for len(letters) > maxSentence {
		at := maxSentence
		for _, good := range []func(r rune) bool{
			func(r rune) bool { return strings.ContainsRune(",;:。！？、，；：", r) },
			unicode.IsSpace,
		} {
			found := 0
			for i := maxSentence / 3; i < maxSentence; i++ {
				if good(letters[i]) && (i+1 == len(letters) || unicode.IsSpace(letters[i]) || unicode.IsSpace(letters[i+1]) || letters[i] > unicode.MaxLatin1) {
					found = i + 1
				}
			}
			if found > 0 {
				at = found
				break
			}
		}
		parts = append(parts, strings.TrimSpace(string(letters[:at])))
		letters = []rune(strings.TrimSpace(string(letters[at:])))
	}
	return append(parts, string(letters))
}

// Durations of speech in s, as measured with espeak-ng 1.51 at its usual speed. For
// English sentences they are within 15 %.
const (
	breath     = 0.42  // around a sentence
	perLetter  = 0.058 // per letter
	perDigit   = 0.22  // a digit is a word
	perSound   = 0.17  // of Hangul and kana, a syllable each
	perMeaning = 0.28  // of Han
	perPause   = 0.37  // at a mark inside
)

// estimateDuration estimates the duration of a sentence that was not synthesized.
func estimateDuration(sentence string, speed float64) time.Duration {
	s := breath
	mark := false
	for _, r := range sentence {
		switch {
		case unicode.Is(unicode.Han, r):
			s += perMeaning
		case unicode.In(r, unicode.Hangul, unicode.Hiragana, unicode.Katakana):
			s += perSound
		case unicode.IsDigit(r):
			s += perDigit
		case unicode.IsLetter(r):
			s += perLetter
		case mark && unicode.IsSpace(r):
			s += perPause
		}
		mark = strings.ContainsRune(",;:.!?", r)
	}
	return time.Duration(s / speed * float64(time.Second))
}

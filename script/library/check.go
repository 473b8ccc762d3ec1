package library

import (
	"strings"
	"unicode/utf8"

	"mybot/robot"
	"mybot/script"
)

// MaxName is the longest name of a script, in letters.
const MaxName = 60

// A Fault is the wire form of a script.Fault.
type Fault struct {
	Line   int    `json:"line"`   // from 1
	Column int    `json:"column"` // from 1, in characters
	Text   string `json:"text"`   // what is wrong and what would be right
}

// maxFaults is how many faults Check returns; those that follow are often consequences.
const maxFaults = 100

// Check returns the faults of a text, in order; none = it can be started.
func Check(text string) []Fault {
	_, found := script.Parse(text)
	faults := make([]Fault, 0, len(found))
	for _, f := range found[:min(len(found), maxFaults)] {
		faults = append(faults, Fault{f.Pos.Line, f.Pos.Column, f.Text})
	}
	return faults
}

// checkForm returns a refusal if a script cannot be saved. A script with faults can, so
// that a person may continue later.
func checkForm(s Script) error {
	switch n := utf8.RuneCountInString(s.Name); {
	case robot.Blank(s.Name):
		return robot.Refusef("The name of the script is empty; it should have 1 to %d characters.", MaxName)
	case n > MaxName:
		return robot.Refusef("The name of the script has %d characters; it should have 1 to %d.", n, MaxName)
	case !robot.Legible(s.Name, ""):
		return robot.Refusef("The name of the script contains a character that cannot be shown; it should be one line of text.")
	case len(s.Text) > script.MaxScript:
		return robot.Refusef("The script has %d bytes; it should have at most %d.", len(s.Text), script.MaxScript)
	case !robot.Legible(s.Text, "\n\r\t"):
		return robot.Refusef("The script contains a character that cannot be shown; it should be plain text in UTF-8.")
	}
	return nil
}

// inAddresses are words that the addresses of the REST interface have in place of an id.
var inAddresses = map[string]bool{"check": true, "lines": true, "resume": true, "tags": true, "try": true, "words": true}

// IDOf returns an id for a script of this name: for "Night round" it is night_round. It
// is the name of the script's unit too, so other scripts reach its variables, as in
// night_round.count.
func IDOf(name string) string {
	s := robot.Slug(name, '_', MaxName)
	if !script.IsName(s) || inAddresses[s] { // it is empty, a keyword, or begins with a digit
		s = strings.TrimRight("script_"+s, "_")
	}
	return s
}

package script

import "fmt"

// A Pos is a place in a text. The first line and the first column are 1.
type Pos struct{ Line, Column int }

// A Fault is what is wrong with a command, and where. It ends the command and
// nothing else.
type Fault struct {
	Pos  Pos
	Text string // what is wrong and what would be right

	tag     string // the innermost tag around the command, "" = none
	unit    *Unit  // to which it is said
	command uint64 // of the unit
	silent  bool   // the command was stopped; there is nothing to say
}

func (f *Fault) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", f.Pos.Line, f.Pos.Column, f.Text)
}

func newFault(at Pos, format string, args ...any) *Fault {
	return &Fault{Pos: at, Text: fmt.Sprintf(format, args...)}
}

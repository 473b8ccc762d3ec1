package script

import "fmt"

// A Pos is a position in a text. Lines and columns start at 1.
type Pos struct{ Line, Column int }

// A Fault says what is wrong with a command, and where. It ends only that command.
type Fault struct {
	Pos  Pos
	Text string // what is wrong and what would be right

	tag     string // the innermost tag around the command, "" = none
	unit    *Unit  // the unit that receives it
	command uint64 // of the unit
	silent  bool   // do not report it: the command was stopped
}

func (f *Fault) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", f.Pos.Line, f.Pos.Column, f.Text)
}

func newFault(at Pos, format string, args ...any) *Fault {
	return &Fault{Pos: at, Text: fmt.Sprintf(format, args...)}
}

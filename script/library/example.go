package library

import "embed"

//go:embed examples/*.u
var exampleFiles embed.FS

// An Example is a script to start from.
type Example struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Examples returns the examples, the simplest first.
func Examples() []Example {
	list := []Example{
		{"Battery", "battery"},
		{"OK button", "ok"},
		{"Guard", "guard"},
		{"Patrol", "patrol"},
		{"Night round", "night"},
		{"Metronome", "metronome"},
		{"Ball tracker", "ball"},
	}
	for i, e := range list {
		text, err := exampleFiles.ReadFile("examples/" + e.Text + ".u")
		if err != nil {
			panic(err) // the files are embedded
		}
		list[i].Text = string(text)
	}
	return list
}

package jobs

import "slices"

// A Program is the content of a run without any text that people wrote: enough to
// run it again.
type Program struct {
	Number uint64         `json:"number"`
	Steps  []PreparedStep `json:"steps"`
}

// Program returns the content of the run. It shares no mutable data with the run.
func (r *Run) Program() Program {
	p := Program{Number: r.run.Number, Steps: slices.Clone(r.steps)}
	for i := range p.Steps {
		s := &p.Steps[i]
		s.Step.Place, s.Step.Text, s.Speech.Reason = "", "", ""
		s.Speech.Sentences = slices.Clone(s.Speech.Sentences)
		for k := range s.Speech.Sentences {
			s.Speech.Sentences[k].Text = ""
		}
	}
	return p
}

// Run returns a run with the same content.
func (p Program) Run() *Run { return NewRun(p.Number, Job{}, p.Steps) }

package jobs

import "slices"

// A Program is what a run does, without a word that people wrote: enough to run it
// again, and nothing to read in it.
type Program struct {
	Number uint64         `json:"number"`
	Steps  []PreparedStep `json:"steps"`
}

// Program returns what the run does. It shares nothing with the run that changes.
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

// Run returns a run that does the same.
func (p Program) Run() *Run { return NewRun(p.Number, Job{}, p.Steps) }

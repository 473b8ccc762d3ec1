package lab

import (
	"context"
	"fmt"
	"time"

	"mybot/app"
	"mybot/jobs"
	"mybot/media/voice"
	"mybot/robot"
)

// A desk makes jobs ready for a rover, as the server's keeper of jobs does, and
// hands their runs over.
type desk struct {
	floor *floor
	voice *voice.Voice
	runs  map[uint64]*jobs.Run
}

func newDesk(f *floor, v *voice.Voice) *desk {
	return &desk{floor: f, voice: v, runs: map[uint64]*jobs.Run{}}
}

// Take is onboard.Jobs.
func (d *desk) Take(number uint64) (*jobs.Run, bool) {
	run, ok := d.runs[number]
	delete(d.runs, number)
	return run, ok
}

// ready puts the run of a job on it, for a robot that stands at from. It
// returns the number of the run and what the rehearsal says of it.
func (d *desk) ready(ctx context.Context, from robot.Pose, job jobs.Job) (uint64, app.Rehearsal, error) {
	steps := make([]jobs.PreparedStep, len(job.Steps))
	for n, s := range job.Steps {
		steps[n].Step = s
		switch {
		case s.Type == jobs.Move && s.Pose != nil:
			steps[n].Goal = robot.Pose{X: s.Pose[0], Y: s.Pose[1], Theta: s.Pose[2]}
		case s.Type == jobs.Move:
			goal, err := placeOf(d.floor.plan, s.Place)
			if err != nil {
				return 0, app.Rehearsal{}, err
			}
			steps[n].Goal = goal
		case s.Type == jobs.Voice:
			said, err := d.voice.Prepare(ctx, s.Text, s.Voice, s.Speed)
			if err != nil {
				return 0, app.Rehearsal{}, fmt.Errorf("lab: %w", err)
			}
			steps[n].Speech = jobs.PreparedSpeech{Aloud: said.Aloud, Reason: said.Reason}
			for _, sentence := range said.Sentences {
				steps[n].Speech.Sentences = append(steps[n].Speech.Sentences, jobs.Sentence(sentence))
			}
		}
	}
	rehearsal, err := app.New(d.floor.desc).Rehearse(ctx, d.floor.plan, from, job, steps)
	if err != nil {
		return 0, rehearsal, err
	}
	for n, s := range rehearsal.Steps {
		steps[n].Expect = s.Time
	}
	number := uint64(len(d.runs) + 1)
	d.runs[number] = jobs.NewRun(number, job, steps)
	return number, rehearsal, nil
}

// speak is the screen of a robot without a voice: it tells the robot when a
// speech has ended. pace is how long it takes, in parts of what the robot thinks.
func (r *rover) speak(pace float64) {
	s := r.state.Speech
	if s != nil && !s.Aloud && r.told.Sub(s.At) >= time.Duration(pace*float64(s.Duration)) {
		r.do(robot.Spoken{Number: s.Number})
	}
}

package jobruns

import (
	"context"
	"fmt"
	"time"

	"mybot/jobs"
	"mybot/jobs/rehearsal"
	"mybot/lab/internal/testbed"
	"mybot/media/voice"
	"mybot/robot"
)

// A preparer prepares jobs for a rover, as the server's library does, and hands over their
// runs.
type preparer struct {
	floor *testbed.Floor
	voice *voice.Voice
	runs  map[uint64]*jobs.Run
}

func newPreparer(f *testbed.Floor, v *voice.Voice) *preparer {
	return &preparer{floor: f, voice: v, runs: map[uint64]*jobs.Run{}}
}

// Take implements onboard.Jobs.
func (d *preparer) Take(number uint64) (*jobs.Run, bool) {
	run, ok := d.runs[number]
	delete(d.runs, number)
	return run, ok
}

// prepareRun prepares the run of a job for a robot that stands at from. It returns the number
// of the run and the result of the rehearsal.
func (d *preparer) prepareRun(ctx context.Context, from robot.Pose, job jobs.Job) (uint64, jobs.Rehearsal, error) {
	steps := make([]jobs.PreparedStep, len(job.Steps))
	for n, s := range job.Steps {
		steps[n].Step = s
		switch {
		case s.Type == jobs.Move && s.Pose != nil:
			steps[n].Goal = robot.Pose{X: s.Pose[0], Y: s.Pose[1], Theta: s.Pose[2]}
		case s.Type == jobs.Move:
			goal, err := testbed.FindPlace(d.floor.Plan, s.Place)
			if err != nil {
				return 0, jobs.Rehearsal{}, err
			}
			steps[n].Goal = goal
		case s.Type == jobs.Voice:
			speech, err := d.voice.PrepareSpeech(ctx, s.Text, s.Voice, s.Speed)
			if err != nil {
				return 0, jobs.Rehearsal{}, fmt.Errorf("lab: %w", err)
			}
			steps[n].Speech = speech
		}
	}
	rehearsal, err := rehearsal.New(d.floor.Desc).Rehearse(ctx, d.floor.Plan, from, job, steps)
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

// speakOnScreen acts as the screen of a robot without a voice: it reports to the robot when a
// speech has ended. pace is its duration, relative to the robot's estimate.
func speakOnScreen(r *testbed.Rover, pace float64) {
	s := r.State.Speech
	if s != nil && !s.Aloud && r.Now.Sub(s.At) >= time.Duration(pace*float64(s.Duration)) {
		r.Do(robot.Spoken{Number: s.Number})
	}
}

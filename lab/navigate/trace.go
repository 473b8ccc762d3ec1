package navigate

import (
	"encoding/json"
	"io"
	"math"
	"time"

	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

// A trace is the course of an errand, second by second. Lengths are in m, times in s, poses of
// base_link in the map of the truth.
type trace struct {
	seed  uint64
	due   time.Duration // of the next line
	lines []traceLine
}

type traceLine struct {
	Seed     uint64        `json:"seed"`
	Time     float64       `json:"time"` // since the goal was given
	Truth    tracePose     `json:"truth"`
	Estimate tracePose     `json:"estimate"`
	State    string        `json:"state"`
	Lane     float64       `json:"lane"`    // offset from the path, left positive; 0 = on the path
	Speed    float64       `json:"speed"`   // m/s in truth, forward positive
	Nearest  *float64      `json:"nearest"` // from the hull to the nearest person or obstacle that is not on the map; null = there is none
	People   []tracePerson `json:"people"`
}

type tracePose struct {
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	Heading float64 `json:"heading_deg"`
}

type tracePerson struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// look adds a line if a second has passed since the last one.
func (t *trace) look(r *testbed.Rover, since time.Duration) {
	if since < t.due {
		return
	}
	t.due = since + time.Second
	var times stateTimes
	state, _ := times.nameState(r.State.Goal)
	l := traceLine{
		Seed: t.seed, Time: stats.Round(since.Seconds(), 1000), State: state, Lane: r.State.Goal.Behavior.Lane, Speed: stats.Round(r.Truth.Twist.Linear, 1000),
		Truth: newTracePose(r.Truth.Pose), Estimate: newTracePose(r.EstimateInTruth()), People: []tracePerson{},
	}
	hull := r.Desc.Body.Hull
	nearest := gapToThings(r, hull)
	for _, p := range r.Truth.People {
		nearest = min(nearest, gapTo(r, hull, p, testbed.PersonRadius))
		l.People = append(l.People, tracePerson{stats.Round(p.X, 1000), stats.Round(p.Y, 1000)})
	}
	if !math.IsInf(nearest, 1) {
		nearest = stats.Round(nearest, 1000)
		l.Nearest = &nearest
	}
	t.lines = append(t.lines, l)
}

func newTracePose(p robot.Pose) tracePose {
	return tracePose{stats.Round(p.X, 1000), stats.Round(p.Y, 1000), stats.Round(robot.Degrees(p.Theta), 10)}
}

// writeTraces writes the lines of all errands, one JSON object each, in the order of the seeds.
func writeTraces(to io.Writer, runs []trialResult) error {
	out := json.NewEncoder(to)
	for _, r := range runs {
		for _, l := range r.trace.lines {
			if err := out.Encode(l); err != nil {
				return err
			}
		}
	}
	return nil
}

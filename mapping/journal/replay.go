package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"mybot/mapping"
	"mybot/robot"
)

// A Replay repeats the requests of a journal to a Mapper, which makes the same map
// again. The caller lets the Mapper Step, also between two records, because waiting
// key frames take memory.
type Replay struct {
	Mapper *mapping.Mapper
	Edits  []json.RawMessage // in order
	Lasted time.Duration     // duration of mapping without pauses, by the times of key frames and pauses

	poses []robot.Pose // of fixed key frames that have not come yet
	since time.Time    // end of the last pause; zero = paused
}

// Take handles one record of the journal, as passed by Read.
func (r *Replay) Take(record Record) error {
	switch record.Kind {
	case Poses:
		r.poses = record.Poses
	case KeyFrame:
		if len(r.poses) > 0 {
			r.Mapper.AddFixed(record.KeyFrame, r.poses[0])
			r.poses = r.poses[1:]
			break
		}
		r.Mapper.Add(record.KeyFrame)
		r.passTo(record.KeyFrame.Cloud.Time)
	case Undo:
		r.Mapper.TakeBack(record.Keep)
	case Finish:
		r.Mapper.Finish()
	case Restart:
		r.Mapper.Restart()
		r.since = time.Time{}
	case Pause:
		r.passTo(record.Time)
		r.since = time.Time{}
	case Resume:
		r.Mapper.Interrupt()
		r.since = record.Time
	case Edit:
		r.Edits = append(r.Edits, record.Edit)
	}
	return nil
}

// passTo adds the time up to now.
func (r *Replay) passTo(now time.Time) {
	if d := now.Sub(r.since); !r.since.IsZero() && d > 0 {
		r.Lasted += d
	}
	r.since = now
}

// Compact writes the journal of a finished map: the remaining key frames of the
// journal in, and their poses. Reading it gives the map as it is, ready to be
// extended.
func Compact(out io.Writer, in io.ReadSeeker, poses []robot.Pose) error {
	var kept []int // indices of the remaining key frames
	seen := 0
	count := func(r Record) error {
		switch r.Kind {
		case KeyFrame:
			kept = append(kept, seen)
			seen++
		case Undo:
			kept = kept[:r.Keep]
		}
		return nil
	}
	c, err := readFromStart(in, count)
	switch {
	case err != nil:
		return err
	case c.Missing != "":
		return errors.New(c.Missing)
	case len(kept) != len(poses):
		return fmt.Errorf("journal: it has %d key frames, and there are poses of %d", len(kept), len(poses))
	}
	w, err := NewWriter(out, c.Header)
	if err != nil {
		return err
	}
	if err := w.AddPoses(poses); err != nil {
		return err
	}
	seen = 0
	_, err = readFromStart(in, func(r Record) error {
		if r.Kind != KeyFrame {
			return nil
		}
		if len(kept) > 0 && kept[0] == seen {
			kept = kept[1:]
			if _, err := w.AddKeyFrame(r.KeyFrame); err != nil {
				return err
			}
		}
		seen++
		return nil
	})
	return err
}

func readFromStart(in io.ReadSeeker, take func(Record) error) (Contents, error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return Contents{}, fmt.Errorf("journal: %w", err)
	}
	return Read(in, take)
}

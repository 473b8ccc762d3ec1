package recording

import (
	"io"
	"time"

	"mybot/robot"
)

// A Tape is a recording that is written at once, by the goroutine that observes: for
// virtual time, in which no other goroutine can keep up. It is flushed after every
// second of what it records.
type Tape struct {
	recorder *Recorder
	one      *recording
	out      *encoder
	flushed  time.Time
	err      error // that ended it
	Writing  time.Duration
}

// NewTape begins a recording on w of a robot that knows the floor; nil = none.
func NewTape(w io.Writer, about About, floor *robot.Floorplan) (*Tape, error) {
	t := &Tape{recorder: NewRecorder(about)}
	t.recorder.UseFloor(floor)
	var err error
	if t.one, err = t.recorder.openRecording(); err != nil {
		return nil, err
	}
	t.out, err = t.recorder.beginFile(w, t.one)
	return t, err
}

// ObserveTick records a reading, as Recorder does.
func (t *Tape) ObserveTick(at time.Time, r robot.Reading, s robot.State) {
	t.recorder.ObserveTick(at, r, s)
	t.write(at)
}

// ObserveCommand records a command, as Recorder does.
func (t *Tape) ObserveCommand(at, taken time.Time, cmd robot.Command, answer robot.Result, e robot.Estimate) {
	t.recorder.ObserveCommand(at, taken, cmd, answer, e)
	t.write(at)
}

// ObserveFloor records a change of the floor, as Recorder does.
func (t *Tape) ObserveFloor(at time.Time, change robot.FloorChange) {
	t.recorder.ObserveFloor(at, change)
	t.write(at)
}

// ObserveReply records what the core was answered, as Recorder does.
func (t *Tape) ObserveReply(r robot.Reply) { t.recorder.ObserveReply(r) }

func (t *Tape) write(at time.Time) {
	begin := time.Now()
	for len(t.one.queue) > 0 {
		if q := <-t.one.queue; t.err == nil {
			t.err = t.out.writeEntry(q)
		}
	}
	if t.err == nil && at.Sub(t.flushed) >= flushPeriod {
		t.flushed, t.err = at, t.out.file.Flush()
	}
	t.Writing += time.Since(begin)
}

// Close ends the recording; it returns the first error that there was.
func (t *Tape) Close() error {
	if t.err != nil {
		return t.err
	}
	return t.out.file.Close()
}

package recording

import (
	"io"
	"time"

	"mybot/robot"
)

// A SyncRecorder records as a Recorder does, but writes at once, in the observing
// goroutine: for virtual time, in which no other goroutine could keep up. It
// flushes after every recorded second.
type SyncRecorder struct {
	recorder *Recorder
	one      *recording
	out      *encoder
	flushed  time.Time
	err      error // the first error, which ended the recording
	Writing  time.Duration
}

// NewSyncRecorder begins a recording on w for a robot with the floor; nil = no map.
func NewSyncRecorder(w io.Writer, about About, floor *robot.Floorplan) (*SyncRecorder, error) {
	s := &SyncRecorder{recorder: NewRecorder(about)}
	s.recorder.UseFloor(floor)
	var err error
	if s.one, err = s.recorder.openRecording(MaxRecordings); err != nil {
		return nil, err
	}
	s.out, err = s.recorder.beginFile(w, s.one)
	return s, err
}

// ObserveTick records a reading, as Recorder does.
func (s *SyncRecorder) ObserveTick(at time.Time, r robot.Reading, state robot.State) {
	s.recorder.ObserveTick(at, r, state)
	s.write(at)
}

// ObserveCommand records a command, as Recorder does.
func (s *SyncRecorder) ObserveCommand(at, taken time.Time, cmd robot.Command, answer robot.Result, e robot.Estimate) {
	s.recorder.ObserveCommand(at, taken, cmd, answer, e)
	s.write(at)
}

// ObserveFloor records a change of the floor, as Recorder does.
func (s *SyncRecorder) ObserveFloor(at time.Time, change robot.FloorChange) {
	s.recorder.ObserveFloor(at, change)
	s.write(at)
}

// ObserveReply records an answer to Core, as Recorder does.
func (s *SyncRecorder) ObserveReply(r robot.Reply) { s.recorder.ObserveReply(r) }

func (s *SyncRecorder) write(at time.Time) {
	begin := time.Now()
	for len(s.one.queue) > 0 {
		if q := <-s.one.queue; s.err == nil {
			s.err = s.out.writeEntry(q)
		}
	}
	if s.err == nil && at.Sub(s.flushed) >= flushPeriod {
		s.flushed, s.err = at, s.out.file.Flush()
	}
	s.Writing += time.Since(begin)
}

// NextFile continues in the next file of the recording.
func (s *SyncRecorder) NextFile(w io.Writer) (err error) {
	if err = s.Close(); err == nil {
		s.out, err = s.recorder.beginFile(w, s.one)
	}
	return err
}

// Close ends the recording; it returns the first error that there was.
func (s *SyncRecorder) Close() error {
	if s.err != nil {
		return s.err
	}
	return s.out.file.Close()
}

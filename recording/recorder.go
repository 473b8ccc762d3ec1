package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mybot/mcap"
	"mybot/robot"
)

const (
	// maxRecordings is how many recordings are made at once.
	maxRecordings = 4
	// queueLength is how many ticks and commands wait to be written: about ten
	// seconds of driving.
	queueLength = 600
	// flushPeriod is how often what was recorded can be read, and how much is lost
	// when the program is killed.
	flushPeriod = time.Second
)

// ErrBusy says that no further recording can be made now.
var ErrBusy = fmt.Errorf("%d recordings are being made, which is the most at a time; end one of them", maxRecordings)

// A Recorder passes what the control loop sees to the recordings that are being
// made. ObserveTick and ObserveCommand are called by one goroutine, Record by any.
type Recorder struct {
	about  About
	active atomic.Bool // there are recordings

	mu         sync.Mutex // held for a few instructions
	recordings []*recording
}

// About says whose recordings they are.
type About struct {
	Robot robot.Description
	Build string // of the program
}

// NewRecorder returns a recorder that makes no recording yet.
func NewRecorder(about About) *Recorder { return &Recorder{about: about} }

// An entry is one thing that the control loop did.
type entry struct {
	at      time.Time // when, by this computer's clock
	reading robot.Reading
	state   robot.State
	command robot.Command // nil = it is a tick
	answer  robot.Result
}

// queued is an entry in the queue of one recording, and what is missing before it.
type queued struct {
	*entry
	missing missing
}

// missing counts what found no place in a queue.
type missing struct{ readings, scans, commands int }

// A recording is the queue between the control loop and the goroutine of Record.
type recording struct {
	queue   chan queued
	missing missing // since the newest entry in the queue; guarded by Recorder.mu
}

// ObserveTick records a reading, and the state that Core made of it. Neither is
// changed by anyone afterwards, except for the Ranges of the reading.
func (r *Recorder) ObserveTick(at time.Time, reading robot.Reading, s robot.State) {
	if !r.active.Load() {
		return
	}
	reading.Ranges = slices.Clone(reading.Ranges)
	r.offerEntry(&entry{at: at, reading: reading, state: s})
}

// ObserveCommand records a command that was given at the time, and its answer.
func (r *Recorder) ObserveCommand(at time.Time, command robot.Command, answer robot.Result) {
	if r.active.Load() {
		r.offerEntry(&entry{at: at, command: command, answer: answer})
	}
}

// offerEntry puts an entry in every queue that has room.
func (r *Recorder) offerEntry(e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.recordings {
		select {
		case one.queue <- queued{e, one.missing}:
			one.missing = missing{}
		default:
			one.missing.addMissing(e)
		}
	}
}

func (m *missing) addMissing(e *entry) {
	if e.command != nil {
		m.commands++
		return
	}
	m.readings++
	m.scans += len(e.reading.Scans)
}

// Record writes a recording to w until ctx ends, which gives nil and a file with an
// index. Every second it calls flush: what was written to w can be read. Any other
// error is ErrBusy or that of w or flush, and what was flushed can be read.
func (r *Recorder) Record(ctx context.Context, w io.Writer, flush func() error) error {
	one, err := r.openRecording()
	if err != nil {
		return err
	}
	defer r.closeRecording(one)
	out, err := newEncoder(w, r.about)
	if err != nil {
		return err
	}
	every := time.NewTicker(flushPeriod)
	defer every.Stop()
	for {
		select {
		case q := <-one.queue:
			err = out.writeEntry(q)
		case <-every.C:
			err = errors.Join(out.file.Flush(), flush())
		case <-ctx.Done():
			return errors.Join(r.finishRecording(one, out), flush())
		}
		if err != nil {
			return err
		}
	}
}

func (r *Recorder) openRecording() (*recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.recordings) == maxRecordings {
		return nil, ErrBusy
	}
	one := &recording{queue: make(chan queued, queueLength)}
	r.recordings = append(r.recordings, one)
	r.active.Store(true)
	return one, nil
}

// closeRecording ends the entries of a recording; again it does nothing.
func (r *Recorder) closeRecording(one *recording) missing {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recordings = slices.DeleteFunc(r.recordings, func(other *recording) bool { return other == one })
	r.active.Store(len(r.recordings) > 0)
	return one.missing
}

// finishRecording writes what waits in the queue, and the index.
func (r *Recorder) finishRecording(one *recording, out *encoder) error {
	rest := r.closeRecording(one)
	close(one.queue)
	for q := range one.queue {
		if err := out.writeEntry(q); err != nil {
			return err
		}
	}
	if err := out.writeGap(rest, out.last); err != nil {
		return err
	}
	return out.file.Close()
}

// programName names the program in a file.
func (a About) programName() string { return "mybot " + a.Build }

// compression of recordings.
const compression = mcap.Zstd

package recording

import (
	"context"
	"crypto/rand"
	"encoding/hex"
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
	// MaxRecordings is the largest number of concurrent recordings.
	MaxRecordings = 4
	// queueLength is how many ticks and commands can wait to be written: about ten
	// seconds of driving.
	queueLength = 600
	// flushPeriod is how often recorded data becomes readable, and how much is lost
	// when the program is killed.
	flushPeriod = time.Second
)

// ErrBusy says that no further recording can be started now.
var ErrBusy = fmt.Errorf("%d recordings are being made, which is the most at a time; end one of them", MaxRecordings)

// A Recorder passes what the control loop observes to the recordings in progress.
// The control loop calls the Observe methods; any goroutine may call the others.
type Recorder struct {
	about  About
	clock  clock
	active atomic.Bool   // there are recordings
	ticks  atomic.Uint64 // observed so far

	replies []robot.Reply // to Core's current calls; belongs to the control loop

	mu         sync.Mutex // held for a few instructions
	recordings []*recording
	floor      *Floor // the newest
}

// About describes the robot and the program.
type About struct {
	Robot    robot.Description
	Build    string   // of the program
	Settings Settings // except for Build
}

// NewRecorder returns a recorder without recordings.
func NewRecorder(about About) *Recorder { return &Recorder{about: about, clock: clock{time.Now()}} }

// An entry is one event of the control loop.
type entry struct {
	at      time.Time // by this computer's clock
	reading robot.Reading
	state   robot.State
	command robot.Command // nil = not a command
	taken   time.Time     // when Core got the command; zero = it did not
	answer  robot.Result
	change  *robot.FloorChange // nil = not a change
	floor   *newFloor          // nil = not a floor; if everything is nil, a tick
	replies []robot.Reply      // that came before the entry
}

// newFloor is a floor that is taken into use.
type newFloor struct{ floor *Floor }

// queued is an entry in the queue of one recording, and what is missing before it.
type queued struct {
	*entry
	missing missing
}

// missing counts what did not fit into a queue.
type missing struct{ readings, scans, commands int }

// A recording is the queue between the control loop and the goroutine of Record.
type recording struct {
	queue   chan queued
	missing missing // since the newest entry in the queue; guarded by Recorder.mu
	series  Series
	floor   *Floor // in use when the next of its files begins
}

// UseFloor sets the floor that Core uses from its next change of frame on, or from
// its first reading on. Call it before that change.
func (r *Recorder) UseFloor(plan *robot.Floorplan) {
	floor := floorOf(plan)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.floor = floor
	r.offerLocked(&entry{at: time.Now(), floor: &newFloor{floor}})
}

// ObserveTick records a reading, and the state that Core returned for it. Both are
// immutable afterwards, except for the Ranges of the reading.
func (r *Recorder) ObserveTick(at time.Time, reading robot.Reading, s robot.State) {
	r.ticks.Add(1)
	if !r.active.Load() {
		return
	}
	reading.Ranges = slices.Clone(reading.Ranges)
	r.offerEntry(&entry{at: at, reading: reading, state: s})
}

// ObserveCommand records a command with its time and answer.
func (r *Recorder) ObserveCommand(at, taken time.Time, command robot.Command, answer robot.Result, e robot.Estimate) {
	if r.active.Load() {
		r.offerEntry(&entry{at: at, command: command, taken: taken, answer: answer, state: robot.State{Estimate: e}})
	}
}

// ObserveFloor records that Core switched to another floor or planner.
func (r *Recorder) ObserveFloor(at time.Time, change robot.FloorChange) {
	if r.active.Load() {
		r.offerEntry(&entry{at: at, change: &change})
	}
}

// ObserveReply records an answer to Core, before the event that asked for it.
func (r *Recorder) ObserveReply(reply robot.Reply) {
	if r.active.Load() {
		r.replies = append(r.replies, reply)
	}
}

// offerEntry adds an entry to every queue that has room.
func (r *Recorder) offerEntry(e *entry) {
	e.replies, r.replies = r.replies, nil
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offerLocked(e)
}

func (r *Recorder) offerLocked(e *entry) {
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
	if e.command != nil || e.change != nil || e.floor != nil {
		m.commands++
		return
	}
	m.readings++
	m.scans += len(e.reading.Scans)
}

// Record writes a recording to w until ctx ends, which results in nil and a file
// with an index. Every second it calls flush: what was written to w can then be
// read. Any other error is ErrBusy or that of w or flush, and the flushed data can
// be read.
func (r *Recorder) Record(ctx context.Context, w io.Writer, flush func() error) error {
	one, err := r.openRecording(MaxRecordings)
	if err != nil {
		return err
	}
	defer r.closeRecording(one)
	out, err := r.beginFile(w, one)
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

// beginFile begins the next file of a recording.
func (r *Recorder) beginFile(w io.Writer, one *recording) (*encoder, error) {
	out, err := newEncoder(w, r.about, r.clock)
	if err != nil {
		return nil, err
	}
	one.series.Part++
	return out, out.writeAbout(time.Now(), one.series, r.about.settings(), one.floor)
}

// newSeriesID returns a unique id for a recording.
func newSeriesID() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

func (r *Recorder) openRecording(most int) (*recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.recordings) >= most {
		return nil, ErrBusy
	}
	one := &recording{queue: make(chan queued, queueLength), series: Series{Version: seriesVersion, ID: newSeriesID(), Ticks: r.ticks.Load(), Build: r.about.Build}, floor: r.floor}
	r.recordings = append(r.recordings, one)
	r.active.Store(true)
	return one, nil
}

// closeRecording gives a recording no more entries, and returns what is missing at its end;
// further calls do nothing.
func (r *Recorder) closeRecording(one *recording) missing {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recordings = slices.DeleteFunc(r.recordings, func(other *recording) bool { return other == one })
	r.active.Store(len(r.recordings) > 0)
	return one.missing
}

// finishRecording writes the rest of the queue, and the index.
func (r *Recorder) finishRecording(one *recording, out *encoder) error {
	return errors.Join(r.drainRecording(one, out), out.file.Close())
}

// drainRecording closes the queue of a recording and writes the rest of it.
func (r *Recorder) drainRecording(one *recording, out *encoder) error {
	rest := r.closeRecording(one)
	close(one.queue)
	for q := range one.queue {
		if err := out.writeEntry(q); err != nil {
			return err
		}
	}
	return out.writeGap(rest, out.last)
}

// Active reports whether a recording is in progress.
func (r *Recorder) Active() bool { return r.active.Load() }

// settings returns the settings with the build.
func (a About) settings() Settings {
	a.Settings.Build = a.Build
	return a.Settings
}

// programName names the program in a file.
func (a About) programName() string { return "mybot " + a.Build }

// compression is that of recordings.
const compression = mcap.Zstd

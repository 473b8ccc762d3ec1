package survey

import (
	"context"
	"fmt"
	"time"

	"mybot/mapping/sketch"
	"mybot/robot"
)

// Refusals of requests, as sentences.
var (
	errNoSketch = robot.Refusef("No sketch is being made.")
	errNoDrive  = robot.Refusef("Walls are drawn by hand here, so there is no drive to go back to. Save or discard them.")
)

// A Sketcher makes sketches with a robot's sonars, and empty sheets on which people
// draw walls by hand, one at a time. NewSketcher creates one. The fields
// below the blank line belong to the goroutine of Run.
type Sketcher struct {
	inbox

	desc     robot.Description
	report   func(State)
	pictures pictures

	link       *sketchLink    // nil = nothing in progress
	sketch     *sketch.Sketch // nil = a sheet, or nothing
	result     *sketch.Result // in Review
	phase      Phase
	drawn      int           // number of pings in the picture
	tiles      []Tile        // of the picture
	lasted     time.Duration // up to since
	since      time.Time     // when drawing began; zero = not drawing
	reportedAt time.Time     // time of the newest report
	shown      Phase         // phase in that report
	changed    bool          // something has changed since
}

// NewSketcher returns a Sketcher for a robot. report gets the state after every change,
// from Run's goroutine; it must not wait.
func NewSketcher(desc robot.Description, report func(State)) *Sketcher {
	return &Sketcher{inbox: newInbox(), desc: desc, report: report}
}

// Run works until ctx ends. It is called once.
func (s *Sketcher) Run(ctx context.Context) error {
	defer close(s.ended)
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case r := <-s.requests:
			r.handle(s.reportProgress)
		case h := <-s.readings():
			s.observeReading(h)
		case <-tick.C:
			s.changed = s.changed || s.phase == Mapping
		}
		s.reportProgress(time.Now())
	}
}

// readings returns the channel of readings; nil = none come.
func (s *Sketcher) readings() chan sketchReading {
	if s.link == nil {
		return nil
	}
	return s.link.readings
}

func (s *Sketcher) observeReading(h sketchReading) {
	if s.sketch != nil {
		s.sketch.Observe(h.at, h.Reading)
	}
}

// Begin begins a sketch, in whose frame the robot stands at the origin, and returns
// the localizer to use from now on. Earlier work is lost.
func (s *Sketcher) Begin(ctx context.Context) (l *SketchLocalizer, err error) {
	err = s.askRun(ctx, func(now time.Time) error {
		l = s.beginResult()
		s.sketch = sketch.New(s.desc)
		s.startDrawing(now)
		return nil
	})
	return l, err
}

// BeginSheet begins an empty sheet of a size in m around the robot, which is in
// Review at once; otherwise it is like Begin. The error is a sentence for people.
func (s *Sketcher) BeginSheet(ctx context.Context, width, height float64) (l *SketchLocalizer, err error) {
	sheet, err := sketch.NewSheet(width, height)
	if err != nil {
		return nil, err
	}
	err = s.askRun(ctx, func(time.Time) error {
		l = s.beginResult()
		s.result, s.phase = sheet, Review
		return nil
	})
	return l, err
}

// beginResult drops earlier work and returns a new localizer.
func (s *Sketcher) beginResult() *SketchLocalizer {
	s.clearResult()
	l := NewSketchLocalizer(s.desc)
	l.readings = make(chan sketchReading, maxReadings)
	s.link = l.sketchLink
	return l
}

func (s *Sketcher) clearResult() {
	s.link, s.sketch, s.result, s.phase = nil, nil, nil, Idle
	s.drawn, s.tiles = 0, nil
	s.lasted, s.since, s.changed = 0, time.Time{}, true
	s.pictures.clear()
}

func (s *Sketcher) startDrawing(now time.Time) {
	s.sketch.Resume()
	s.phase, s.since, s.changed, s.result = Mapping, now, true, nil
}

func (s *Sketcher) stopDrawing(now time.Time, phase Phase) {
	s.sketch.Pause()
	if !s.since.IsZero() {
		s.lasted += now.Sub(s.since)
	}
	s.phase, s.since, s.changed = phase, time.Time{}, true
}

// Pause stops drawing until Resume.
func (s *Sketcher) Pause(ctx context.Context) error {
	return s.askRun(ctx, func(now time.Time) error {
		if s.phase != Mapping {
			return errNoSketch
		}
		s.stopDrawing(now, Paused)
		return nil
	})
}

// Resume continues drawing after a pause, or a sketch in Review.
func (s *Sketcher) Resume(ctx context.Context) error {
	return s.askRun(ctx, func(now time.Time) error {
		switch {
		case s.phase == Review && s.sketch == nil:
			return errNoDrive
		case s.phase != Paused && s.phase != Review:
			return errNotPaused
		}
		s.startDrawing(now)
		return nil
	})
}

// Undo removes what was drawn over the last 10 m of driving.
func (s *Sketcher) Undo(ctx context.Context) error {
	return s.askRun(ctx, func(time.Time) error {
		if s.phase != Mapping && s.phase != Paused {
			return errNoSketch
		}
		s.sketch.Undo(undoWay)
		s.drawn, s.changed = -1, true
		return nil
	})
}

// Finish ends the drawing and begins Review.
func (s *Sketcher) Finish(ctx context.Context) error {
	return s.askRun(ctx, func(now time.Time) error {
		if s.phase != Mapping && s.phase != Paused {
			return errNoSketch
		}
		result, err := s.sketch.Result()
		if err != nil {
			return err
		}
		s.stopDrawing(now, Review)
		s.result = result
		return nil
	})
}

// Discard drops the sketch or the sheet.
func (s *Sketcher) Discard(ctx context.Context) error {
	return s.askRun(ctx, func(time.Time) error {
		s.clearResult()
		return nil
	})
}

// Result returns the sketch or the sheet in Review.
func (s *Sketcher) Result(ctx context.Context) (r *sketch.Result, err error) {
	err = s.askRun(ctx, func(time.Time) error {
		if s.result == nil {
			return errNotReview
		}
		r = s.result
		return nil
	})
	return r, err
}

// Compass returns compass heading minus the yaw in map, in rad; ok is false if it
// is not known.
func (s *Sketcher) Compass(ctx context.Context) (more float64, ok bool, err error) {
	err = s.askRun(ctx, func(time.Time) error {
		if s.link != nil {
			if m := s.link.compass.Load(); m != nil {
				more, ok = *m, true
			}
		}
		return nil
	})
	return more, ok, err
}

// Picture returns the newest picture of the sketch, as Survey.Picture does.
func (s *Sketcher) Picture(tile, revision int) (data []byte, exact, ok bool) {
	return s.pictures.find(tile, revision)
}

// reportProgress reports the state if it has changed and a report is due.
func (s *Sketcher) reportProgress(now time.Time) {
	if !s.changed || s.phase == s.shown && now.Sub(s.reportedAt) < reportEvery {
		return
	}
	s.changed, s.reportedAt, s.shown = false, now, s.phase
	s.report(s.currentState(now))
}

func (s *Sketcher) currentState(now time.Time) State {
	st := State{Phase: s.phase, Kind: Echoes, Lasted: s.lasted}
	if s.sketch == nil {
		st.Kind = ByHand
		return st
	}
	if !s.since.IsZero() {
		st.Lasted += now.Sub(s.since)
	}
	trail := s.sketch.Trail()
	st.Way, st.KeyFrames = s.sketch.Way(), len(trail)
	for i := 0; i < len(trail); i += len(trail)/maxTrail + 1 {
		st.Trail = append(st.Trail, trail[i].Point())
	}
	if s.phase == Mapping && s.sketch.Outside() {
		st.Why = fmt.Sprintf("The robot is more than %.0f m from where the sketch began. Wheels and compass are too far off to draw here: drive back.", sketch.MaxRange)
	}
	if n := s.sketch.Pings(); n != s.drawn {
		s.drawn = n
		s.drawPicture()
	}
	st.Tiles = s.tiles
	return st
}

func (s *Sketcher) drawPicture() {
	grid := s.sketch.Grid()
	if len(s.pictures.tiles) == 0 {
		s.pictures.add(picture{})
	}
	s.pictures.replace(0, picture{
		Tile: Tile{Origin: grid.Origin, Width: grid.Width, Height: grid.Height, Cell: grid.Resolution}, png: EncodePicture(&grid),
	})
	s.tiles = []Tile{s.pictures.tiles[0].Tile}
}

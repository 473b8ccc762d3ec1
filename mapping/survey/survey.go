package survey

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"mybot/mapping"
	"mybot/robot"
)

// A Phase is what a Survey is at.
type Phase int

// The phases of a survey.
const (
	Idle      Phase = iota // no map is being made
	Mapping                // key frames are taken
	Paused                 // none are
	Finishing              // the map is optimized for the last time
	Review                 // it is finished, and a person looks at it
)

// A Kind is what a map is made of.
type Kind int

// The kinds of maps.
const (
	Scans  Kind = iota // of a lidar
	Echoes             // of sonars: a sketch
	ByHand             // walls that a person draws on an empty sheet
)

// UndoWay is how much of the way one Undo takes back, in m.
const UndoWay = 10.0

const (
	maxKeyFrames = 20000           // 4 km of way
	endingShare  = 0.5             // of Finishing that is over when the last optimization begins: before it, what waits is added
	reportEvery  = time.Second / 2 // at least, between two reports of progress
	unsureFit    = 0.35            // of the usual fit, below which a key frame does not fit
	usualPace    = 0.05            // of what one key frame changes of the usual fit
	startFit     = 0.7             // usual, before anything is known
	jumpWay      = 0.3             // m off where the wheels led, from which a key frame has jumped: it must fit well,
	jumpFit      = 0.8             // of the usual fit
	minEchoes    = 30              // of a key frame that is judged
)

// A State is what a Survey has made so far. Nobody writes to it after it was reported.
type State struct {
	Phase     Phase
	Kind      Kind
	Why       string // it paused by itself, or cannot be saved, or what of Finishing is being done; "" = nothing of it
	Way       float64
	Lasted    time.Duration // that key frames were taken
	KeyFrames int
	Loops     int
	LoopAt    robot.Point   // where the newest was closed, in map, when there is one
	Behind    time.Duration // that the map is behind the robot
	Progress  float64       // of Finishing, 0 to 1
	Open      []robot.Point // in map, the middles of edges of the floor beyond which nothing is known
	Trail     []robot.Point // in map
	Tiles     []Tile
}

// A Survey makes one map after the other. New makes one. The fields below the blank line
// belong to the goroutine of Run.
type Survey struct {
	inbox

	desc     robot.Description
	lidar    int
	report   func(State)
	pictures pictures

	mapper  *mapping.Mapper
	journal Journal
	trouble string     // of the journal, a sentence; "" = none
	sits    string     // otherwise than described: the lidar, a sentence; "" = it does not
	synced  time.Time  // the journal was
	skipped robot.Pose // motion to be put before that of the next key frame
	link    *link
	phase   Phase
	why     string
	motion  robot.Pose    // of the key frame that the mapper was given last,
	led     *robot.Pose   // where it led in map; nil = it does not follow in one motion
	echoes  int           // and how many beams of it have one
	apart   bool          // the next key frame does not follow in one motion
	moved   bool          // mapping paused because the newest key frame did not fit,
	away    robot.Pose    // and was so far from the one before by odometry
	working int           // number of the newest key frame that the mapper was given; -1 = none
	tell    bool          // the mapper may have moved it
	usual   float64       // fit
	lasted  time.Duration // up to since
	since   time.Time     // when key frames began to be taken; zero = they are not
	floor   overview
	waiting int       // key frames that waited when Finishing began,
	through float64   // and how far it is, 0 to 1: never less than it was
	ending  bool      // the last optimization was asked for
	dock    *dock     // where the robot charged; nil = it did not
	told    time.Time // of the newest report,
	shown   Phase     // and what the survey was at then,
	showed  bool      // and whether the last optimization had been asked for
	changed bool      // since then
}

// A dock is where the robot charged, relative to a key frame.
type dock struct {
	keyFrame int
	at       robot.Pose // in base_link there
}

// New returns a Survey for a robot, which maps with the lidar. report gets the state after
// every change, from Run's goroutine; it must not wait.
func New(desc robot.Description, lidar int, report func(State)) *Survey {
	return &Survey{inbox: newInbox(), desc: desc, lidar: lidar, report: report}
}

// Run works until ctx ends. It is called once.
func (s *Survey) Run(ctx context.Context) error {
	defer close(s.ended)
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		if s.finish(); s.hasWork() {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case r := <-s.requests:
				r.answer <- r.do(time.Now())
			default:
				s.step()
			}
			s.reportProgress(time.Now())
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case r := <-s.requests:
			r.answer <- r.do(time.Now())
		case k := <-s.frames():
			s.add(k, time.Now())
		case now := <-tick.C:
			s.watch(now)
		}
		s.reportProgress(time.Now())
	}
}

// frames returns the channel that key frames come by; nil = none come.
func (s *Survey) frames() chan keyFrame {
	if s.link == nil {
		return nil
	}
	return s.link.frames
}

// Begin begins a new map, in whose frame the robot stands at the origin, and saves what it
// is made from in the journal; nil = it is not saved. It returns the localizer to be used
// from now on. What was mapped before is lost.
func (s *Survey) Begin(ctx context.Context, j Journal) (l *Localizer, err error) {
	err = s.ask(ctx, func(now time.Time) error {
		s.clear()
		l = s.begin(&mapping.Mapper{}, j, robot.Pose{})
		s.take(now)
		return nil
	})
	return l, err
}

// begin has the mapper work, with a localizer that begins at a pose in map.
func (s *Survey) begin(m *mapping.Mapper, j Journal, at robot.Pose) *Localizer {
	if j == nil {
		j = Unsaved{}
	}
	s.mapper, s.journal, s.link = m, j, &link{frames: make(chan keyFrame, maxWaiting)}
	return newLocalizer(s.desc, s.lidar, s.link, at)
}

// clear forgets the map that was being made.
func (s *Survey) clear() {
	s.mapper, s.journal, s.link, s.phase, s.why = nil, nil, nil, Idle, ""
	s.trouble, s.sits, s.synced, s.skipped = "", "", time.Time{}, robot.Pose{}
	s.led, s.moved = nil, false
	s.working, s.tell, s.usual = -1, false, startFit
	s.lasted, s.since, s.ending, s.changed, s.dock = 0, time.Time{}, false, true, nil
	s.floor = overview{}
	s.pictures.clear()
}

// take has key frames taken from now on.
func (s *Survey) take(now time.Time) {
	s.phase, s.why, s.since, s.changed, s.apart = Mapping, "", now, true, true
	s.mapper.Interrupt()
	s.save(s.journal.AddResume(now))
	s.link.full.Store(false)
	s.link.taking.Store(true)
}

// rest has no more key frames taken.
func (s *Survey) rest(now time.Time, phase Phase, why string) {
	s.link.taking.Store(false)
	if !s.since.IsZero() {
		s.lasted += now.Sub(s.since)
		s.save(s.journal.AddPause(now))
	}
	s.phase, s.why, s.since, s.changed = phase, why, time.Time{}, true
	s.sync(now)
}

// Sentences for what cannot be done in a phase.
var (
	errNotMapping = robot.Refusef("No map is being made.")
	errNotPaused  = robot.Refusef("Mapping is not paused.")
	errNotReview  = robot.Refusef("The map is not finished yet.")
	errEmpty      = robot.Refusef("Nothing has been mapped yet. Drive a little first.")
)

// Pause has no more key frames taken until Resume.
func (s *Survey) Pause(ctx context.Context) error {
	return s.ask(ctx, func(now time.Time) error {
		if s.phase != Mapping {
			return errNotMapping
		}
		s.rest(now, Paused, "")
		return nil
	})
}

// Resume goes on after a pause, or with a map that is in review.
func (s *Survey) Resume(ctx context.Context) error {
	return s.ask(ctx, func(now time.Time) error {
		if s.phase != Paused && s.phase != Review {
			return errNotPaused
		}
		s.comeBack()
		s.take(now)
		return nil
	})
}

// Undo takes back the last UndoWay of the way.
func (s *Survey) Undo(ctx context.Context) error {
	return s.ask(ctx, func(time.Time) error {
		if s.phase != Mapping && s.phase != Paused {
			return errNotMapping
		}
		if s.mapper.Summary().KeyFrames == 0 {
			return errEmpty
		}
		s.takenBack(s.mapper.Undo(UndoWay))
		return nil
	})
}

// takenBack notes that all key frames but the first keep are taken back.
func (s *Survey) takenBack(keep int) {
	s.save(s.journal.AddUndo(keep))
	s.pictures.undo(keep)
	s.working, s.tell, s.changed, s.floor, s.apart = -1, false, true, overview{}, true
	if s.dock != nil && s.dock.keyFrame >= keep {
		s.dock = nil
	}
}

// Finish has the map optimized for the last time. Review follows.
func (s *Survey) Finish(ctx context.Context) error {
	return s.ask(ctx, func(now time.Time) error {
		switch {
		case s.phase != Mapping && s.phase != Paused:
			return errNotMapping
		case s.mapper.Summary().KeyFrames == 0:
			return errEmpty
		}
		s.rest(now, Finishing, "")
		s.waiting, s.through = s.left(), 0
		return nil
	})
}

// Discard forgets the map.
func (s *Survey) Discard(ctx context.Context) error {
	return s.ask(ctx, func(time.Time) error {
		s.clear()
		return nil
	})
}

// Result returns the map that is in review.
func (s *Survey) Result(ctx context.Context) (r *mapping.Result, err error) {
	err = s.ask(ctx, func(time.Time) error {
		if s.phase != Review {
			return errNotReview
		}
		r = s.mapper.Result()
		return nil
	})
	return r, err
}

// Dock returns where base_link was, in map, when the robot charged last in this drive; nil
// = it did not. Of the map that is in review.
func (s *Survey) Dock(ctx context.Context) (at *robot.Pose, err error) {
	err = s.ask(ctx, func(time.Time) error {
		if s.phase != Review {
			return errNotReview
		}
		if s.noteDock(); s.dock != nil {
			p := s.mapper.Poses()[s.dock.keyFrame].Compose(s.dock.at)
			at = &p
		}
		return nil
	})
	return at, err
}

// noteDock notes where the robot charges, once the map has the key frame before.
func (s *Survey) noteDock() {
	if s.link == nil || s.hasWork() {
		return
	}
	if c := s.link.charged.Load(); c != nil && c.number == s.working {
		s.dock = &dock{s.placed() - 1, c.sinceKey}
	}
}

// left returns how many key frames wait for their place.
func (s *Survey) left() int { return len(s.link.frames) + s.mapper.Waiting() }

// Compass returns what the compass showed more than the yaw in map, in the mean over the
// key frames of this drive, in rad; ok is false where it showed nothing.
func (s *Survey) Compass(ctx context.Context) (more float64, ok bool, err error) {
	err = s.ask(ctx, func(time.Time) error {
		if s.link != nil {
			if sum := s.link.compass.Load(); sum != nil {
				more, ok = math.Atan2(sum.Y, sum.X), true
			}
		}
		return nil
	})
	return more, ok, err
}

// hasWork reports whether the mapper has something to do.
func (s *Survey) hasWork() bool { return s.mapper != nil && s.mapper.Busy() }

// step does one slice of the work.
func (s *Survey) step() {
	before := s.placed()
	more := s.mapper.Step()
	if s.placed() > before {
		s.tell, s.changed = true, true
		s.checkMounting(time.Now())
		s.judge(time.Now())
	}
	if s.tell {
		s.fix()
		s.tell = more
	}
	s.changed = s.changed || !more || s.phase == Finishing
}

// placed returns how many key frames the mapper has placed.
func (s *Survey) placed() int {
	if n, _, _, ok := s.mapper.Newest(); ok {
		return n + 1
	}
	return 0
}

// fix tells the localizer where the newest key frame is.
func (s *Survey) fix() {
	if _, pose, fit, ok := s.mapper.Newest(); ok && s.working >= 0 {
		s.link.seen.Store(int64(s.working) + 1)
		s.link.fix.Store(&fix{number: s.working, pose: pose, unsure: fit < unsureFit*s.usual})
	}
}

// judge looks how well the newest key frame fits. One that does not, or fits badly where
// the wheels did not lead, says that the robot was moved: it is taken back, and mapping
// pauses. The key frames after it would fit what it added.
func (s *Survey) judge(now time.Time) {
	if s.echoes < minEchoes {
		return // a wide hall tells nothing
	}
	_, at, fit, _ := s.mapper.Newest()
	jumped := s.led != nil && at.Point().Sub(s.led.Point()).Norm() > jumpWay && fit < jumpFit*s.usual
	if fit >= unsureFit*s.usual && !jumped {
		s.usual += usualPace * (fit - s.usual)
		return
	}
	if s.phase != Mapping || s.led == nil {
		return
	}
	s.away = s.motion
	keep := s.placed() - 1
	s.mapper.TakeBack(keep)
	s.takenBack(keep)
	s.moved = true
	s.rest(now, Paused, cmp.Or(s.sits, "What the lidar sees does not fit the map any more, as if the robot had been moved. Bring it back to where mapping paused, turned as it was, then press Resume."))
}

// checkMounting says, once it is known, that the lidar sits otherwise than it is described.
// Mapping pauses where the map would be wrong by that.
func (s *Survey) checkMounting(now time.Time) {
	if s.sits != "" {
		return
	}
	m, differs := s.mapper.Mounting()
	if !differs {
		return
	}
	l := s.desc.Lidars[s.lidar]
	s.sits = fmt.Sprintf("The lidar is not mounted as the description of the robot says: %s. There, lidars[%d] must have %s. Correct that, start again and make the map anew.", m.Explain(l), s.lidar, m.Remedy(l))
	s.changed = true
	if s.phase == Mapping && (m.Mirrored || m.Turned != 0) {
		s.rest(now, Paused, s.sits)
	}
}

// comeBack has the localizer take the robot to be where the map was left, when mapping had
// paused because the robot was moved.
func (s *Survey) comeBack() {
	if !s.moved {
		return
	}
	s.moved = false
	for s.mapper.Step() { // what is taken back
	}
	for len(s.link.frames) > 0 {
		s.link.seen.Store(int64((<-s.link.frames).number) + 1) // taken where the robot was moved to
	}
	_, newest, _, _ := s.mapper.Newest()
	s.skipped = robot.Pose{}
	s.link.place.Store(&place{pose: newest, sinceKey: s.away.Inverse()})
}

// add gives a key frame to the mapper.
func (s *Survey) add(k keyFrame, now time.Time) {
	if s.phase == Review || s.moved {
		s.link.seen.Store(int64(k.number) + 1)
		return // it was on its way when the map was finished, or the robot moved
	}
	k.Motion = s.skipped.Compose(k.Motion)
	saved, err := s.journal.AddKeyFrame(k.KeyFrame)
	if err != nil {
		s.skipped = k.Motion
		s.rest(now, Paused, notSaved(err))
		return
	}
	s.skipped = robot.Pose{}
	s.working, s.motion, s.echoes, s.led = k.number, k.Motion, 0, nil
	if _, last, _, ok := s.mapper.Newest(); ok && !s.apart {
		led := last.Compose(k.Motion)
		s.led = &led
	}
	s.apart = false
	for _, b := range k.Cloud.Beams {
		if b.Echo {
			s.echoes++
		}
	}
	s.mapper.Add(saved)
}

// watch looks at what has to be said or done now and then.
func (s *Survey) watch(now time.Time) {
	if s.phase != Idle && now.Sub(s.synced) >= syncEvery {
		s.sync(now)
	}
	s.noteDock()
	switch {
	case s.phase == Mapping && s.link.full.Load():
		s.rest(now, Paused, "This computer cannot keep up with mapping, so it paused. Wait until the map has caught up, then press Resume where it paused.")
	case s.phase == Mapping && s.mapper.Summary().KeyFrames >= maxKeyFrames:
		s.rest(now, Paused, "The map has as much as one map can hold. Finish it.")
	}
}

// finish gets on with finishing the map when there is nothing else to do: once the key
// frames that were on their way are in it, it is optimized for the last time.
func (s *Survey) finish() {
	switch {
	case s.phase != Finishing || s.hasWork() || len(s.link.frames) > 0:
	case !s.ending:
		s.ending = true
		s.save(s.journal.AddFinish())
		s.mapper.Finish()
	default:
		s.ending, s.tell = false, false
		s.fix()
		s.phase, s.changed, s.floor = Review, true, overview{}
	}
}

// reportProgress reports the state when something has changed and it is time.
func (s *Survey) reportProgress(now time.Time) {
	if !s.changed || s.phase == s.shown && s.ending == s.showed && now.Sub(s.told) < reportEvery {
		return
	}
	s.changed, s.told, s.shown, s.showed = false, now, s.phase, s.ending
	s.report(s.state(now))
}

// finishing says what of Finishing is being done, and how far all of it is, 0 to 1.
func (s *Survey) finishing() (what string, progress float64) {
	what, progress = s.stage()
	s.through = max(s.through, progress) // the last optimization begins anew when loops were dropped
	return what, s.through
}

// stage says what of Finishing is being done, and how far it is that comes to this once.
func (s *Survey) stage() (what string, progress float64) {
	if left := s.left(); !s.ending && left > 0 {
		all := max(left, s.waiting)
		return fmt.Sprintf("Adding what the lidar saw last: %d of %d scans to go.", left, all), endingShare * (1 - float64(left)/float64(all))
	}
	const rounds = mapping.FinishRounds
	round := 0
	if s.ending {
		round = s.mapper.Rounds()
	}
	return fmt.Sprintf("Fitting all %d scans together: round %d of at most %d.", s.mapper.Summary().KeyFrames, min(round+1, rounds), rounds),
		endingShare + (1-endingShare)*float64(round)/rounds
}

// state returns what has been made so far.
func (s *Survey) state(now time.Time) State {
	st := State{Phase: s.phase, Why: s.why, Lasted: s.lasted}
	st.Why = cmp.Or(st.Why, s.trouble, s.sits)
	if s.mapper == nil {
		return st
	}
	if !s.since.IsZero() {
		st.Lasted += now.Sub(s.since)
	}
	if s.phase == Finishing {
		what, progress := s.finishing()
		st.Why, st.Progress = cmp.Or(st.Why, what), progress
	}
	made := s.mapper.Summary()
	st.Way, st.KeyFrames = made.Way, made.KeyFrames
	if s.hasWork() || len(s.link.frames) > 0 {
		st.Behind = time.Duration(s.link.behind.Load())
	}
	n, at := s.mapper.Loops()
	st.Loops, st.LoopAt = n, at.Point()
	st.Tiles = s.pictures.draw(s.mapper)
	if st.Behind < behindAfter || s.phase == Review {
		s.floor.draw(s.mapper, now)
	}
	st.Open, st.Trail = slices.Clone(s.floor.open), s.floor.trail
	return st
}

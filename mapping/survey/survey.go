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

// A Phase is the phase of a Survey.
type Phase int

// The phases of a survey.
const (
	Idle      Phase = iota // no map is in progress
	Mapping                // key frames are being taken
	Paused                 // no key frames are being taken
	Finishing              // the final optimization of the map
	Review                 // a person reviews the finished map
)

// A Kind is the source of a map.
type Kind int

// The kinds of maps.
const (
	Scans  Kind = iota // of a lidar
	Echoes             // of sonars: a sketch
	ByHand             // walls that a person draws on an empty sheet
)

// undoWay is how much driving one Undo takes back, in m.
const undoWay = 10.0

const (
	maxKeyFrames = 20000           // 4 km of driving
	endingShare  = 0.5             // progress at which the final optimization begins; before that, waiting key frames are added
	reportEvery  = time.Second / 2 // between two reports of progress, at least
	unsureFit    = 0.35            // share of the usual fit below which a key frame does not fit
	usualPace    = 0.05            // weight of a new key frame in the usual fit
	startFit     = 0.7             // usual fit at first
	jumpDistance = 0.3             // m from odometry, or
	jumpTurn     = 0.3             // rad, at which a key frame has jumped, and must fit well:
	jumpFit      = 0.8             // share of the usual fit
	minEchoes    = 30              // of a key frame, for judging it
)

// A State is the state of a Survey. It does not change after it was reported.
type State struct {
	Phase     Phase
	Kind      Kind
	Why       string        // why it paused by itself or cannot be saved, or what Finishing is doing; "" = none of these
	Way       float64       // m driven, by odometry
	Lasted    time.Duration // duration of taking key frames
	KeyFrames int
	Loops     int
	LoopAt    robot.Point   // where the newest was closed, in map, if there is one
	Behind    time.Duration // lag of the map behind the robot
	Progress  float64       // of Finishing, 0 to 1
	Open      []robot.Point // in map, centres of edges beyond which the floor is unknown
	Trail     []robot.Point // in map
	Tiles     []Tile
}

// A Survey makes one map after the other. New creates one. The fields below the
// blank line belong to the goroutine of Run.
type Survey struct {
	inbox

	desc     robot.Description
	lidar    int
	report   func(State)
	pictures pictures

	mapper        *mapping.Mapper
	journal       Journal
	trouble       string     // with the journal, a sentence; "" = none
	mountingFault string     // how the mounting of the lidar differs from its description, a sentence; "" = it does not
	synced        time.Time  // when the journal was last synced
	skipped       robot.Pose // motion to prepend to that of the next key frame
	link          *link
	phase         Phase
	why           string
	motion        robot.Pose    // of the last key frame that the mapper received, from the one before it in the map
	led           *robot.Pose   // where it led in map; nil = the key frame does not follow in one motion
	echoes        int           // number of its beams with an echo
	apart         bool          // the next key frame does not follow in one motion
	moved         bool          // mapping paused because the newest key frame did not fit
	away          robot.Pose    // its motion from the previous one by odometry
	putBack       bool          // the next key frame is the first after the robot was put back
	firstBack     bool          // the newest key frame was
	undone        bool          // since mapping paused because of that, its way was taken back, which leaves nothing to fit there
	working       int           // number of the newest key frame that the mapper received; -1 = none
	fixPending    bool          // the mapper may have moved it
	usual         float64       // fit
	lasted        time.Duration // up to since
	since         time.Time     // when taking key frames began; zero = not taking any
	floor         overview
	waiting       int       // number of waiting key frames when Finishing began
	through       float64   // progress of Finishing, 0 to 1; never decreases
	ending        bool      // the final optimization was requested
	dock          *dock     // where the robot charged; nil = it did not
	reportedAt    time.Time // time of the newest report
	shown         Phase     // phase in that report
	showed        bool      // ending in that report
	changed       bool      // something has changed since
}

// A dock is where the robot charged, relative to a key frame.
type dock struct {
	keyFrame int
	at       robot.Pose // in base_link there
}

// New returns a Survey for a robot that maps with the given lidar. report gets the
// state after every change, from Run's goroutine; it must not wait.
func New(desc robot.Description, lidar int, report func(State)) *Survey {
	return &Survey{inbox: newInbox(), desc: desc, lidar: lidar, report: report}
}

// Run works until ctx ends. It is called once.
func (s *Survey) Run(ctx context.Context) error {
	defer close(s.ended)
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for {
		if s.advanceFinish(); s.hasWork() {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case r := <-s.requests:
				r.handle(s.reportProgress)
			default:
				s.stepMapper()
			}
			s.reportProgress(time.Now())
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case r := <-s.requests:
			r.handle(s.reportProgress)
		case k := <-s.keyFrames():
			s.addKeyFrame(k, time.Now())
		case now := <-tick.C:
			s.checkPeriodically(now)
		}
		s.reportProgress(time.Now())
	}
}

// keyFrames returns the channel of key frames; nil = none come.
func (s *Survey) keyFrames() chan keyFrame {
	if s.link == nil {
		return nil
	}
	return s.link.frames
}

// Begin begins a new map, in whose frame the robot stands at the origin, and saves
// its input in the journal; nil = it is not saved. It returns the localizer to use
// from now on. The previous map is lost.
func (s *Survey) Begin(ctx context.Context, j Journal) (l *Localizer, err error) {
	err = s.askRun(ctx, func(now time.Time) error {
		s.clearMap()
		l = s.beginMap(&mapping.Mapper{}, j, robot.Pose{})
		s.startKeyFrames(now)
		return nil
	})
	return l, err
}

// beginMap starts the mapper, with a localizer that begins at a pose in map.
func (s *Survey) beginMap(m *mapping.Mapper, j Journal, at robot.Pose) *Localizer {
	if j == nil {
		j = Unsaved{}
	}
	s.mapper, s.journal, s.link = m, j, &link{frames: make(chan keyFrame, maxWaiting)}
	return newLocalizer(s.desc, s.lidar, s.link, at)
}

// clearMap drops the map in progress.
func (s *Survey) clearMap() {
	s.mapper, s.journal, s.link, s.phase, s.why = nil, nil, nil, Idle, ""
	s.trouble, s.mountingFault, s.synced, s.skipped = "", "", time.Time{}, robot.Pose{}
	s.led, s.moved, s.putBack, s.firstBack = nil, false, false, false
	s.working, s.fixPending, s.usual = -1, false, startFit
	s.lasted, s.since, s.ending, s.changed, s.dock = 0, time.Time{}, false, true, nil
	s.floor = overview{}
	s.pictures.clear()
}

func (s *Survey) startKeyFrames(now time.Time) {
	s.phase, s.why, s.since, s.changed, s.apart = Mapping, "", now, true, true
	s.mapper.Interrupt()
	s.noteSaved(s.journal.AddResume(now))
	s.link.full.Store(false)
	s.link.taking.Store(true)
}

func (s *Survey) stopKeyFrames(now time.Time, phase Phase, why string) {
	s.link.taking.Store(false)
	if !s.since.IsZero() {
		s.lasted += now.Sub(s.since)
		s.noteSaved(s.journal.AddPause(now))
	}
	s.phase, s.why, s.since, s.changed = phase, why, time.Time{}, true
	s.syncJournal(now)
}

// Refusals of requests in the wrong phase, as sentences.
var (
	errNotMapping = robot.Refusef("No map is being made.")
	errNotPaused  = robot.Refusef("Mapping is not paused.")
	errNotReview  = robot.Refusef("The map is not finished yet.")
	errEmpty      = robot.Refusef("Nothing has been mapped yet. Drive a little first.")
)

// Pause stops taking key frames until Resume.
func (s *Survey) Pause(ctx context.Context) error {
	return s.askRun(ctx, func(now time.Time) error {
		if s.phase != Mapping {
			return errNotMapping
		}
		s.stopKeyFrames(now, Paused, "")
		return nil
	})
}

// Resume continues after a pause, or with a map in review.
func (s *Survey) Resume(ctx context.Context) error {
	return s.askRun(ctx, func(now time.Time) error {
		if s.phase != Paused && s.phase != Review {
			return errNotPaused
		}
		s.comeBack()
		s.startKeyFrames(now)
		return nil
	})
}

// Undo takes back the last 10 m of driving.
func (s *Survey) Undo(ctx context.Context) error {
	return s.askRun(ctx, func(time.Time) error {
		if s.phase != Mapping && s.phase != Paused {
			return errNotMapping
		}
		if s.mapper.Summary().KeyFrames == 0 {
			return errEmpty
		}
		s.takenBack(s.mapper.Undo(undoWay))
		s.undone = true
		return nil
	})
}

// takenBack notes that all key frames except the first keep are taken back.
func (s *Survey) takenBack(keep int) {
	s.noteSaved(s.journal.AddUndo(keep))
	s.pictures.redrawFrom(keep)
	s.working, s.fixPending, s.changed, s.floor, s.apart = -1, false, true, overview{}, true
	if s.dock != nil && s.dock.keyFrame >= keep {
		s.dock = nil
	}
}

// Finish starts the final optimization, after which Review begins.
func (s *Survey) Finish(ctx context.Context) error {
	return s.askRun(ctx, func(now time.Time) error {
		switch {
		case s.phase != Mapping && s.phase != Paused:
			return errNotMapping
		case s.mapper.Summary().KeyFrames == 0:
			return errEmpty
		}
		s.stopKeyFrames(now, Finishing, "")
		s.waiting, s.through = s.countWaiting(), 0
		return nil
	})
}

// Discard drops the map.
func (s *Survey) Discard(ctx context.Context) error {
	return s.askRun(ctx, func(time.Time) error {
		s.clearMap()
		return nil
	})
}

// Result returns the map in review.
func (s *Survey) Result(ctx context.Context) (r *mapping.Result, err error) {
	err = s.askRun(ctx, func(time.Time) error {
		if s.phase != Review {
			return errNotReview
		}
		r = s.mapper.Result()
		return nil
	})
	return r, err
}

// Dock returns the pose of base_link, in map, where the robot last charged in this
// drive, for the map in review; nil = it did not charge.
func (s *Survey) Dock(ctx context.Context) (at *robot.Pose, err error) {
	err = s.askRun(ctx, func(time.Time) error {
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

// noteDock records where the robot charges, once the previous key frame is placed.
func (s *Survey) noteDock() {
	if s.link == nil || s.hasWork() {
		return
	}
	if c := s.link.charged.Load(); c != nil && c.number == s.working {
		s.dock = &dock{s.countPlaced() - 1, c.sinceKey}
	}
}

// countWaiting returns the number of key frames without a pose.
func (s *Survey) countWaiting() int { return len(s.link.frames) + s.mapper.Waiting() }

// Compass returns compass heading minus the yaw in map, the mean over the key
// frames of this drive, in rad; ok is false without a compass.
func (s *Survey) Compass(ctx context.Context) (more float64, ok bool, err error) {
	err = s.askRun(ctx, func(time.Time) error {
		if s.link != nil {
			if sum := s.link.compass.Load(); sum != nil {
				more, ok = math.Atan2(sum.Y, sum.X), true
			}
		}
		return nil
	})
	return more, ok, err
}

// hasWork reports whether the mapper has work.
func (s *Survey) hasWork() bool { return s.mapper != nil && s.mapper.Busy() }

// stepMapper does one slice of the work.
func (s *Survey) stepMapper() {
	before := s.countPlaced()
	more := s.mapper.Step()
	if s.countPlaced() > before {
		s.fixPending, s.changed = true, true
		s.checkMounting(time.Now())
		s.judgeKeyFrame(time.Now())
	}
	if s.fixPending {
		s.publishFix()
		s.fixPending = more
	}
	s.changed = s.changed || !more || s.phase == Finishing
}

// countPlaced returns the number of placed key frames.
func (s *Survey) countPlaced() int {
	if n, _, _, ok := s.mapper.Newest(); ok {
		return n + 1
	}
	return 0
}

// publishFix passes the pose of the newest key frame to the localizer.
func (s *Survey) publishFix() {
	if _, pose, fit, ok := s.mapper.Newest(); ok && s.working >= 0 {
		s.link.seen.Store(int64(s.working) + 1)
		s.link.fix.Store(&fix{number: s.working, pose: pose, unsure: fit < unsureFit*s.usual})
	}
}

// judgeKeyFrame checks how well the newest key frame fits. If it does not, or fits badly
// away from odometry, the robot was moved: the key frame is taken back, and mapping
// pauses, because later key frames would fit what it added.
func (s *Survey) judgeKeyFrame(now time.Time) {
	if s.echoes < minEchoes {
		return // a wide hall has too few echoes to judge
	}
	_, at, fit, _ := s.mapper.Newest()
	share := jumpFit
	if s.firstBack {
		share = 1 // the robot may be elsewhere, and another room may fit by chance
	}
	jumped := s.led != nil && fit < share*s.usual &&
		(at.Point().Sub(s.led.Point()).Norm() > jumpDistance || math.Abs(robot.WrapAngle(at.Theta-s.led.Theta)) > jumpTurn)
	if !jumped && (fit >= unsureFit*s.usual || s.firstBack) { // after Resume: the room may have changed, as the driver can see
		s.usual += usualPace * (fit - s.usual)
		return
	}
	if s.phase != Mapping || s.led == nil {
		return
	}
	s.away = s.motion
	keep := s.countPlaced() - 1
	s.mapper.TakeBack(keep)
	s.takenBack(keep)
	s.moved, s.undone = true, false
	s.stopKeyFrames(now, Paused, cmp.Or(s.mountingFault, "What the lidar sees does not fit the map any more, as if the robot had been moved. Bring it back to where mapping paused, turned as it was, then press Resume."))
}

// checkMounting reports, once it is known, that the mounting of the lidar differs
// from its description. Mapping pauses if the map would be wrong.
func (s *Survey) checkMounting(now time.Time) {
	if s.mountingFault != "" {
		return
	}
	m, differs := s.mapper.Mounting()
	if !differs {
		return
	}
	l := s.desc.Lidars[s.lidar]
	s.mountingFault = fmt.Sprintf("The lidar is not mounted as the description of the robot says: %s. There, lidars[%d] must have %s. Correct that, then restart and map again.", m.Explain(l), s.lidar, m.Remedy(l))
	s.changed = true
	if s.phase == Mapping && (m.Mirrored || m.Turned != 0) {
		s.stopKeyFrames(now, Paused, s.mountingFault)
	}
}

// comeBack makes the localizer assume that the robot is where mapping paused, if it
// paused because the robot was moved.
func (s *Survey) comeBack() {
	if !s.moved {
		return
	}
	s.moved, s.putBack = false, !s.undone
	for s.mapper.Step() { // executes the undo
	}
	for len(s.link.frames) > 0 {
		s.link.seen.Store(int64((<-s.link.frames).number) + 1) // they were taken where the robot was moved to
	}
	_, newest, _, _ := s.mapper.Newest()
	s.skipped = robot.Pose{}
	s.link.place.Store(&place{pose: newest, sinceKey: s.away.Inverse()})
}

// addKeyFrame passes a key frame to the mapper.
func (s *Survey) addKeyFrame(k keyFrame, now time.Time) {
	if s.phase == Review || s.moved {
		s.link.seen.Store(int64(k.number) + 1)
		return // it was on its way when the map was finished, or the robot was moved
	}
	k.Motion = s.skipped.Compose(k.Motion)
	saved, err := s.journal.AddKeyFrame(k.KeyFrame)
	if err != nil {
		s.skipped = k.Motion
		s.stopKeyFrames(now, Paused, notSaved(err))
		return
	}
	s.skipped = robot.Pose{}
	s.working, s.motion, s.echoes, s.led = k.number, k.Motion, 0, nil
	if mapping.IsJump(k.Motion) {
		s.motion = robot.Pose{} // as the mapper takes it
	}
	if s.putBack {
		s.motion = s.away.Compose(k.Motion)
	}
	if _, last, _, ok := s.mapper.Newest(); ok && (!s.apart || s.putBack) {
		led := last.Compose(s.motion)
		s.led = &led
	}
	s.apart, s.putBack, s.firstBack = false, false, s.putBack
	for _, b := range k.Cloud.Beams {
		if b.Echo {
			s.echoes++
		}
	}
	s.mapper.Add(saved)
}

// checkPeriodically does the periodic checks and reports.
func (s *Survey) checkPeriodically(now time.Time) {
	if s.phase != Idle && now.Sub(s.synced) >= syncEvery {
		s.syncJournal(now)
	}
	s.noteDock()
	switch {
	case s.phase == Mapping && s.link.full.Load():
		s.stopKeyFrames(now, Paused, "This computer cannot keep up with mapping, so it paused. Wait until the map has caught up, then press Resume where it paused.")
	case s.phase == Mapping && s.mapper.Summary().KeyFrames >= maxKeyFrames:
		s.stopKeyFrames(now, Paused, "The map has as much as one map can hold. Finish it.")
	}
}

// advanceFinish advances the finishing of the map when there is no other work: once the
// pending key frames are in it, the final optimization starts.
func (s *Survey) advanceFinish() {
	switch {
	case s.phase != Finishing || s.hasWork() || len(s.link.frames) > 0:
	case !s.ending:
		s.ending = true
		s.noteSaved(s.journal.AddFinish())
		s.mapper.Finish()
	default:
		s.ending, s.fixPending = false, false
		s.publishFix()
		s.phase, s.changed, s.floor = Review, true, overview{}
	}
}

// reportProgress reports the state if it has changed and a report is due.
func (s *Survey) reportProgress(now time.Time) {
	if !s.changed || s.phase == s.shown && s.ending == s.showed && now.Sub(s.reportedAt) < reportEvery {
		return
	}
	s.changed, s.reportedAt, s.shown, s.showed = false, now, s.phase, s.ending
	s.report(s.currentState(now))
}

// finishProgress returns what Finishing is doing, and its total progress, 0 to 1.
func (s *Survey) finishProgress() (what string, progress float64) {
	what, progress = s.finishStage()
	s.through = max(s.through, progress) // the final optimization restarts after loops are dropped
	return what, s.through
}

// finishStage returns what Finishing is doing, and the progress of a single pass.
func (s *Survey) finishStage() (what string, progress float64) {
	if left := s.countWaiting(); !s.ending && left > 0 {
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

func (s *Survey) currentState(now time.Time) State {
	st := State{Phase: s.phase, Why: s.why, Lasted: s.lasted}
	st.Why = cmp.Or(st.Why, s.trouble, s.mountingFault)
	if s.mapper == nil {
		return st
	}
	if !s.since.IsZero() {
		st.Lasted += now.Sub(s.since)
	}
	if s.phase == Finishing {
		what, progress := s.finishProgress()
		st.Why, st.Progress = cmp.Or(st.Why, what), progress
	}
	made := s.mapper.Summary()
	st.Way, st.KeyFrames = made.Way, made.KeyFrames
	if s.hasWork() || len(s.link.frames) > 0 {
		st.Behind = time.Duration(s.link.behind.Load())
	}
	n, at := s.mapper.Loops()
	st.Loops, st.LoopAt = n, at.Point()
	st.Tiles = s.pictures.drawTiles(s.mapper)
	if st.Behind < behindAfter || s.phase == Review {
		s.floor.drawIfDue(s.mapper, now)
	}
	st.Open, st.Trail = slices.Clone(s.floor.open), s.floor.trail
	return st
}

package playout

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

const (
	minRate      = 0.7                 // mu
	maxRate      = 1.3                 // mu
	foreseen     = 0.3                 // s of virtual time, the look-ahead for braking
	slows        = 0.02                // m/s, the loss of speed in that time that counts as braking
	crawl        = 0.1                 // mu below which the reference counts as waiting
	settledAlong = 0.02                // m
	settledTurn  = 1.5 * math.Pi / 180 // rad
	maxTick      = 0.25                // s
)

// Stuck is the reason of a HOLD when the robot itself stays behind, because its guard
// slows it down.
const Stuck = "The robot could not follow."

// Options configure a Player.
type Options struct {
	Policy   Policy        // "" = Track
	Delay    time.Duration // for Delay: the time from driving a path to playing it
	Duration float64       // s, for Playback: the duration of the whole motion
}

// A Player takes samples and follows their path. Only one goroutine may use it, and now
// must not go back from one call to the next.
type Player struct {
	train   robot.Drivetrain
	safe    robot.Limit
	options Options

	stream    stream
	motion    []Sample // the rest of a recorded motion
	held      string   // why the stream has ended; "" = it has not
	path      path
	obstacles ObstacleMap // nil = do not avoid obstacles
	detour    detour      // of the reference from the path
	ahead     outlook     // scratch space
	looked    float64     // s since the last choice of a detour
	jitter    jitter
	start     Start
	from      uint64    // samples with smaller sequence numbers are over
	newest    Sample    // with the highest sequence number, without Hist
	arrived   time.Time // of the last fresh sample
	resumed   time.Time // of the fresh sample that ended a long silence; zero once the reference has caught up

	tau     float64   // s, virtual time of the reference
	begun   bool      // tau is valid
	rate    float64   // mu
	stall   float64   // s that the reference has waited
	waits   bool      // the reference waits for a sample
	settled bool      // the reference stands and the robot has reached it
	settle  float64   // s that the reference has stood
	ends    time.Time // deadline for the end of a path whose driver has let go

	ticked time.Time
	pose   robot.Pose // of C at the last tick
}

// stream identifies the drive that samples belong to. The zero stream has no samples.
type stream struct{ lease, hold uint64 }

func (s stream) isBefore(t stream) bool {
	return s.lease < t.lease || s.lease == t.lease && s.hold < t.hold
}

// LimitOf returns the limits of a robot's virtual robot. Page and robot must step it with
// the same limits.
func LimitOf(desc robot.Description) robot.Limit {
	l := desc.Safe.ForTeleop()
	l.TurningRadius = desc.TurningRadius
	if !desc.SeesObstacles() {
		l.Linear = min(l.Linear, limits.BlindSpeed)
	}
	return l
}

// NewPlayer returns a player that has no samples yet.
func NewPlayer(desc robot.Description, o Options) *Player {
	if o.Policy == "" {
		o.Policy = Track
	}
	return &Player{
		train: desc.Drivetrain, safe: desc.Safe, options: o,
		path:   path{limit: LimitOf(desc), knots: make([]knot, 0, maxKnots)},
		ahead:  outlook{path: make([]robot.Motion, 0, maxSights), poses: make([]robot.Pose, 0, maxSights)},
		jitter: newJitter(), start: Start{Duration: o.Duration}, settled: true,
	}
}

// SetObstacles makes Track avoid the obstacles in m, by at most limits.AvoidAside.
func (p *Player) SetObstacles(m ObstacleMap) { p.obstacles = m }

// Status describes how the player follows its path.
type Status struct {
	Policy          Policy
	Active          bool       // there is a path to follow; if not, the twist does not count
	Hold            string     // why the stream has ended: its samples are INTERRUPTED until a higher Lease or Hold comes; "" = it has not
	Stalled         bool       // the reference waits, for samples or for the robot
	Seq             uint64     // the newest sample that the reference has reached
	Tau             float64    // s, virtual time of the reference
	Lead            float64    // s of path that are buffered, B
	Jitter          float64    // s of path that should be buffered, J
	Rate            float64    // of virtual time to real time, mu
	Left            float64    // m of path that are committed and not yet followed
	Reference       robot.Pose // of base_link in map, on the path
	Detour          float64    // m, offset of the reference to the left of the path, to avoid an obstacle
	Clear           bool       // the robot avoids an obstacle and expects to keep limits.AvoidMargin from it
	robot.Deviation            // of the reference, including the detour, from the robot at M
}

// Take takes a sample that arrives now and returns its result. Samples may arrive in any
// order; a duplicate, or one whose time is over, changes nothing.
func (p *Player) Take(now time.Time, s Sample) robot.Result {
	if wrong := sampleFault(&s); wrong != "" {
		return robot.Result{Word: robot.Error, Reason: wrong}
	}
	switch is := (stream{s.Lease, s.Hold}); {
	case is.isBefore(p.stream):
		return robot.Result{Word: robot.Interrupted, Reason: "This sample belongs to a drive that has ended."}
	case p.stream.isBefore(is):
		p.beginStream(is)
	case p.held != "":
		return robot.Result{Word: robot.Interrupted, Reason: p.held}
	}
	if s.Seq < p.from {
		return robot.Result{Word: robot.Success}
	}
	fresh := true
	if p.options.Policy == Track {
		var reason string
		if fresh, reason = p.judgeSample(now, &s); reason != "" {
			p.End(reason)
			return robot.Result{Word: robot.Interrupted, Reason: reason}
		}
	}
	if len(p.path.knots)+1+len(s.Hist) > maxKnots {
		return robot.Result{Word: robot.Busy, Reason: fmt.Sprintf("More than %d samples wait to be played.", maxKnots)}
	}
	newer := p.path.isEmpty() || s.Seq > p.newest.Seq
	for i := range s.Hist {
		h := &s.Hist[i]
		if h.Seq < s.Seq && h.Seq >= p.from && sampleFault(h) == "" && (mayBegin(h) || !p.path.isEmpty()) {
			if r := p.addSample(h); r.Word != robot.Success {
				return r
			}
		}
	}
	if r := p.addSample(&s); r.Word != robot.Success {
		return r
	}
	p.jitter.addArrival(now, s.T)
	if p.options.Policy == Playback && !p.begun {
		p.start.Take(now, s.T)
	}
	if newer {
		p.newest = s
		p.newest.Hist = nil
		if fresh {
			p.noteFresh(now)
		}
	}
	return robot.Result{Word: robot.Success}
}

// Play plays a recorded motion as a new stream, which ends the streams before it. The
// robot stands at pose (of base_link in map), which must be where the motion begins.
func (p *Player) Play(now time.Time, m Motion, lease, hold uint64, pose robot.Pose) robot.Result {
	if len(m.Points) == 0 {
		return robot.Result{Word: robot.Error, Reason: "The motion is empty."}
	}
	if e := robot.DeviationFrom(p.train.Axle(pose), p.train.Axle(m.Points[0].Pose)); isLost(e) {
		return robot.Result{Word: robot.Error, Reason: fmt.Sprintf("The robot is %.1f m and %.0f deg from where the motion begins.",
			math.Hypot(e.Along, e.Across), robot.Degrees(math.Abs(e.Turn)))}
	}
	is := stream{lease, hold}
	if !p.stream.isBefore(is) {
		return robot.Result{Word: robot.Interrupted, Reason: "This motion belongs to a drive that has ended."}
	}
	p.options = Options{Policy: Playback, Duration: m.Duration()}
	p.beginStream(is)
	p.motion = m.samplesOf(lease, hold)
	return p.feedMotion(now)
}

// feedMotion adds samples of the recorded motion while the path has room.
func (p *Player) feedMotion(now time.Time) robot.Result {
	for len(p.motion) > 0 && len(p.path.knots) < maxKnots/2 {
		s := &p.motion[0]
		p.motion = p.motion[1:]
		if r := p.addSample(s); r.Word != robot.Success {
			p.End(r.Reason)
			return r
		}
		p.newest, p.arrived = *s, now
	}
	p.start.Duration = 0 // the whole motion is available
	p.start.Take(now, 0)
	return robot.Result{Word: robot.Success}
}

// beginStream replaces the stream by a new one, without a path.
func (p *Player) beginStream(is stream) {
	if is.lease != p.stream.lease {
		p.jitter = newJitter() // another page, another clock
	}
	p.stream, p.held, p.from = is, "", 0
	p.dropPath()
}

func (p *Player) dropPath() {
	p.path.clearKnots()
	p.start = Start{Duration: p.options.Duration}
	p.begun, p.settled = false, true
	p.rate, p.stall, p.settle, p.ends = 0, 0, 0, time.Time{}
	p.waits, p.resumed = false, time.Time{}
	p.detour = detour{}
	p.newest, p.motion = Sample{}, nil
}

// mayBegin reports whether a drive may begin with the sample: it must be neutral.
func mayBegin(s *Sample) bool { return s.Want.IsZero() && s.Twist.IsZero() }

func (p *Player) addSample(s *Sample) robot.Result {
	if p.path.isEmpty() && !mayBegin(s) {
		return robot.Result{Word: robot.Error, Reason: "A drive begins with a neutral sample of a stationary virtual robot."}
	}
	valid := s.Valid
	if valid == 0 {
		valid = robot.DriveValid
	}
	k := knot{
		seq: s.Seq, t: s.T, s: s.S, want: s.Want, valid: valid.Seconds(),
		motion: robot.Motion{Axle: p.train.Axle(s.Pose), Twist: s.Twist},
	}
	k.motion.Axle.Theta = robot.WrapAngle(k.motion.Axle.Theta)
	if !p.path.insertKnot(k) {
		return robot.Result{Word: robot.Error, Reason: fmt.Sprintf("The time of sample %d, %.3f s, does not fit those around it.", s.Seq, s.T)}
	}
	return robot.Result{Word: robot.Success}
}

// Leave gives up the path, for the reason, as End does. But if the robot stands at the end
// of its path, the stream continues with a new path, so that another source may move the
// robot in between.
func (p *Player) Leave(reason string) {
	switch {
	case p.path.isEmpty():
	case p.settled && math.IsInf(p.path.standsUntil(max(p.tau, p.path.knots[0].t)), 1):
		p.endPath()
	default:
		p.End(reason)
	}
}

// Held returns the newest stream and why it has ended: its samples are INTERRUPTED until a
// higher lease or hold comes. The reason is "" if it has not ended.
func (p *Player) Held() (lease, hold uint64, reason string) {
	return p.stream.lease, p.stream.hold, p.held
}

// End ends the stream for the reason, such as an obstacle, STOP, or a change of mode or of
// control. The robot no longer follows it. End does nothing if there is no stream or it has
// already ended.
func (p *Player) End(reason string) {
	if p.held != "" || p.stream == (stream{}) && p.path.isEmpty() {
		return
	}
	p.held = reason
	p.dropPath()
}

// SetOptions changes the options. If they differ, a drive in progress ends in a HOLD.
func (p *Player) SetOptions(o Options) {
	if o.Policy == "" {
		o.Policy = Track
	}
	if o == p.options {
		return
	}
	if !p.path.isEmpty() && !p.settled {
		p.End("The driving mode was changed.")
	}
	p.options = o
	p.dropPath()
}

// Tick advances time to now and returns the twist of M that follows the path, within the
// safe speeds. pose is the estimate of base_link in map, measured the twist of M as the
// base reports it. The twist counts for this tick only, and only if Status.Active is set.
func (p *Player) Tick(now time.Time, pose robot.Pose, measured robot.Twist) (robot.Twist, Status) {
	dt := 0.0
	if !p.ticked.IsZero() {
		dt = max(0, min(maxTick, now.Sub(p.ticked).Seconds()))
		jump := pose.Point().Sub(p.pose.Point()).Norm() - math.Abs(measured.Linear)*dt
		if dt > 0 && jump > limits.FollowJump && p.isActive(now) {
			p.End(fmt.Sprintf("The robot's position jumped by %.2f m.", jump))
		}
	}
	p.ticked, p.pose = now, pose
	if len(p.motion) > 0 {
		p.feedMotion(now)
	}
	if p.held != "" || p.path.isEmpty() {
		return robot.Twist{}, Status{Policy: p.options.Policy, Hold: p.held, Jitter: p.jitter.wait, Reference: pose}
	}
	if p.options.Policy == Direct {
		return p.playDirect(now, pose)
	}
	return p.followPath(now, pose, measured, dt)
}

// endLength returns the arc length at the end of the known path or motion, in m.
func (p *Player) endLength() float64 {
	if n := len(p.motion); n > 0 {
		return p.motion[n-1].S
	}
	return p.path.newestKnot().s
}

// isActive reports whether there is a path to follow.
func (p *Player) isActive(now time.Time) bool {
	switch {
	case p.held != "" || p.path.isEmpty():
		return false
	case p.options.Policy == Direct:
		return now.Sub(p.arrived) < p.sampleValidity()
	}
	return !p.settled || p.begun && !math.IsInf(p.path.standsUntil(p.tau), 1)
}

func (p *Player) sampleValidity() time.Duration {
	if p.newest.Valid > 0 {
		return p.newest.Valid
	}
	return robot.DriveValid
}

// playDirect returns the twist that the newest sample asks for, while it is valid.
func (p *Player) playDirect(now time.Time, pose robot.Pose) (robot.Twist, Status) {
	s := Status{Policy: Direct, Seq: p.newest.Seq, Tau: p.newest.T, Jitter: p.jitter.wait, Rate: 1, Reference: pose}
	p.path.dropBefore(p.newest.T)
	if s.Active = p.isActive(now); !s.Active {
		return robot.Twist{}, s
	}
	return p.safe.Clamp(p.newest.Want), s
}

// followPath moves the reference and returns the twist that follows it.
func (p *Player) followPath(now time.Time, pose robot.Pose, measured robot.Twist, dt float64) (robot.Twist, Status) {
	axle := p.train.Axle(pose)
	if !p.begun {
		p.startPlaying(now)
	}
	var before robot.Deviation
	if p.begun {
		m, _ := p.path.motionAt(p.tau)
		beside := p.detour.shiftMotion(m)
		before = robot.DeviationFrom(axle, beside.Axle)
		p.advanceClock(now, dt, beside.Twist, before)
		p.catchUp(now)
		p.path.dropBefore(p.tau)
		p.goRound(axle, m.Axle, dt)
	}
	on, s := p.path.motionAt(p.tau)
	m := p.detour.shiftMotion(on)
	e := robot.DeviationFrom(axle, m.Axle)
	status := Status{
		Policy: p.options.Policy, Seq: p.path.knots[0].seq, Tau: p.tau,
		Lead: max(0, p.bufferedLead()), Jitter: p.jitter.wait, Rate: p.rate,
		Left:      math.Max(0, p.endLength()-s),
		Reference: p.train.Centre(on.Axle), Detour: p.detour.aside, Clear: p.detour.begun && p.detour.risk < unsure, Deviation: e,
	}
	until := p.path.standsUntil(p.tau)
	stands := until > p.tau || !p.begun
	came := p.settled
	p.watchSettling(stands, e, measured, dt)
	status.Stalled = p.begun && p.stall > 0
	switch {
	case p.settled && !came && math.Hypot(e.Along, e.Across) >= limits.LagFrom: // SettleTime is over
		p.End(Stuck)
	case math.Abs(p.detour.aside) >= leftAside && (p.settled || on.Twist.Linear == 0 && on.Twist.Angular != 0):
		p.End(fmt.Sprintf("The robot avoided something and is %.2f m off the path.", math.Abs(p.detour.aside)))
	case p.stall > limits.SampleStall && math.Abs(before.Along) >= limits.LagFrom, p.options.Policy == Track && !stands && p.bufferedLead() > p.maxLead(), p.isOverdue(now):
		p.End(Stuck)
	case p.silenceReason(now) != "":
		p.End(p.silenceReason(now))
	case !p.settled && isLost(e):
		p.End(fmt.Sprintf("The robot is %.2f m and %.0f deg off its path.", math.Hypot(e.Along, e.Across), robot.Degrees(math.Abs(e.Turn))))
	}
	if status.Hold = p.held; p.held != "" {
		return robot.Twist{}, status
	}
	if status.Active = p.isActive(now); p.settled {
		if p.options.Policy == Track && !status.Active && now.Sub(p.arrived).Seconds() > limits.FollowRestAfter {
			p.endPath()
		}
		return robot.Twist{}, status
	}
	if p.stall > limits.SampleStall {
		return robot.Twist{}, status // the robot waits for the driver; noise of the estimate must not turn the wheels
	}
	want := e.Follow(m.Twist.Scale(p.rate))
	if p.rate == 0 && want.Linear*m.Twist.Linear < 0 {
		want.Linear = 0 // the robot overshot while the reference waits; do not back up, the path continues past it
	}
	return p.safe.Clamp(want), status
}

// isOverdue reports whether the driver has let go and the robot should have reached the
// end of its path by now. A robot that the guard slows to a crawl must not follow the rest
// of the path.
func (p *Player) isOverdue(now time.Time) bool {
	switch {
	case p.settled || p.options.Policy != Track || !p.path.newestKnot().want.IsZero():
		p.ends = time.Time{}
	case p.ends.IsZero():
		p.ends = now.Add(time.Duration((limits.EndAfter + limits.EndPerLead*max(0, p.bufferedLead())) * float64(time.Second)))
	}
	return !p.ends.IsZero() && now.After(p.ends)
}

// maxLead returns how much of a path may be buffered, in s.
func (p *Player) maxLead() float64 {
	if p.detour.begun {
		return limits.AvoidLead
	}
	return limits.FollowLead
}

// goRound advances the detour along the path from was, the previous pose of the reference
// on it, and chooses where the detour continues. axle is the pose of the robot's axle.
func (p *Player) goRound(axle, was robot.Pose, dt float64) {
	if p.obstacles == nil || p.options.Policy != Track {
		return
	}
	m, _ := p.path.motionAt(p.tau)
	p.detour.advanceBy(stretchOf(was, m.Axle))
	if p.settled && math.Abs(p.detour.aside) < leftAside {
		p.detour = detour{}
	}
	if p.detour.onPath() && p.bufferedLead() < limits.FollowLead-1 {
		p.detour.begun = false
	}
	if p.looked += dt; p.looked >= lookEvery && m.Twist.Linear > 0 {
		p.looked = 0
		p.ahead.path, p.ahead.from = p.path.appendAhead(p.ahead.path[:0], p.tau), axle.Inverse()
		p.detour.chooseSide(p.obstacles, &p.ahead)
	}
}

// endPath drops the path of a robot that stands at its end. Samples of it that still
// arrive are over. Another source may move the robot before the driver starts again.
func (p *Player) endPath() {
	p.from = p.newest.Seq + 1
	p.dropPath()
}

// startPlaying starts the play-out clock if the policy allows it now.
func (p *Player) startPlaying(now time.Time) {
	first := p.path.knots[0].t
	switch p.options.Policy {
	case Playback:
		p.begun, p.tau, p.rate = p.start.Ready(), first, 1
	case Delay:
		p.begun, p.tau, p.rate = true, min(first, p.delayedTime(now)), 1
	default:
		p.begun, p.tau, p.rate = true, first-p.jitter.wait, 1
	}
}

// delayedTime returns the virtual time that the policy Delay plays now.
func (p *Player) delayedTime(now time.Time) float64 {
	if !p.newest.Made.IsZero() {
		return p.newest.T + now.Sub(p.newest.Made).Seconds() - p.options.Delay.Seconds()
	}
	return p.jitter.arrivalTime(now) - p.options.Delay.Seconds()
}

// bufferedLead returns how much of the path is buffered ahead of tau, in s.
func (p *Player) bufferedLead() float64 { return p.path.newestKnot().t - p.tau }

// advanceClock advances tau, the play-out clock. twist is the reference's present twist, e
// its deviation from the robot.
func (p *Player) advanceClock(now time.Time, dt float64, twist robot.Twist, e robot.Deviation) {
	newest := p.path.newestKnot()
	neutral := newest.want.IsZero() // the path ends here, so no sample needs to follow
	cut := p.path.end+1 < len(p.path.knots)
	if until := p.path.standsUntil(p.tau); until > p.tau {
		p.rate = 1
		to := p.tau + dt
		switch p.options.Policy {
		case Track:
			to = max(to, newest.t-p.jitter.wait) // skip the time in which the reference stands
		case Delay:
			to = max(p.tau, p.delayedTime(now))
		}
		p.tau = max(p.tau, min(to, until, newest.t))
		if math.IsInf(until, 1) && cut {
			p.stall += dt
		} else {
			p.stall = 0
		}
		return
	}
	if p.options.Policy == Delay {
		p.advanceTo(max(p.tau, p.delayedTime(now)), newest, dt)
		return
	}
	mu := 1.0
	if p.options.Policy == Track {
		mu = max(minRate, min(maxRate, 1+p.bufferedLead()-p.jitter.wait))
		if neutral {
			mu = max(1, mu)
		}
	}
	mu = min(mu, p.maxSafeRate(twist), p.detour.maxRate(twist)) * patienceFor(twist, e)
	if maxMu := math.Sqrt(p.safe.LinearAcceleration / p.path.limit.LinearAcceleration); mu > maxMu && p.slowsDown() {
		mu = maxMu // the robot could not brake as hard as a faster reference and would overshoot
	}
	slew := dt * p.maxRateChange(twist)
	last := newest.t + min(limits.FollowBeyond, newest.valid)
	if p.options.Policy == Playback {
		last = newest.t
	}
	silent := p.options.Policy == Track && p.silentFor(now) > limits.SampleSilence
	p.waits = !neutral && (silent || p.tau+dt*mu > last)
	if p.waits {
		mu = 0
	}
	p.rate = max(p.rate-slew, min(p.rate+slew, mu))
	p.tau += dt * p.rate
	if p.waits || p.rate < crawl {
		p.stall += dt
	} else {
		p.stall = 0
	}
}

// maxRateChange returns how fast the rate may change, in 1/s, so that the robot can still
// follow the reference.
func (p *Player) maxRateChange(t robot.Twist) float64 {
	return min(p.safe.LinearAcceleration/max(0.02, math.Abs(t.Linear)), p.safe.AngularAcceleration/max(0.02, math.Abs(t.Angular)))
}

// advanceTo advances tau to a virtual time that the clock dictates, but not past the known
// path.
func (p *Player) advanceTo(to float64, newest *knot, dt float64) {
	if !newest.want.IsZero() {
		to = min(to, newest.t+min(limits.FollowBeyond, newest.valid))
	}
	if to <= p.tau {
		p.rate = 0
		p.stall += dt
		return
	}
	p.tau, p.rate, p.stall = to, 1, 0
}

// maxSafeRate returns the rate at which the reference reaches the safe speeds.
func (p *Player) maxSafeRate(t robot.Twist) float64 {
	return min(p.safe.Linear/max(1e-9, math.Abs(t.Linear)), p.safe.Angular/max(1e-9, math.Abs(t.Angular)))
}

// slowsDown reports whether the reference is about to slow down.
func (p *Player) slowsDown() bool {
	now, _ := p.path.motionAt(p.tau)
	soon, _ := p.path.motionAt(min(p.tau+foreseen, p.path.newestKnot().t))
	return math.Abs(now.Twist.Linear)-math.Abs(soon.Twist.Linear) > slows
}

// patienceFor returns the factor, 1 to 0, by which a reference slows to wait for a robot
// that lags behind it, for example because the guard slows it down.
func patienceFor(t robot.Twist, e robot.Deviation) float64 {
	lag := math.Copysign(e.Along, e.Along*t.Linear)
	return max(0, min(1, (limits.LagStop-lag)/(limits.LagStop-limits.LagFrom)))
}

// watchSettling tracks how the robot closes in on a reference that stands. Once the robot
// is there, or has tried for limits.SettleTime, it stands until the reference moves: noise
// of the estimate must not turn the wheels.
func (p *Player) watchSettling(stands bool, e robot.Deviation, measured robot.Twist, dt float64) {
	if !stands {
		p.settled, p.settle = false, 0
		return
	}
	p.settle += dt
	there := math.Abs(e.Along) < settledAlong && math.Abs(e.Turn) < settledTurn && math.Abs(measured.Linear) < 0.02 && math.Abs(measured.Angular) < 0.03
	if there || p.settle > limits.SettleTime {
		p.settled = true
	}
}

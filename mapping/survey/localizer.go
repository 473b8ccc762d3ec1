package survey

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"mybot/mapping"
	"mybot/robot"
	"mybot/robot/scan"
)

const (
	maxWaiting    = 64              // key frames between the localizer and the mapper
	inFlight      = maxWaiting + 64 // key frames whose odometry is remembered: at least the waiting ones and the current one
	behindAfter   = 3 * time.Second // lag of the map at which the robot becomes slow,
	behindSpeed   = 0.2             // m/s
	blindDistance = 3.0             // m without a placed key frame, after which the position is UNSURE
	minView       = 170 * math.Pi / 180
)

// Variances of an estimate: at the newest key frame, and their growth per metre of
// odometry.
const (
	fixPlace      = 0.02 * 0.02 // m2
	fixTurn       = 0.01 * 0.01 // rad2
	placePerMetre = 0.03 * 0.03 // m2 a m2
	turnPerMetre  = 0.01 * 0.01 // rad2 a m2
)

// Lidar returns the index of the lidar that a robot maps with: the one with the
// widest view. The error is a sentence for people that says what the robot lacks.
func Lidar(desc robot.Description) (int, error) {
	best, widest := -1, 0.0
	for i, l := range desc.Lidars {
		if view := math.Abs(l.Step) * float64(l.Beams); view > widest {
			best, widest = i, view
		}
	}
	switch {
	case best < 0 && len(desc.Sonars) > 0:
		return 0, robot.Refusef("This robot has sonars only. They see too little to make a map: it takes a lidar that sees 180 degrees or more.")
	case best < 0:
		return 0, robot.Refusef("This robot has no lidar. A map takes one that sees 180 degrees or more.")
	case widest < minView:
		return 0, robot.Refusef("This robot's lidar sees %.0f degrees. A map takes one that sees 180 degrees or more.", robot.Degrees(widest))
	}
	return best, nil
}

// A keyFrame is a key frame on its way from the localizer to the mapper.
type keyFrame struct {
	number int // assigned by the localizer
	mapping.KeyFrame
}

// A fix is the mapper's pose of a key frame.
type fix struct {
	number int        // of the key frame
	pose   robot.Pose // of base_link there, in map
	unsure bool       // the scan does not fit well
}

// A charge is the pose at which the robot charges.
type charge struct {
	number   int        // of the newest key frame at that time
	sinceKey robot.Pose // motion since then
}

// A place is a pose of the robot that the localizer cannot know.
type place struct {
	pose     robot.Pose // of base_link, in map
	sinceKey robot.Pose // motion since the newest key frame
}

// A link is the state shared by a Survey and its Localizer. Any goroutine may use
// all of it.
type link struct {
	frames chan keyFrame
	fix    atomic.Pointer[fix]   // newest; nil = none yet
	place  atomic.Pointer[place] // to be adopted next; nil = none
	seen   atomic.Int64          // key frames that are placed, or will never be
	taking atomic.Bool           // scans become key frames
	full   atomic.Bool           // the channel was full
	behind atomic.Int64          // ns by which the map lags behind the robot

	charged atomic.Pointer[charge]      // where the robot last charged; nil = it did not
	compass atomic.Pointer[robot.Point] // sum of unit vectors of compass heading minus the yaw in map; nil = none yet
}

// A Localizer localizes the robot on the map in progress: at the newest key frame
// plus the travel of the wheels since then. Only the control loop's goroutine uses
// it.
type Localizer struct {
	*link
	drive    robot.Drivetrain
	lidar    int
	scanTime time.Duration // of a scan of that lidar

	odom      robot.Pose // base_link since the beginning, by the wheels
	sinceKey  robot.Pose // motion since the newest key frame
	sinceScan robot.Pose // motion since the newest scan of the lidar
	now       time.Time  // of the newest reading
	scanned   time.Time  // time of the newest scan of the lidar
	sent      int        // number of key frames sent
	odoms     [inFlight]robot.Pose
	times     [inFlight]time.Time

	placedAt   time.Time  // when the place in use was adopted; zero = none was
	taken      *fix       // the fix in use; nil = none yet
	mapFromOdo robot.Pose // according to that fix
	lidars     int        // number that judge the estimate
}

// newLocalizer returns the localizer of a robot at begin, in map, whose first key
// frame is number first.
func newLocalizer(desc robot.Description, lidar int, l *link, begin robot.Pose) *Localizer {
	return &Localizer{link: l, drive: desc.Drivetrain, lidar: lidar, scanTime: time.Duration(float64(time.Second) / desc.Lidars[lidar].Rate), mapFromOdo: begin}
}

// Update takes the next reading.
func (l *Localizer) Update(r robot.Reading) {
	step := robot.Pose{}
	if robot.Finite(r.Travel.Left, r.Travel.Right) {
		step = l.drive.Roll(step, r.Travel)
	}
	l.now = r.Time
	l.odom, l.sinceKey, l.sinceScan = l.odom.Compose(step), l.sinceKey.Compose(step), l.sinceScan.Compose(step)
	if p := l.place.Swap(nil); p != nil {
		l.mapFromOdo, l.sinceKey, l.taken, l.placedAt = p.pose.Compose(l.odom.Inverse()), p.sinceKey, l.fix.Load(), r.Time
	}
	if f := l.fix.Load(); f != nil && f != l.taken && f.number < l.sent && f.number >= l.sent-inFlight {
		l.taken = f
		l.mapFromOdo = f.pose.Compose(l.odoms[f.number%inFlight].Inverse())
		l.compareCompass(r.Heading)
	}
	stands := step == robot.Pose{} // contacts also hold for the first centimetres away from the dock
	if c := l.charged.Load(); r.Battery.Charging && stands && l.taking.Load() && l.sent > 0 && (c == nil || c.number != l.sent-1) {
		l.charged.Store(&charge{l.sent - 1, l.sinceKey})
	}
	l.behind.Store(int64(l.lag()))
}

// compareCompass compares the compass with the yaw of a key frame that has just
// been placed.
func (l *Localizer) compareCompass(heading float64) {
	if math.IsNaN(heading) || math.IsInf(heading, 0) {
		return
	}
	sin, cos := math.Sincos(heading - l.mapFromOdo.Compose(l.odom).Theta)
	sum := robot.Point{X: cos, Y: sin}
	if before := l.compass.Load(); before != nil {
		sum = sum.Add(*before)
	}
	l.compass.Store(&sum)
}

// lag returns how long the oldest key frame without a pose has been waiting.
func (l *Localizer) lag() time.Duration {
	next := int(l.seen.Load())
	if next >= l.sent || next < l.sent-inFlight {
		return 0
	}
	return max(0, l.now.Sub(l.times[next%inFlight]))
}

// ObserveScans takes the scans of that reading. A key frame goes to the mapper; if
// there is no room for it, the next one replaces it.
func (l *Localizer) ObserveScans(clouds []scan.Cloud) {
	for _, c := range clouds {
		if c.Lidar == l.lidar {
			l.observe(c)
		}
	}
}

func (l *Localizer) observe(c scan.Cloud) {
	if !l.placedAt.IsZero() && c.Last.Sub(l.placedAt) < l.scanTime {
		return // it began before the robot was put there
	}
	isKey := l.sent == 0 || mapping.IsKeyFrame(l.sinceKey, l.sinceScan)
	if !l.scanned.IsZero() && mapping.IsTooFast(l.sinceScan, c.Time.Sub(l.scanned).Seconds()) {
		l.sinceKey = l.sinceKey.Compose(l.sinceScan.Inverse()) // a jump of odometry is no motion
	}
	l.scanned, l.sinceScan = c.Time, robot.Pose{}
	if !isKey || !l.taking.Load() || l.place.Load() != nil { // a new place counts from the next reading
		return
	}
	select {
	case l.frames <- keyFrame{l.sent, mapping.KeyFrame{Motion: l.sinceKey, Cloud: c}}:
		l.odoms[l.sent%inFlight], l.times[l.sent%inFlight] = l.odom, l.now
		l.sent++
		l.sinceKey = robot.Pose{}
		l.lidars = 1
	default:
		l.full.Store(true)
	}
}

// Estimate returns the robot's pose on the map.
func (l *Localizer) Estimate() robot.Estimate {
	distance := l.odom.Point()
	unsure := false
	if l.taken != nil {
		distance = distance.Sub(l.odoms[l.taken.number%inFlight].Point())
		unsure = l.taken.unsure
	}
	d2 := distance.Norm() * distance.Norm()
	e := robot.Estimate{
		Pose:       l.mapFromOdo.Compose(l.odom),
		Covariance: robot.Covariance{XX: fixPlace + placePerMetre*d2, YY: fixPlace + placePerMetre*d2, TT: fixTurn + turnPerMetre*d2},
		Wheels:     true, Lidars: l.lidars,
	}
	if unsure || d2 > blindDistance*blindDistance {
		e.Trust = robot.TrustUnsure
	}
	return e
}

// SetPose does nothing: on a map in progress no person knows the pose better.
func (l *Localizer) SetPose(robot.Pose) {}

// SpeedLimit returns the speed at which the map can catch up with the robot.
func (l *Localizer) SpeedLimit() (speed float64, why string) {
	if l.lag() > behindAfter {
		return behindSpeed, fmt.Sprintf("The map is more than %.0f s behind the robot, so it drives slowly.", behindAfter.Seconds())
	}
	return math.Inf(1), ""
}

package session

import (
	"math"
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
	"mybot/session/protocol"
)

// motionPause is the pause in driving that ends a motion.
const motionPause = 3 * time.Second

// directInterval is the time between two points of a motion that is driven without
// a path, in s. In that time the robot moves much farther than the noise of its
// position.
const directInterval = 0.2

// minDrive is the length of the shortest drive that is stored, in m; a shorter one
// is a touch of a key.
const minDrive = 1.0

// A drive that begins farther than this from the end of the last one is a new
// motion.
const (
	newDriveDistance = 0.25 // m, more than a robot rolls after its last sample
	newDriveTurn     = math.Pi / 6
)

// A recorder turns manual drives into motions. It records the virtual robot's path,
// if there is one, or else the robot's own. The zero value has recorded nothing.
type recorder struct {
	lease, driveEpoch uint64 // of the recorded drive
	direct            bool
	motion            playout.Motion
	owner             string    // of the motion
	lastOwner         string    // owner of the motion that ended last
	start             float64   // s, virtual time of the first point
	endsAfter         time.Time // when it ends; zero = there is none
}

// A driver is the person who drives.
type driver struct{ name, owner string }

// addSample adds a path sample from the given time, and returns the motion that it
// ends, if any. by is the driver.
func (r *recorder) addSample(f robot.Follow, by driver, at time.Time) (over *playout.Motion) {
	if r.direct || f.Lease != r.lease || f.Hold != r.driveEpoch || r.hasJumped(f) {
		over = r.finishMotion()
	}
	for _, h := range f.Hist {
		r.addPoint(h, by, at)
	}
	r.addPoint(f, by, at)
	r.direct, r.lease, r.driveEpoch = false, f.Lease, f.Hold
	return over
}

// hasJumped reports whether a driver begins away from where the last drive ended,
// because something else moved the robot meanwhile.
func (r *recorder) hasJumped(f robot.Follow) bool {
	n := len(r.motion.Points)
	if n == 0 || !f.Want.IsZero() || !f.Twist.IsZero() {
		return false
	}
	off := r.motion.Points[n-1].Pose.Inverse().Compose(f.Pose)
	return off.Point().Norm() > newDriveDistance || math.Abs(off.Theta) > newDriveTurn
}

// addState adds a state of a robot that may be driven without a path, under the
// lease and drive epoch, and returns the motion that it ends, if any.
func (r *recorder) addState(s robot.State, lease, hold uint64, by driver) (over *playout.Motion) {
	if s.Play.Policy != string(playout.Direct) {
		return nil
	}
	if !r.direct || lease != r.lease || hold != r.driveEpoch {
		over = r.finishMotion()
	}
	f := robot.Follow{T: float64(s.Time.UnixMicro()) / 1e6, Pose: s.Estimate.Pose, Twist: s.Twist, Want: s.Drive.Asked}
	switch n := len(r.motion.Points); {
	case n == 0:
		f.Twist, f.Want = robot.Twist{}, robot.Twist{} // the motion was about to begin
	case f.T-r.start < r.motion.Points[n-1].T+directInterval-0.001:
		return over
	}
	r.addPoint(f, by, s.Time)
	r.direct, r.lease, r.driveEpoch = true, lease, hold
	return over
}

// addPoint adds one point to the motion. Of the points before any motion only the
// last one remains.
func (r *recorder) addPoint(f robot.Follow, by driver, at time.Time) {
	stands := f.Want.IsZero() && f.Twist.IsZero()
	if n := len(r.motion.Points); n == 0 || n == 1 && stands {
		if !stands {
			return // the sample that begins the motion was lost
		}
		r.motion = playout.Motion{Name: by.name + "'s drive", Made: at.UTC()}
		r.owner = by.owner
		r.start = f.T
	} else if f.T-r.start > longestMotion.Seconds() {
		return // the motion is full; the rest of the drive is not recorded
	}
	f.Pose.X, f.Pose.Y, f.Pose.Theta = roundForFile(f.Pose.X), roundForFile(f.Pose.Y), roundForFile(f.Pose.Theta)
	f.Twist.Linear, f.Twist.Angular = roundForFile(f.Twist.Linear), roundForFile(f.Twist.Angular)
	f.Want.Linear, f.Want.Angular = roundForFile(f.Want.Linear), roundForFile(f.Want.Angular)
	f.T = r.start + math.Round((f.T-r.start)*1e6)/1e6
	r.endsAfter = at.Add(motionPause)
	r.motion.Add(r.start, f)
}

// roundForFile drops digits that a file does not need.
func roundForFile(x float64) float64 { return math.Round(x*1e5) / 1e5 }

// finishMotion ends the motion and returns it; nil if it is too short to be stored.
func (r *recorder) finishMotion() *playout.Motion {
	m := r.motion
	*r = recorder{lastOwner: r.owner}
	if m.Length() < minDrive || CheckMotion(m) != "" {
		return nil
	}
	return &m
}

// endsAt returns when the motion ends; false = there is none.
func (r *recorder) endsAt() (at time.Time, ok bool) { return r.endsAfter, !r.endsAfter.IsZero() }

// driveName names a drive after the rooms that it leads through. It is "" if the
// rooms at its ends have no names, or names that are too long.
func driveName(plan *robot.Floorplan, points []playout.Waypoint) string {
	from, to := plan.RoomAt(points[0].Pose.Point()), plan.RoomAt(points[len(points)-1].Pose.Point())
	if from == "" || to == "" {
		return ""
	}
	name := from + " to " + to
	if from == to {
		name = "In " + from
		if slices.ContainsFunc(points, func(w playout.Waypoint) bool {
			return !slices.Contains([]string{"", from}, plan.RoomAt(w.Pose.Point()))
		}) {
			name = from + " and back"
		}
	}
	if len([]rune(name)) > protocol.MaxPlaceName {
		return ""
	}
	return name
}

package session

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// motionPause is how long nobody drives before a motion is over: presses that
// follow each other sooner are one.
const motionPause = 3 * time.Second

// directEach is the time between two points of a motion that is driven
// directly: the noise of the position is small beside the way.
const directEach = 0.2 // s, but for what a clock is not exact

// A drive that begins this far from the end of the one before is another one.
const (
	anew         = 0.25 // m, more than a robot rolls on
	newDriveTurn = math.Pi / 6
)

// A recorder makes motions of what people drive by hand. Of a virtual robot it
// keeps the path, and otherwise the robot's own. Its zero value has heard
// nothing.
type recorder struct {
	lease, driveEpoch uint64 // of what it records
	direct            bool
	motion            playout.Motion
	start             float64   // s, virtual time of the first point
	endsAfter         time.Time // when it is over; zero = there is none
}

// addSample takes a sample of a path that was taken at the time at, and returns
// the motion that it ends, if any. by is who drives.
func (r *recorder) addSample(f robot.Follow, by string, at time.Time) (over *playout.Motion) {
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

// hasJumped tells whether a hand begins anew where its last drive does not end:
// something else has moved the robot meanwhile.
func (r *recorder) hasJumped(f robot.Follow) bool {
	n := len(r.motion.Points)
	if n == 0 || !f.Want.IsZero() || !f.Twist.IsZero() {
		return false
	}
	off := r.motion.Points[n-1].Pose.Inverse().Compose(f.Pose)
	return off.Point().Norm() > anew || math.Abs(off.Theta) > newDriveTurn
}

// addState looks at a state of a robot that somebody may drive directly, under the
// numbers, and returns the motion that it ends, if any.
func (r *recorder) addState(s robot.State, lease, hold uint64, by string) (over *playout.Motion) {
	if s.Play.Policy != direct {
		return nil
	}
	if !r.direct || lease != r.lease || hold != r.driveEpoch {
		over = r.finishMotion()
	}
	f := robot.Follow{T: float64(s.Time.UnixMicro()) / 1e6, Pose: s.Estimate.Pose, Twist: s.Twist, Want: s.Drive.Asked}
	switch n := len(r.motion.Points); {
	case n == 0:
		f.Twist, f.Want = robot.Twist{}, robot.Twist{} // it was about to begin
	case f.T-r.start < r.motion.Points[n-1].T+directEach-0.001:
		return over
	}
	r.addPoint(f, by, s.Time)
	r.direct, r.lease, r.driveEpoch = true, lease, hold
	return over
}

// addPoint puts one point to the motion. Of those before anything moves only the
// last one is kept.
func (r *recorder) addPoint(f robot.Follow, by string, at time.Time) {
	stands := f.Want.IsZero() && f.Twist.IsZero()
	if n := len(r.motion.Points); n == 0 || n == 1 && stands {
		if !stands {
			return // what begins it was lost
		}
		r.motion = playout.Motion{Name: by + "'s drive", Made: at.UTC()}
		r.start = f.T
	} else if f.T-r.start > LongestMotion.Seconds() {
		return // it is full; what comes now is driven and not kept
	}
	f.Pose.X, f.Pose.Y, f.Pose.Theta = roundForFile(f.Pose.X), roundForFile(f.Pose.Y), roundForFile(f.Pose.Theta)
	f.Twist.Linear, f.Twist.Angular = roundForFile(f.Twist.Linear), roundForFile(f.Twist.Angular)
	f.Want.Linear, f.Want.Angular = roundForFile(f.Want.Linear), roundForFile(f.Want.Angular)
	f.T = r.start + math.Round((f.T-r.start)*1e6)/1e6
	r.endsAfter = at.Add(motionPause)
	r.motion.Add(r.start, f)
}

// roundForFile rounds what a file need not tell.
func roundForFile(x float64) float64 { return math.Round(x*1e5) / 1e5 }

// finishMotion ends the motion and returns it; nil when nothing moved.
func (r *recorder) finishMotion() *playout.Motion {
	m := r.motion
	*r = recorder{}
	if CheckMotion(m) != "" {
		return nil
	}
	return &m
}

// endsAt returns when the motion is over; false = there is none.
func (r *recorder) endsAt() (at time.Time, ok bool) { return r.endsAfter, !r.endsAfter.IsZero() }

package onboard

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/guard"
	"mybot/robot/limits"
	"mybot/robot/obstacle"
	"mybot/robot/scan"
)

// smoothing is the time constant of the measured twist, in s: the steps of an
// encoder are coarse over a single reading.
const smoothing = 0.05

// lostReason is the answer to a goal or a job while the position is lost.
const lostReason = "Position unknown. Drive to a corridor or set the position."

// lostGoal is why a goal is paused that continues when the position is known again.
const lostGoal = "Position unknown. The robot continues by itself when its position is known again. Set the position, or drive to a corridor and resume."

// situation is what is known of the robot now. Core writes it at every reading;
// the sources read it.
type situation struct {
	desc      robot.Description
	guard     *guard.Guard
	obstacles *obstacle.Layer  // nil = the robot has no lidar
	reach     float64          // m from base_link to the farthest corner of the hull
	stop      *robot.StopState // nil = not stopped; never written to after it is set
	link      *robot.BaseLink  // nil = the base is at the end of no line; never written to after it is set
	lent      robot.Lend       // the parts that are lent
	lacks     []string         // parts with range sensors that are out of reach; not written to

	reading    robot.Reading // the newest; Ranges and Scans are not kept
	clouds     []scan.Cloud  // of its scans, in base_link
	rays       []robot.Ray   // of those clouds
	scanFaults []scan.Fault  // of its scans that are not used
	echoes     echoes        // of its lidars, for people
	lidars     lidarHealth   // likewise
	seenAt     time.Time     // when a sonar or a lidar measured last
	scannedAt  time.Time     // when a scan came last
	heard      bool          // there is a reading
	estimate   robot.Estimate
	leapt      bool         // the estimate jumped with the newest reading
	fault      string       // what is wrong with the newest reading; "" = nothing
	measured   robot.Twist  // at M, smoothed
	given      robot.Twist  // at M, what the wheels were told last
	slowedBy   string       // why the robot is slower than it was asked to be, as long as the localizer needs that; "" = it is not
	held       *robot.Point // in map: what the guard held the robot for in the last tick, on the way to a goal

	noteReply func(robot.Reply) // nil = nobody observes
	plans     int               // that were asked for since the command or reading that is being taken
}

// reply shows what another part answered the core.
func (s *situation) reply(r robot.Reply) {
	if s.noteReply != nil {
		s.noteReply(r)
	}
}

// stopReason says who stopped the robot.
func (s *situation) stopReason() string {
	if s.stop.By == "" {
		return "The robot is stopped."
	}
	return fmt.Sprintf("The robot is stopped by %s.", s.stop.By)
}

// refuseMotion says why the robot takes no command to move now; the empty word =
// it does.
func (s *situation) refuseMotion(now time.Time) robot.Result {
	if s.stop != nil {
		return robot.Result{Word: robot.Panic, Reason: s.stopReason() + " Release the stop first."}
	}
	if no := s.refuseWithoutReadings(now); no.Word != "" {
		return no
	}
	if s.reading.Refuses != "" {
		return robot.Result{Word: robot.NA, Reason: s.reading.Refuses}
	}
	return robot.Result{}
}

// refuseWithoutReadings says why nothing is known of the base now; the empty word =
// it is.
func (s *situation) refuseWithoutReadings(now time.Time) robot.Result {
	switch silent := now.Sub(s.reading.Time); {
	case !s.heard && s.isLinkLost():
		return failedResult("The base is not there yet: %s", s.link.Why)
	case !s.heard:
		return busyResult("The robot is starting.")
	case s.fault != "":
		return robot.Result{Word: robot.Error, Reason: s.fault}
	case silent > limits.ReadingGap:
		return s.refuseInSilence(silent)
	}
	return robot.Result{}
}

// refuseInSilence says that the base has reported nothing for a time.
func (s *situation) refuseInSilence(silent time.Duration) robot.Result {
	if s.isLinkLost() {
		return failedResult("Nothing from the base for %.1f s: %s", silent.Seconds(), s.link.Why)
	}
	return failedResult("The base has reported nothing for %.1f s. The robot stays put until it does.", silent.Seconds())
}

// isLinkLost reports whether the line to the base is not up, and says why.
func (s *situation) isLinkLost() bool { return s.link != nil && !s.link.Up && s.link.Why != "" }

// unsafeReason says what keeps the robot from going anywhere by itself; "" =
// nothing.
func (s *situation) unsafeReason() string {
	switch {
	case s.fault != "":
		return s.fault
	case s.reading.Refuses != "":
		return s.reading.Refuses
	case s.estimate.Trust == robot.TrustLost:
		return lostReason
	}
	return ""
}

// judgeReading returns what is wrong with a reading that came dt seconds after the one
// before it; "" = nothing.
func (s *situation) judgeReading(r robot.Reading, dt float64) string {
	travel := math.Max(math.Abs(r.Travel.Left), math.Abs(r.Travel.Right))
	switch {
	case !robot.Finite(r.Travel.Left, r.Travel.Right):
		return "The base reports a wheel travel that is not a number; the robot has stopped."
	case math.IsInf(r.Heading, 0):
		return "The compass reports a heading that is not a number; the robot has stopped."
	case len(r.Ranges) != len(s.desc.Sonars):
		return fmt.Sprintf("The base reports %d sonar ranges, but the robot has %d sonars; the robot has stopped.", len(r.Ranges), len(s.desc.Sonars))
	case r.Joints != nil && len(r.Joints) != len(s.desc.Joints):
		return fmt.Sprintf("The base reports the positions of %d joints, but the robot has %d joints; the robot has stopped.", len(r.Joints), len(s.desc.Joints))
	case travel > s.desc.MaxTravel(dt):
		return fmt.Sprintf("The base reports a wheel travel of %.2f m in %.0f ms, more than its motors can do; the robot has stopped.", travel, 1000*dt)
	}
	return ""
}

// measureTwist takes how far the wheels rolled in dt seconds into the measured twist.
func (s *situation) measureTwist(travel robot.Wheels, dt float64) {
	now := s.desc.Drivetrain.Twist(robot.Wheels{Left: travel.Left / dt, Right: travel.Right / dt})
	f := 1 - math.Exp(-dt/smoothing)
	s.measured.Linear += f * (now.Linear - s.measured.Linear)
	s.measured.Angular += f * (now.Angular - s.measured.Angular)
}

// driveOrder is the last velocity that was commanded, by a driver or from the
// queue, and what became of it apart from the guard. Teleop and queue write it.
type driveOrder struct {
	asked  robot.Twist // at M
	answer robot.Result
}

// judgeLimits returns the answer to a velocity command that the limits clamp.
func judgeLimits(t robot.Twist, safe robot.Limit) robot.Result {
	v, w := math.Abs(t.Linear), math.Abs(t.Angular)
	switch {
	case v <= safe.Linear && w <= safe.Angular:
		return robot.Result{Word: robot.Success}
	case v*safe.Angular >= w*safe.Linear:
		return robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("%.2f m/s was asked for, %.2f m/s is the safe limit.", v, safe.Linear)}
	default:
		return robot.Result{Word: robot.Modified, Reason: fmt.Sprintf("%.0f deg/s was asked for, %.0f deg/s is the safe limit.",
			robot.Degrees(w), robot.Degrees(safe.Angular))}
	}
}

func failedResult(format string, args ...any) robot.Result {
	return robot.Result{Word: robot.Error, Reason: fmt.Sprintf(format, args...)}
}

func busyResult(reason string) robot.Result { return robot.Result{Word: robot.Busy, Reason: reason} }

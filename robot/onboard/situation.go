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

// smoothing is the time constant of the measured twist, in s: encoder steps are coarse over
// a single reading.
const smoothing = 0.05

// standstill is the measured twist, in m/s and rad/s, below which that of a robot whose wheels
// do not roll becomes zero. Smoothing alone never gets there.
const standstill = 1e-6

// lostReason is the answer to a goal or a job while the position is lost.
const lostReason = "Position unknown. Drive to a corridor or set the position."

// lostGoal is the reason of a goal that is paused until the position is known again, and
// then resumes by itself.
const lostGoal = "Position unknown. The robot continues by itself when its position is known again. Set the position, or drive to a corridor and resume."

// situation is what the core knows about the robot now. Core writes it at every reading;
// the sources read it.
type situation struct {
	desc      robot.Description
	guard     *guard.Guard
	obstacles *obstacle.Layer
	reach     float64          // m from base_link to the farthest corner of the hull
	stop      *robot.StopState // nil = not stopped; read-only once set
	link      *robot.BaseLink  // nil = the driver does not report its connection to the base; read-only once set
	lent      robot.Lend       // the parts that are lent
	lacks     []string         // parts with range sensors that are out of reach; read-only

	reading    robot.Reading // the newest, without Ranges and Scans
	clouds     []scan.Cloud  // from its scans, in base_link
	rays       []robot.Ray   // from those clouds, in base_link
	scanFaults []scan.Fault  // of its unusable scans
	echoes     echoes        // of the lidars, for people
	lidars     lidarHealth   // likewise
	sonars     sonarHealth
	nearest    robot.Nearest // object around the hull
	seenAt     time.Time     // when a sonar or lidar last measured something
	aheadAt    time.Time     // when one that looks ahead last did there
	scannedAt  time.Time     // when the last usable scan arrived
	heard      bool          // a reading has arrived
	estimate   robot.Estimate
	leapt      bool         // the estimate jumped with the newest reading
	fault      string       // the fault of the newest reading; "" = none
	measured   robot.Twist  // at M, smoothed
	given      robot.Twist  // at M, the last twist from Tick
	stalled    float64      // s for which the wheels have been told to turn since they last did
	slowedBy   string       // why limitMotion made the last request slower; "" = it did not
	held       *robot.Point // in map: the obstacle for which the guard limited the navigator in the last tick; nil = none

	noteReply func(robot.Reply) // nil = no observer
	plans     int               // number of plans requested during the current command or reading
}

// reply shows another component's answer to the observer.
func (s *situation) reply(r robot.Reply) {
	if s.noteReply != nil {
		s.noteReply(r)
	}
}

// stopReason returns a sentence about who stopped the robot.
func (s *situation) stopReason() string {
	if s.stop.By == "" {
		return "The robot is stopped."
	}
	return fmt.Sprintf("The robot is stopped by %s.", s.stop.By)
}

// refuseMotion returns why the robot cannot move now; the empty word = it can.
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

// refuseProgram returns why no job and no script can move the robot now; the empty word =
// they can.
func (s *situation) refuseProgram(now time.Time) robot.Result {
	if no := s.refuseMotion(now); no.Word != "" {
		return no
	}
	if s.estimate.Trust == robot.TrustLost {
		return failedResult(lostReason)
	}
	return robot.Result{}
}

// refuseWithoutReadings returns why the state of the base is unknown now; the empty word =
// it is known.
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

// refuseInSilence returns the answer when the base has reported nothing for a time.
func (s *situation) refuseInSilence(silent time.Duration) robot.Result {
	if s.isLinkLost() {
		return failedResult("Nothing from the base for %.1f s: %s", silent.Seconds(), s.link.Why)
	}
	return failedResult("The base has reported nothing for %.1f s. The robot stays put until it does.", silent.Seconds())
}

// isLinkLost reports whether the connection to the base is down for a known reason.
func (s *situation) isLinkLost() bool { return s.link != nil && !s.link.Up && s.link.Why != "" }

// unsafeReason returns why the robot cannot drive autonomously now; "" = it can.
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

// judgeReading returns the fault of a reading; "" = none. dt is the time since the last
// reading, in s.
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

// measureTwist updates the measured twist by the wheel travel during dt seconds.
func (s *situation) measureTwist(travel robot.Wheels, dt float64) {
	switch {
	case travel != (robot.Wheels{}):
		s.stalled = 0
	case !s.given.IsStill():
		s.stalled += dt
	}
	now := s.desc.Drivetrain.Twist(robot.Wheels{Left: travel.Left / dt, Right: travel.Right / dt})
	f := 1 - math.Exp(-dt/smoothing)
	s.measured.Linear += f * (now.Linear - s.measured.Linear)
	s.measured.Angular += f * (now.Angular - s.measured.Angular)
	if now.IsZero() && math.Abs(s.measured.Linear) < standstill && math.Abs(s.measured.Angular) < standstill {
		s.measured = robot.Twist{}
	}
}

// driveOrder is the last commanded velocity, from a driver or the queue, and its answer
// without the guard. Teleop and queue write it; Core writes a fault or a refusal.
type driveOrder struct {
	asked  robot.Twist // at M
	answer robot.Result
}

// forgetFault forgets a fault, or a refusal of the base, that is over.
func (o *driveOrder) forgetFault() {
	if o.answer.Word == robot.Error || o.answer.Word == robot.NA {
		o.answer = robot.Result{Word: robot.Success}
	}
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

package session

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
	"mybot/session/protocol"
)

// Motions stores recorded drives: session/motions. Any goroutine may call it; all
// methods but List wait for the disk. Errors are sentences for users.
type Motions interface {
	List() []KeptMotion // newest first; read-only
	Add(m playout.Motion, owner string) (n uint64, err error)
	Get(n uint64) (playout.Motion, error)
	Rename(n uint64, was, name string) error // was: the present name; empty: any
	Delete(n uint64) error
}

// A KeptMotion describes a stored motion.
type KeptMotion struct {
	N        uint64 // counts from 1 and is never reused
	Name     string
	Made     time.Time  // when it began
	Length   float64    // m
	Duration float64    // s
	Start    robot.Pose // of base_link in map
	Owner    string     // as Owner returns it; "" = not known
}

// longestMotion is the longest duration of a motion.
const longestMotion = 10 * time.Minute

// CheckMotion says, in a sentence, why a motion cannot be stored; "" = it can.
func CheckMotion(m playout.Motion) string {
	switch d := m.Duration(); {
	case !protocol.IsLine(m.Name, protocol.MaxPlaceName) || robot.Blank(m.Name):
		return fmt.Sprintf("The motion's name is %q; it should be one line of 1 to %d letters.", protocol.Clip(m.Name), protocol.MaxPlaceName)
	case d > longestMotion.Seconds():
		return fmt.Sprintf("The motion lasts %.6g s; it should last at most %.0f s.", d, longestMotion.Seconds())
	case m.Length() < minLength && totalTurn(m) < minTurn:
		return "Nothing moves in this motion."
	}
	return ""
}

// A motion below both is too short to be stored.
const (
	minLength = 0.05 // m
	minTurn   = 0.1  // rad
)

// totalTurn returns the sum of all turns in a motion, in rad.
func totalTurn(m playout.Motion) float64 {
	sum := 0.0
	for i := 1; i < len(m.Points); i++ {
		sum += math.Abs(robot.WrapAngle(m.Points[i].Pose.Theta - m.Points[i-1].Pose.Theta))
	}
	return sum
}

// MotionsOf returns the wire form of the motions.
func MotionsOf(stored []KeptMotion) []protocol.MotionEntry {
	all := make([]protocol.MotionEntry, len(stored))
	for i, k := range stored {
		all[i] = protocol.MotionEntry{
			N: k.N, Name: k.Name, At: protocol.Moment(k.Made), Length: protocol.Number(k.Length), Duration: protocol.Number(k.Duration), Start: protocol.PoseOf(k.Start),
		}
	}
	return all
}

package onboard

import (
	"math"
	"time"

	"mybot/robot"
	"mybot/robot/behavior"
	"mybot/robot/guard"
	"mybot/robot/limits"
	"mybot/robot/obstacle"
)

// wary is the obstacle layer as a robot without a lidar uses it: sonars do not hear walls and
// posts that slant away, and the map is not exact.
type wary struct{ *obstacle.Layer }

// Clearance returns the distance from a point in map to the nearest standing obstacle, less
// UnheardMargin, in m.
func (w wary) Clearance(p robot.Point) float64 { return w.Layer.Clearance(p) - limits.UnheardMargin }

// lookForRoom adds to the facts whether the robot can drive to a place where it can turn,
// if it may soon have to free itself. It drives there backward only where a lidar sees or a
// sonar listens.
func (l *localDrive) lookForRoom(f *behavior.Facts, axle robot.Pose) {
	state := l.machine.State()
	if state == behavior.Free {
		f.IsFree = l.isFree(f.Now, axle)
		return
	}
	if state != behavior.Follow && state != behavior.Replan || !f.Held && !l.machine.IsVain() {
		l.soughtAt = time.Time{}
		return
	}
	if since := f.Now.Sub(l.soughtAt); since < 0 || since >= limits.AsideSeek {
		l.soughtAt = f.Now
		l.findRoom(axle)
	}
	f.RoomBack, f.RoomAhead = len(l.back.points) > 0, len(l.ahead.points) > 0
}

// findRoom finds the places behind and ahead where the robot can turn.
func (l *localDrive) findRoom(axle robot.Pose) {
	l.back.points, l.ahead.points = l.back.points[:0], l.ahead.points[:0]
	if l.hasLidar {
		l.ahead.points = l.ahead.control.FindRoom(axle, l.layer, l.layer.People(), l.mayBegin, l.ahead.points)
	}
	if l.seesBack() {
		l.back.points = l.back.control.FindRoom(axle, l.known, l.layer.People(), l.mayBegin, l.back.points)
	}
}

// seesBack reports whether the lidars measure in all directions behind the robot. A robot
// without lidars may have a sonar there.
func (l *localDrive) seesBack() bool {
	if l.hasLidar {
		return l.guard.SeesByLidar(robot.Twist{Linear: -1})
	}
	off, half := l.guard.NearestSonar(robot.Point{X: 2 * l.rear})
	return math.Abs(off) <= half
}

// mayBegin reports whether the guard lets a standing robot begin a slow motion.
func (l *localDrive) mayBegin(t robot.Twist) bool {
	out, _ := l.guard.Limit(t, t, robot.Twist{}, guard.Approach{Stop: l.near, Autonomous: true})
	return math.Abs(out.Linear) >= math.Abs(t.Linear)/2
}

// mayTurn reports whether the guard lets a standing robot turn on the spot to a side: 1
// left, -1 right.
func (l *localDrive) mayTurn(side float64) bool {
	t := robot.Twist{Angular: side * limits.FreeTurnSpeed}
	out, _ := l.guard.Limit(t, t, robot.Twist{}, guard.Approach{Stop: l.near, Autonomous: true})
	return math.Abs(out.Angular) >= limits.FreeTurnSpeed/2
}

// canTurn reports whether there is room to turn on the spot. mapped is the clearance on the
// map at the axle: without a lidar that and the guard decide, because an echo may come from
// anywhere in the width of its beam.
func (l *localDrive) canTurn(axle robot.Pose, mapped float64) bool {
	if !l.hasLidar {
		return mapped > l.reach+limits.UnheardMargin && (l.mayTurn(1) || l.mayTurn(-1))
	}
	return l.layer.Clearance(axle.Point()) > l.reach+limits.FreeRoom
}

// mapNoise is by how much the distance from a straight wall may differ along it, in m.
const mapNoise = 0.002

// hullStep is the distance between the points of the hull at which a turn is checked, in m.
const hullStep = 0.05

// hasRoom reports whether each corner of the hull, and the middle of each side, keeps
// UnheardMargin, or UnheardAhead, from everything that the robot knows, or gets no nearer, if
// it moves straight ahead by a distance, in m; less than 0 = backward.
func (l *localDrive) hasRoom(axle robot.Pose, ahead float64) bool {
	margin := limits.UnheardMargin
	if ahead > 0 {
		margin = limits.UnheardAhead
	}
	keeps := func(h robot.Point) bool {
		then := l.layer.Clearance(axle.Apply(robot.Point{X: h.X + ahead, Y: h.Y}))
		return then >= margin || then >= l.layer.Clearance(axle.Apply(h))-mapNoise
	}
	for i, h := range l.hull {
		next := l.hull[(i+1)%len(l.hull)]
		if !keeps(h) || !keeps(robot.Point{X: (h.X + next.X) / 2, Y: (h.Y + next.Y) / 2}) {
			return false
		}
	}
	return true
}

// turnsIntoMap reports whether a turn on the spot at a rate w, in rad/s, soon leads the hull
// into something on the map. The guard, which knows no map, does not see what is where no
// sensor looks, nor a tabletop above the plane of a lidar. The motors brake by acceleration,
// in rad/s2; mapped returns the clearance on the map.
func (l *localDrive) turnsIntoMap(axle robot.Pose, w, acceleration float64, mapped func(robot.Point) float64) bool {
	then := axle.Compose(robot.Pose{Theta: w * (limits.SensingLatency + math.Abs(w)/(2*limits.BrakingShare*acceleration))})
	for i, h := range l.hull {
		side := l.hull[(i+1)%len(l.hull)].Sub(h)
		parts := math.Ceil(side.Norm() / hullStep)
		for k := range int(parts) {
			q := robot.Point{X: h.X + side.X*float64(k)/parts, Y: h.Y + side.Y*float64(k)/parts}
			room := mapped(then.Apply(q))
			if room < limits.PointMargin && room < mapped(axle.Apply(q))-mapNoise {
				return true
			}
		}
	}
	return false
}

// stands reports whether a robot that should move to get free has stood for
// limits.FreeStand, because the guard lets it go no further.
func (l *localDrive) stands(now time.Time, axle robot.Pose) bool {
	off := l.movedTo.Inverse().Compose(axle)
	if off.Point().Norm() > limits.FreeMoved || math.Abs(off.Theta) > limits.FreeTurned {
		l.movedTo, l.movedAt = axle, now
	}
	return now.Sub(l.movedAt) >= limits.FreeStand
}

// isFree reports whether a motion to get free is over.
func (l *localDrive) isFree(now time.Time, axle robot.Pose) bool {
	took := now.Sub(l.freeAt)
	switch {
	case l.stands(now, axle):
		return true
	case l.order.Move == behavior.Back && len(l.back.points) > 0:
		return l.back.over
	case l.order.Move == behavior.Ahead && len(l.ahead.points) > 0:
		return l.ahead.over
	case l.order.Move == behavior.Turn:
		return took >= limits.FreeTurnFor
	}
	if took < limits.FreeBackFor {
		return false
	}
	needsMore := l.layer.Clearance(axle.Point()) <= l.reach+limits.FreeRoom && (l.order.Move == behavior.Ahead || l.seesBack())
	return !needsMore || took >= 2*limits.FreeBackFor
}

// beginFree begins a motion to get free.
func (l *localDrive) beginFree(now time.Time, axle robot.Pose) {
	l.freeAt, l.movedAt, l.movedTo = now, now, axle
	l.findRoom(axle) // the robot may have moved since the last search
	l.back.begin(now)
	l.ahead.begin(now)
	l.chooseSide(axle)
}

// chooseSide chooses the direction in which the robot turns to free itself: the side with
// more room ahead.
func (l *localDrive) chooseSide(axle robot.Pose) {
	l.side = 1
	if !l.hasLidar && !l.mayTurn(1) {
		l.side = -1
		return
	}
	if l.layer.Clearance(axle.Apply(robot.Point{X: l.reach, Y: -2 * l.reach})) > l.layer.Clearance(axle.Apply(robot.Point{X: l.reach, Y: 2 * l.reach})) {
		l.side = -1
	}
}

// moveStraight returns a slow motion straight ahead, or backward if side is -1; a robot without
// a lidar stands before it comes too near to anything that it knows.
func (l *localDrive) moveStraight(axle robot.Pose, side float64) robot.Twist {
	if !l.hasLidar && !l.hasRoom(axle, side*limits.UnheardMargin) {
		return robot.Twist{}
	}
	return robot.Twist{Linear: side * limits.BackOffSpeed}
}

// Package sim is the built-in robot: a mobile base in a floor plan, with the errors
// of a real one. Wheels slip and differ in size, encoders count whole ticks, the
// compass is disturbed in places, sonars have wide beams and miss slanted surfaces,
// lidars rotate while the robot moves and see through glass, people walk around,
// the battery drains.
//
// World is pure and runs in virtual time: each Step is one reading, and the same
// seed with the same calls gives the same readings. One goroutine owns it. Driver
// runs a World in real time and is the robot.Driver of a server.
//
// The truth leaves the package only by Truth, for experiments, and in the pictures
// of the camera (Driver.Next), which are drawn from the floor plan, the things and
// the people. Everything else sees the world through readings alone.
package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"mybot/robot"
)

// Options select one run of a world.
type Options struct {
	Seed      uint64     // of every random number; the same seed gives the same run
	Start     robot.Pose // of base_link in map; the zero pose = the scene's start
	Epoch     time.Time  // time of the world before its first Step
	Deviation Deviation  // of the robot from its description
	Ideal     bool       // error-free wheels, compass, sonars and lidars; encoders still count whole ticks
}

// World is the robot, the floor that it drives on, and what moves there.
type World struct {
	watch  func(at time.Time, speed robot.Twist) // nil = no observer
	desc   robot.Description
	plan   *robot.Floorplan
	scene  Scene
	things []Thing // in the order of their IDs
	lastID int
	closed []bool        // by door
	solids *solids       // made by rebuildSolids
	hull   []robot.Point // in base_link
	reach  float64       // m from C to the farthest point of the hull

	tick   int64
	time   time.Time
	period time.Duration

	command robot.Twist   // at M, within the hardware limits
	age     time.Duration // of the command
	ok      bool
	tapped  bool // the OK switch was pressed since the last reading

	base    base
	compass compass
	sonars  sonars
	lidars  lidars
	walkers []walker
	head    head
	joints  joints
	battery battery
}

// Every part has a random stream of its own, so that one part never affects what
// another one draws.
const (
	wheelStream = iota + 1
	compassStream
	sonarStream
	peopleStream
	deviationStream
	lidarStream
	legStream
)

// NewWorld returns the robot of desc, with the options' deviation, at its start in
// the plan, with the contents of the scene. The plan is not changed; nil is an
// infinite empty floor.
func NewWorld(desc robot.Description, plan *robot.Floorplan, scene Scene, o Options) *World {
	if plan == nil {
		plan = &robot.Floorplan{}
	}
	if o.Ideal { // a deviation, if any, still applies
		scene = scene.withoutErrors()
	}
	start := o.Start
	if start == (robot.Pose{}) {
		start = scene.Start
	}
	on := senses{sonars: slices.Clone(desc.Sonars), lidars: slices.Clone(desc.Lidars)}
	stream := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(o.Seed, n)) }
	if apply := o.Deviation.apply; apply != nil {
		apply(&on, &scene, stream(deviationStream))
	}
	w := &World{
		desc:    desc,
		plan:    plan,
		scene:   scene,
		things:  scene.sceneThings(),
		closed:  make([]bool, len(plan.Doors)),
		hull:    bodyOutline(desc.Body),
		time:    o.Epoch,
		period:  time.Duration(float64(time.Second) / desc.Rate),
		age:     desc.Holds,
		base:    base{pose: start, rng: stream(wheelStream)},
		compass: compass{rng: stream(compassStream)},
		sonars:  newSonars(desc, on.sonars, scene.Sonar, stream(sonarStream)),
		lidars:  newLidars(on, stream(lidarStream)),
		walkers: newWalkers(scene.People, stream(peopleStream), stream(legStream)),
		joints:  restingJoints(desc.Joints),
		battery: battery{charge: 1 - scene.Drained},
	}
	if desc.Head != nil {
		w.head = restingHead(desc.Head)
	}
	w.lastID = len(w.things)
	w.rebuildSolids()
	for _, p := range w.hull {
		w.reach = max(w.reach, p.Norm())
	}
	w.fireAll()
	return w
}

// Describe returns the description of the robot.
func (w *World) Describe() robot.Description { return w.desc }

// Drive requests a twist at M, clamped to the hardware limits, for
// Description.Holds. A twist that is not finite is refused and brakes.
func (w *World) Drive(t robot.Twist) error {
	w.age = 0
	if !t.IsFinite() {
		w.command = robot.Twist{}
		return fmt.Errorf("sim: a twist of %v m/s and %v rad/s is not finite; the robot brakes", t.Linear, t.Angular)
	}
	w.command = w.desc.Hardware.Clamp(t)
	return nil
}

// PressOK presses or releases the OK switch. The next reading reports a press even
// if it ended before.
func (w *World) PressOK(pressed bool) {
	w.ok = pressed && w.desc.OKSwitch
	w.tapped = w.tapped || w.ok
}

// WatchSpeed calls see after each step with the robot's true speed. Call it before
// the first step.
func (w *World) WatchSpeed(see func(at time.Time, speed robot.Twist)) { w.watch = see }

// Step advances the world by one period, 1/Description.Rate, and returns what the
// base sensed. The reading shares no memory with the world.
func (w *World) Step() robot.Reading {
	dt := w.period.Seconds()
	w.tick++
	w.time = w.time.Add(w.period)

	want := w.command
	if w.age >= w.desc.Holds || w.battery.charge <= 0 {
		want = robot.Twist{}
	}
	w.age += w.period

	from := w.base.pose
	travel := w.rollWheels(want, dt)
	w.walkPeople(dt)
	w.turnHead(dt)
	w.joints.move(w.desc.Joints, dt)
	w.drainBattery(dt)
	w.fireSonars()
	if w.watch != nil {
		w.watch(w.time, w.Truth().Twist)
	}
	return robot.Reading{
		Time:    w.time,
		Travel:  travel,
		Heading: w.compassHeading(),
		Ranges:  append([]float64(nil), w.sonars.ranges...),
		Scans:   w.sweepLidars(from),
		Bump:    w.base.touching && w.desc.Bumper,
		OK:      w.takeOK(),
		Head:    w.head.at,
		Joints:  slices.Clone(w.joints.at),
		Battery: w.battery.reading,
	}
}

// takeOK reports whether the OK switch was down at any time since the last reading.
func (w *World) takeOK() bool {
	down := w.ok || w.tapped
	w.tapped = false
	return down
}

// skipTime advances the clock by d while nothing happens.
func (w *World) skipTime(d time.Duration) { w.time = w.time.Add(d) }

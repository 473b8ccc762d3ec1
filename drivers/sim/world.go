// Package sim is the built-in robot: a mobile base in a floor plan, with the
// errors of a real one. Wheels slip and differ in size, encoders count whole
// ticks, the compass is disturbed in places, sonars have a beam and miss what
// they meet at a slant, lidars turn while the robot moves and look through
// glass, people walk about, the battery drains.
//
// World is pure and lives in virtual time: each Step is one reading, and the
// same seed with the same calls gives the same readings. One goroutine owns
// it. Driver runs a World at the pace of the clock and is the robot.Driver
// that a server uses.
//
// What is true leaves the package only by Truth, for experiments, and as the
// pictures of the camera (Driver.Next), which are drawn from the floor plan and
// from what stands and walks there. Everything else learns of the world by
// readings alone.
package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"mybot/robot"
)

// Options choose one run of a world.
type Options struct {
	Seed      uint64     // of every random number; the same seed gives the same run
	Start     robot.Pose // of base_link in map; the zero pose = where the scene starts
	Epoch     time.Time  // time of the world before its first Step
	Deviation Deviation  // of the robot from its description
	Ideal     bool       // wheels, compass, sonars and lidars without error; encoders still count whole ticks
}

// World is the robot, the floor it drives on and what moves there.
type World struct {
	watch  func(at time.Time, speed robot.Twist) // nil = nobody
	desc   robot.Description
	plan   *robot.Floorplan
	scene  Scene
	things []Thing // in the order of their IDs
	lastID int
	closed []bool        // by door
	solids *solids       // as settle made them
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

// Every part draws from a stream of its own, so that what one part does never
// changes what another one meets.
const (
	wheelStream = iota + 1
	compassStream
	sonarStream
	peopleStream
	deviationStream
	lidarStream
	legStream
)

// NewWorld returns the robot of desc, deviating from it as the options say, at
// its start in the plan, with what the scene adds to it. The plan is not changed; nil is an empty floor without end.
func NewWorld(desc robot.Description, plan *robot.Floorplan, scene Scene, o Options) *World {
	if plan == nil {
		plan = &robot.Floorplan{}
	}
	if o.Ideal { // a deviation, if any, comes on top
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

// Describe tells the geometry and the limits of the robot.
func (w *World) Describe() robot.Description { return w.desc }

// Drive asks for a twist at M, clamped to the hardware limits. It counts until
// Description.Holds has passed. One that is not finite is refused and brakes.
func (w *World) Drive(t robot.Twist) error {
	w.age = 0
	if !t.IsFinite() {
		w.command = robot.Twist{}
		return fmt.Errorf("sim: a twist of %v m/s and %v rad/s is not finite; the robot brakes", t.Linear, t.Angular)
	}
	w.command = w.desc.Hardware.Clamp(t)
	return nil
}

// PressOK presses the OK switch or lets it go. The next reading tells of a press
// even when it ended before.
func (w *World) PressOK(pressed bool) {
	w.ok = pressed && w.desc.OKSwitch
	w.tapped = w.tapped || w.ok
}

// WatchSpeed has see told after each step how fast the robot is in truth. It is
// called before the first step.
func (w *World) WatchSpeed(see func(at time.Time, speed robot.Twist)) { w.watch = see }

// Step lets one period of 1/Description.Rate pass and returns what the base
// felt in it. The reading shares nothing with the world.
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

// skipTime lets the clock jump by d while nothing happens.
func (w *World) skipTime(d time.Duration) { w.time = w.time.Add(d) }

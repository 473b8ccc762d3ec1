package app

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mybot/localization"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/session"
	"mybot/session/protocol"
)

// A floorInUse is a floor plan with what belongs to it. It is immutable.
type floorInUse struct {
	plan     *robot.Floorplan
	dir      string // where users' changes are saved; "" = they are not
	building bool   // its frame is that of the simulated building
}

// floors changes the floor plan in use while the robot runs: planner, localizer,
// map store, and what users see. Any goroutine may call its methods.
type floors struct {
	desc     robot.Description
	cfg      Config
	odometry *odometryMemory
	loop     *onboard.Loop
	planner  *PlanWorker
	maps     *mapStore
	hub      *session.Hub
	log      *slog.Logger
	record   func(*robot.Floorplan) // announces the next floor of the control loop
	forget   func()                 // makes jobs that were prepared on the floor in use not begin

	changing sync.Mutex                 // serializes changes
	now      atomic.Pointer[floorInUse] // never nil
	mapping  atomic.Bool                // mapping is in progress, so poses do not belong to a permanent floor
	prepares chan preparation           // the newest
}

// A preparation creates what the localizer of a floor needs.
type preparation struct {
	plan *robot.Floorplan
	loc  *locator
}

func newFloors(desc robot.Description, cfg Config, odometry *odometryMemory, loop *onboard.Loop, planner *PlanWorker, maps *mapStore, record func(*robot.Floorplan), forget func(), log *slog.Logger) *floors {
	f := &floors{desc: desc, cfg: cfg, odometry: odometry, loop: loop, planner: planner, maps: maps, record: record, forget: forget, log: log, prepares: make(chan preparation, 1)}
	f.now.Store(&floorInUse{plan: cfg.Plan, dir: cfg.MapDir, building: cfg.World != nil})
	return f
}

// run prepares localizers one at a time until ctx ends. It abandons one whose
// floor is no longer in use.
func (f *floors) run(ctx context.Context, cache localization.Cache) {
	var last sync.WaitGroup
	defer last.Wait()
	cancel := func() {}
	defer func() { cancel() }()
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-f.prepares:
			cancel()
			last.Wait()
			within, end := context.WithCancel(ctx)
			cancel = end
			cfg := f.cfg
			cfg.Plan = p.plan
			last.Go(func() { p.loc.prepareMonteCarlo(within, f.desc, cfg, cache, f.log) })
		}
	}
}

// prepareLocalizer queues the preparation of a floor's localizer.
func (f *floors) prepareLocalizer(plan *robot.Floorplan, loc *locator) {
	select {
	case <-f.prepares: // it was for the previous floor
	default:
	}
	f.prepares <- preparation{plan, loc}
}

// changeFloor takes another floor into use. newFromOld is the frame of the current floor
// in that of the new one; doubted says that newFromOld may be wrong. The robot must
// stand; the error is a sentence for people.
func (f *floors) changeFloor(ctx context.Context, next floorInUse, newFromOld robot.Pose, doubted bool) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	var loc *locator
	f.record(next.plan)
	f.forget()
	err := f.useFloor(ctx, onboard.Floor{
		Planner: f.planner.NewPlanner(next.plan, f.desc),
		Localize: func(was robot.Estimate) onboard.Localizer {
			cfg := f.cfg
			cfg.Plan, cfg.Start = next.plan, newFromOld.Compose(was.Pose)
			loc = newLocator(f.desc, cfg, nil, f.odometry)
			loc.doubted = (doubted || was.Trust != robot.TrustOK) && hasFloor(next.plan)
			loc.certain = !loc.doubted
			return loc
		},
	})
	if err != nil {
		f.record(f.now.Load().plan)
		return err
	}
	f.mapping.Store(false)
	f.showFloor(next)
	f.forget()
	f.prepareLocalizer(next.plan, loc)
	return nil
}

// beginMapping replaces the floor in use by a map in progress. localize returns the
// localizer in the frame of that map, given the estimate on the current floor.
func (f *floors) beginMapping(ctx context.Context, noPaths string, localize func(was robot.Estimate) onboard.Localizer) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	f.forget()
	if err := f.useFloor(ctx, onboard.Floor{NoPaths: noPaths, Localize: localize}); err != nil {
		return err
	}
	f.mapping.Store(true)
	if hasFloor(f.maps.Plan()) {
		f.storeFloor(floorInUse{plan: &robot.Floorplan{Name: noMapName}})
		f.hub.LeaveFloor(noMapName)
	}
	f.forget()
	return nil
}

// noMapName is the name of a floor without a map.
const noMapName = "no map"

// useFloor makes the control loop change to another floor. Where the loop refuses, it asks
// again for mapTimeout at most: a base that reports nothing, as happens for a moment on a
// busy computer, and a robot that still brakes are often ready by then. The error is the
// loop's last reason, also if the time is over while it is asked.
func (f *floors) useFloor(ctx context.Context, next onboard.Floor) error {
	const retry = 50 * time.Millisecond
	within, cancel := context.WithTimeout(ctx, mapTimeout)
	defer cancel()
	var refused error
	for {
		r := f.loop.UseFloor(within, next)
		switch {
		case r.Word == robot.Success:
			return nil
		case r.Word == robot.Interrupted && refused != nil:
			return refused
		case r.Word != robot.Error:
			return robot.Refusal(r)
		}
		refused = robot.Refusal(r)
		select {
		case <-within.Done():
			return refused
		case <-time.After(retry):
		}
	}
}

// showFloor makes the rest of the server use the floor that the control loop uses.
func (f *floors) showFloor(next floorInUse) {
	f.storeFloor(next)
	f.hub.UseFloor(next.plan.Name, hasFloor(next.plan))
}

// storeFloor is showFloor without informing the users.
func (f *floors) storeFloor(next floorInUse) {
	f.now.Store(&next)
	f.maps.change(next.plan, next.dir)
}

// inUse returns the floor in use, with the changes saved since.
func (f *floors) inUse() floorInUse {
	now := *f.now.Load()
	now.plan = f.maps.Plan()
	return now
}

// poseFloor returns what floorOf says of the floor whose poses are saved; "" = none.
func (f *floors) poseFloor() string {
	if plan := f.maps.Plan(); hasFloor(plan) && !f.mapping.Load() {
		return floorOf(plan)
	}
	return ""
}

// floorWorld is the simulated world. Users can change it only on the map of the
// simulated building, because in any other frame the positions of things are
// unknown.
type floorWorld struct {
	world  session.World
	floors *floors
}

// Change changes the world.
func (w floorWorld) Change(c protocol.WorldChange) robot.Result {
	switch c.(type) {
	case protocol.PressOK, protocol.RemoveThing:
	default:
		if !w.floors.now.Load().building {
			return robot.Result{Word: robot.NA, Reason: "The simulated world can be changed only on the map of its own building."}
		}
	}
	return w.world.Change(c)
}

// World returns what the world holds beside the floor plan; nothing if its frame is
// unknown.
func (w floorWorld) World() session.WorldState {
	if !w.floors.now.Load().building {
		return session.WorldState{}
	}
	return w.world.World()
}

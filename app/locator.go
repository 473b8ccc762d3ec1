package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"mybot/localization"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/robot/scan"
)

// A Localizer is the name of a localization method; "" is MCL.
type Localizer string

// The localizers, as in docs/localization.md.
const (
	MCL      Localizer = "mcl"
	Odometry Localizer = "odometry"
	SeedSum  Localizer = "seed-sum"
	SeedMean Localizer = "seed-mean"
)

// ParseLocalizer parses the name of a localizer.
func ParseLocalizer(name string) (Localizer, error) {
	switch l := Localizer(name); l {
	case MCL, Odometry, SeedSum, SeedMean:
		return l, nil
	}
	return "", fmt.Errorf("it must be %s", strings.Join([]string{string(MCL), string(Odometry), string(SeedSum), string(SeedMean)}, ", "))
}

// A locator is the localizer of a running robot. Monte Carlo localization needs a
// table of the floor, which takes a while to compute: until then the locator uses
// odometry, and then MCL continues from its pose. Only the loop's goroutine uses
// it; prepareMonteCarlo runs beside it.
type locator struct {
	now      onboard.Localizer
	odometry *odometryMemory
	better   atomic.Pointer[localization.MCL] // ready to take over
	doubted  bool                             // the initial pose may be outdated
	certain  bool                             // the robot is certainly at the initial pose
	compass  float64                          // rad, compass heading minus the yaw in map, on this floor
}

// newLocator returns the locator of a robot that starts at start, in map, or at the
// saved pose old; nil = none. It begins with what odometry remembers, and adds to it.
func newLocator(desc robot.Description, cfg Config, old *robot.Pose, odometry *odometryMemory) *locator {
	l := &locator{odometry: odometry, doubted: old != nil, compass: cfg.Plan.Compass}
	start := cfg.Start
	if old != nil {
		start = *old
	}
	if cfg.Locate != nil {
		return &locator{odometry: odometry, now: cfg.Locate}
	}
	switch cfg.Localizer {
	case SeedSum:
		l.now = localization.NewSeed(desc, cfg.Plan, start, localization.KSum)
	case SeedMean:
		l.now = localization.NewSeed(desc, cfg.Plan, start, localization.KMean)
	default:
		l.now = localization.NewOdometry(desc, start)
	}
	return l
}

// prepareMonteCarlo computes what Monte Carlo localization needs and hands it to
// the loop, unless another localizer is configured or ctx ends first. If it fails,
// odometry remains.
func (l *locator) prepareMonteCarlo(ctx context.Context, desc robot.Description, cfg Config, cache localization.Cache, log *slog.Logger) {
	if cfg.Locate != nil || cfg.Localizer != "" && cfg.Localizer != MCL {
		return
	}
	const alone = "the position comes from the wheels and the compass alone"
	if len(cfg.Plan.Grid.Cells) == 0 {
		log.Info(alone, "why", "there is no map")
		return
	}
	begin := time.Now()
	table, err := localization.NewTable(ctx, cfg.Plan, desc, cache)
	switch {
	case errors.Is(err, context.Canceled):
		return
	case err != nil:
		log.Warn(alone, "why", err)
		return
	}
	l.better.Store(localization.NewMCL(desc, table, cfg.Start, cfg.Seed))
	log.Info("the floor is ready for localization", "took", time.Since(begin).Round(time.Millisecond))
}

// Update takes the next reading.
func (l *locator) Update(r robot.Reading) {
	if m := l.better.Swap(nil); m != nil {
		if l.certain {
			m.Continue(l.now.Estimate())
		} else {
			m.Begin(l.now.Estimate())
		}
		if l.doubted {
			m.Doubt()
			l.doubted = false // from now on MCL reports doubt itself
		}
		if e, ok := l.odometry.get(); ok {
			m.UseOdometryErrors(e)
		}
		l.now = m
	}
	if o, ok := l.now.(*localization.Odometry); ok { // the other localizers know the floor
		r.Heading = robot.WrapAngle(r.Heading - l.compass)
		o.Update(r)
		return
	}
	l.now.Update(r)
	if m, ok := l.now.(*localization.MCL); ok {
		if e, ok := m.OdometryErrors(); ok {
			l.odometry.set(e)
		}
	}
}

// ObserveScans takes the scans of that reading; without MCL it ignores them.
func (l *locator) ObserveScans(clouds []scan.Cloud) {
	if m, ok := l.now.(*localization.MCL); ok {
		m.ObserveScans(clouds)
	}
}

// Estimate returns the estimated pose.
func (l *locator) Estimate() robot.Estimate {
	e := l.now.Estimate()
	if l.doubted && e.Trust == robot.TrustOK {
		e.Trust = robot.TrustUnsure
	}
	return e
}

// SetPose sets the pose that a person has given.
func (l *locator) SetPose(p robot.Pose) {
	l.doubted, l.certain = false, false
	l.now.SetPose(p)
}

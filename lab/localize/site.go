package localize

import (
	"context"
	"fmt"
	"time"

	"mybot/drivers/sim"
	"mybot/lab/mapping"
	"mybot/robot"
)

// A site is the building of one seed's runs, and the map of it that the localizers have.
type site struct {
	*bench
	building     *robot.Floorplan
	actual       robot.Description // the robot, with the true poses of its lidars
	knownFromMap robot.Pose        // from the building's map to the localizers' map
}

// siteOf returns the site of a seed. With --made a robot makes the map first.
func (k *comparison) siteOf(ctx context.Context, seed uint64) (*site, error) {
	s := &site{bench: &k.bench, building: k.plan, actual: k.desc}
	if !k.flags.made {
		return s, nil
	}
	from, err := mapping.NewSite(k.desc, k.plan)
	if err != nil {
		return nil, fmt.Errorf("--made: %w", err)
	}
	made, err := from.Make(ctx, mapping.Usual, seed)
	if err != nil {
		return nil, err
	}
	b := k.bench
	b.plan, b.table = made.Plan, nil
	s.bench, s.knownFromMap, s.actual.Lidars = &b, made.MadeFromMap, made.Lidars
	return s, nil
}

// record drives a robot through the building. True poses are in the localizers' map.
func (s *site) record(ctx context.Context, world sim.Deviation, scenario string, seed uint64, lasts time.Duration) ([]frame, error) {
	frames, err := recordDriveOf(ctx, s.desc, s.actual, s.building, world, scenario, seed, lasts)
	for i := range frames {
		frames[i].truth = s.knownFromMap.Compose(frames[i].truth)
	}
	return frames, err
}

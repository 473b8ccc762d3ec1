package experiment

import (
	"cmp"
	"flag"
	"fmt"
	"strings"

	"mybot/drivers/sim"
)

// Flags are the flags of an experiment, including the limits of their values.
type Flags struct {
	*flag.FlagSet
	limits []func() string // each returns what is wrong with a value; "" = nothing
}

// Int declares a whole number from low to high. The limits replace {} in the usage, or follow it
// if there is no {}.
func (f *Flags) Int(p *int, name string, value, low, high int, usage string) {
	f.IntVar(p, name, value, withLimits(usage, low, high))
	declareNumber(f, name, p, low, high)
}

// Uint declares an unsigned whole number, as Int does.
func (f *Flags) Uint(p *uint64, name string, value, low, high uint64, usage string) {
	f.Uint64Var(p, name, value, withLimits(usage, low, high))
	declareNumber(f, name, p, low, high)
}

// Float declares a number as Int does.
func (f *Flags) Float(p *float64, name string, value, low, high float64, usage string) {
	f.Float64Var(p, name, value, withLimits(usage, low, high))
	declareNumber(f, name, p, low, high)
}

func withLimits[T any](usage string, low, high T) string {
	if !strings.Contains(usage, "{}") {
		usage += ", {}"
	}
	return strings.Replace(usage, "{}", fmt.Sprintf("%v to %v", low, high), 1)
}

func declareNumber[T cmp.Ordered](f *Flags, name string, p *T, low, high T) {
	f.limits = append(f.limits, func() string {
		if *p >= low && *p <= high { // false for NaN
			return ""
		}
		return fmt.Sprintf("--%s is %v; it must be from %v to %v", name, *p, low, high)
	})
}

// Seeds are the seeds of an experiment.
type Seeds struct{ First, Count uint64 }

// Seeds declares --seed and --seeds. count is the default number of seeds, maxCount the largest.
func (f *Flags) Seeds(s *Seeds, count, maxCount uint64) {
	f.Uint64Var(&s.First, "seed", 1, "the first `seed`")
	f.Uint(&s.Count, "seeds", count, 1, maxCount, "`how many` seeds")
}

// All returns the seeds.
func (s Seeds) All() []uint64 {
	all := make([]uint64, s.Count)
	for i := range all {
		all[i] = s.First + uint64(i)
	}
	return all
}

// World declares --world: how the simulated robot differs from its description.
func (f *Flags) World(world *sim.Deviation) {
	f.Func("world", "`how` the simulated robot differs from its description: nominal (the default), hears-less, hears-more, other-beam, other-ring, cross-talk, dropouts, wheels, compass, worst, or of its lidars: lidar-shifted, lidar-crooked, lidar-turned, lidar-reversed, lidar-mirrored, lidar-silent, lidar-frozen, lidar-nan, lidar-short, lidar-millimetres or lidar-clock-back", func(s string) (err error) {
		*world, err = sim.ParseDeviation(s)
		return err
	})
}

package scripts

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"mybot/lab/internal/testbed"
	"mybot/script"
)

// measureCosts returns how much longer a tick is with 100 rules that wait, in us, and how
// long 10,000 steps take, in ms: the medians of five measurements.
func measureCosts(f *testOffice) (tick, steps float64, err error) {
	var rules strings.Builder
	for i := range 100 {
		fmt.Fprintf(&rules, "rule%d: at (near.val < 0.%02d ~ 300ms) echo %d,\n", i, i%20, i)
	}
	waiting, faults := script.Parse(rules.String())
	endless, more := script.Parse("loop { loopn (100000) { n = 1 + 1 } },")
	if faults = append(faults, more...); len(faults) > 0 {
		return 0, 0, fmt.Errorf("lab: a program that is measured has a fault: %w", faults[0])
	}
	tick = medianOf(func() float64 { return f.timeTick(waiting) - f.timeTick(nil) })
	m := script.New(script.Config{})
	if err := m.Start(0, "endless", endless, false); err != nil {
		return 0, 0, fmt.Errorf("lab: %w", err)
	}
	now := script.Time(0)
	steps = medianOf(func() float64 {
		const ticks = 100
		began := testbed.ThreadTime()
		for range ticks {
			now += script.Milliseconds(20)
			m.Tick(now)
		}
		return (testbed.ThreadTime() - began).Seconds() * 1000 / ticks
	})
	return tick, steps, nil
}

// timeTick returns the duration of a tick with a program, in us; nil = without.
func (f *testOffice) timeTick(p *script.Program) float64 {
	t := f.newTrial(1)
	if p != nil {
		t.start("rules", p, false)
	}
	t.pass(time.Second)
	r := t.world.Step()
	const ticks = 2000
	began := testbed.ThreadTime()
	for range ticks {
		r.Time = r.Time.Add(20 * time.Millisecond)
		t.core.Tick(r)
	}
	return (testbed.ThreadTime() - began).Seconds() * 1e6 / ticks
}

// measureSpeed returns how much faster than the clock a program runs with its robot.
func (f *testOffice) measureSpeed() float64 {
	patrol, _ := script.Parse("loop { forward(1) | turn(180) }, every (3s) { look(30, 0) | look(-30, 0) },")
	return medianOf(func() float64 {
		t := f.newTrial(1)
		t.start("patrol", patrol, false)
		const lasts = time.Minute
		began := testbed.ThreadTime()
		t.pass(lasts)
		return lasts.Seconds() / (testbed.ThreadTime() - began).Seconds()
	})
}

// medianOf returns the median of five measurements of processor time.
func medianOf(measure func() float64) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := make([]float64, 5)
	for i := range all {
		all[i] = measure()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

package mapping

import (
	"io"
	"math"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/robot"
)

func TestADelayLastsFromWhenAReadingIsDueUntilTheBaseHasItsCommand(t *testing.T) {
	s := siteOf(t, "office")
	synctest.Test(t, func(t *testing.T) {
		d := &timedDriver{Driver: sim.NewDriver(sim.NewWorld(s.Desc, s.Plan, sim.DefaultScene(), sim.Options{Seed: 1}))}
		for _, wait := range []time.Duration{0, 7 * time.Millisecond} {
			if _, err := d.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(wait)
			for range 2 { // the second answers no reading
				if err := d.Drive(robot.Twist{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 2 { // the reader gets the next reading before the previous one is answered
			if _, err := d.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Drive(robot.Twist{}); err != nil {
			t.Fatal(err)
		}
		delays, ticks := d.take()
		if want := []float64{0, 7, 20}; !slices.Equal(delays, want) || !slices.Equal(ticks, want) {
			t.Errorf("delays %v, ticks %v ms; want %v", delays, ticks, want)
		}
		if delays, _ := d.take(); len(delays) != 0 {
			t.Errorf("returned twice: %v", delays)
		}
	})
}

func TestARoundLeadsOverLanesAwayAndBack(t *testing.T) {
	for _, name := range []string{"office", "clinic", "depot"} {
		s := siteOf(t, name)
		round, way := s.drawRound(roundWay), 0.0
		for i := 1; i < len(round); i++ {
			a, b := slices.Index(s.Roads.At, round[i-1]), slices.Index(s.Roads.At, round[i])
			if !slices.Contains(s.Roads.Next(a), b) {
				t.Errorf("%s: no lane from %v to %v", name, round[i-1], round[i])
			}
			way += round[i].Sub(round[i-1]).Norm()
		}
		if round[0] != round[len(round)-1] || way > 2*roundWay || way < roundWay {
			t.Errorf("%s: %.1f m from %v to %v", name, way, round[0], round[len(round)-1])
		}
	}
}

func TestSoakTheLoopIsMeasuredWithoutAndWithMapping(t *testing.T) {
	if os.Getenv("MYBOT_LONG") == "" {
		t.Skip("MYBOT_LONG is not set")
	}
	o, err := siteOf(t, "office").measureLoop(t.Context(), io.Discard, 1, 6)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Rounds) != 2 || o.Rounds[0].Mapping || !o.Rounds[1].Mapping || o.Rounds[0].KeyFrames != 0 || o.Rounds[1].KeyFrames < 10 {
		t.Fatalf("%+v", o)
	}
	for _, r := range o.Rounds {
		if math.Abs(float64(r.Readings)-50*r.Seconds) > 10*r.Seconds || r.Median <= 0 || r.P99 < r.Median || r.Most < r.P99 {
			t.Errorf("%+v", r)
		}
	}
	if o.More != o.On-o.Off || o.Off <= 0 || o.TickOff <= 0 {
		t.Errorf("%+v", o)
	}
}

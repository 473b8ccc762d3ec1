package behavior

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mybot/robot"
	"mybot/robot/limits"
	"mybot/robot/robottest"
)

// places are where the robots of the transcript stand: as far from the first one as the
// limits of the table, and a little farther.
var places = [...]float64{0, 0, 0, limits.FreeAway, limits.AsideBack, limits.FreeOnce, limits.FreeOnce + 0.25, limits.AsideOnce, limits.AsideOnce + 0.25}

// changeFacts draws new facts for a while. Most robots among people and things are in some
// trouble for seconds, not for a moment.
func changeFacts(rng *rand.Rand, f *Facts) {
	flag := func(share float64) bool { return rng.Float64() < share }
	f.Path, f.Gains, f.Turning, f.Held, f.HeldAhead = flag(0.93), flag(0.45), flag(0.15), flag(0.1), flag(0.2)
	f.Blocked, f.TryElsewhere = flag(0.1), flag(0.3)
	f.Somebody, f.Comes, f.Narrow = flag(0.25), flag(0.5), flag(0.5)
	f.Ahead = f.Comes // which matters in other states
	f.PersonWaits, f.Obstructs, f.CanStandAside, f.IsAside = flag(0.3), flag(0.1), flag(0.6), flag(0.2)
	f.IsFree, f.CanTurn, f.CanBack, f.CanAhead = flag(0.3), flag(0.5), flag(0.5), flag(0.5)
	f.RoomBack, f.RoomAhead = flag(0.3), flag(0.3)
	f.Way, f.NoWay, f.Open = flag(0.3), flag(0.4), flag(0.05)
	f.Longer = []float64{-1, 0, limits.DetourLength, limits.DetourLength + 4, limits.DetourLength + 30}[rng.IntN(5)]
	f.Reason = []string{"", "", "A door is closed."}[rng.IntN(3)]
	if flag(0.3) {
		f.At = robot.Point{X: places[rng.IntN(len(places))]}
	}
	if flag(0.25) {
		f.Left -= limits.Nearer
	}
	if flag(0.02) {
		f.Left = 40
	}
}

// What the machine does for robots whose facts change every few seconds, a line for each
// order that differs from the one before: when, how often it looked for a way until then, what
// the order is, and the number of its sentence in the list at the end.
func TestTheMachineDecidesAsInItsTranscript(t *testing.T) {
	var b strings.Builder
	sentences := []string{""}
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 16)) //nolint:gosec // the same facts each time
		f := Facts{Now: epoch, Path: true, Gains: true, Left: 40}
		m := New(safe)
		m.Start(epoch)
		fmt.Fprintf(&b, "robot %d\n", seed)
		last, looks := "", 0
		for range 25 {
			changeFacts(rng, &f)
			for range []int{25, 50, 150, 400}[rng.IntN(4)] {
				f.Now = f.Now.Add(tick)
				o := m.Step(f)
				if o.Look {
					looks++
				}
				if o.Take {
					f.Way = false
				}
				n := slices.Index(sentences, o.Sentence)
				if n < 0 {
					n, sentences = len(sentences), append(sentences, o.Sentence)
				}
				now := fmt.Sprint(o.State, " ", [...]string{"stand", "drive", "turn", "back", "ahead", "aside"}[o.Move], " ", n,
					mark(o.Take, "take"), mark(o.Waits, "waits"), mark(m.IsVain(), "vain"), mark(m.Waiting().IsZero(), "nearer"))
				if now != last {
					fmt.Fprintf(&b, "%.2f %d %s\n", f.Now.Sub(epoch).Seconds(), looks, now)
					last, looks = now, 0
				}
			}
		}
	}
	for n, s := range sentences[1:] {
		fmt.Fprintf(&b, "%d %s\n", n+1, s)
	}
	robottest.Golden(t, "testdata/transcript.txt", b.String())
}

func mark(on bool, text string) string {
	if on {
		return " " + text
	}
	return ""
}

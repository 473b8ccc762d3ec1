package scripts

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomProgram returns a program of a few random commands. Most of them move the robot in
// some way; tags are those of randomTag.
func randomProgram(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("n = 0; every (500ms) { n++ | echo n },\n")
	for range 1 + rng.IntN(4) {
		fmt.Fprintf(&b, "%s: %s%s\n", randomTag(rng), randomStatement(rng, 3), []string{",", ";"}[rng.IntN(2)])
	}
	return b.String()
}

func randomTag(rng *rand.Rand) string { return []string{"a", "b", "c", "a.part"}[rng.IntN(4)] }

// randomStatement returns a statement with controls nested at most so deep.
func randomStatement(rng *rand.Rand, depth int) string {
	inner := func() string { return randomStatement(rng, depth-1) }
	if depth == 0 {
		return randomMotion(rng)
	}
	switch rng.IntN(14) {
	case 0:
		return fmt.Sprintf("loop { %s }", inner())
	case 1:
		return fmt.Sprintf("loopn (%d) { %s }", 1+rng.IntN(5), inner())
	case 2:
		return fmt.Sprintf("every (%dms) { %s }", 200+rng.IntN(3000), inner())
	case 3:
		return fmt.Sprintf("at (n %% %d == 0) { %s } onleave { %s }", 2+rng.IntN(5), inner(), inner())
	case 4:
		return fmt.Sprintf("whenever (near.val > %.1f ~ %dms) { %s }", rng.Float64()*2, 100+rng.IntN(900), inner())
	case 5:
		return fmt.Sprintf("timeout (%dms) { %s }", 100+rng.IntN(5000), inner())
	case 6:
		return fmt.Sprintf("stopif (n > %d) { %s }", rng.IntN(20), inner())
	case 7:
		return fmt.Sprintf("freezeif (n %% 4 > 1) { %s }", inner())
	case 8:
		return fmt.Sprintf("{ %s & %s }", inner(), inner())
	case 9, 10:
		return fmt.Sprintf("{ %s | %s }", inner(), inner())
	case 11:
		return fmt.Sprintf("{ wait(%dms) | %s }", rng.IntN(2000), inner())
	case 12:
		return fmt.Sprintf("{ blend[%s] %s.val | %s }", []string{"mix", "add", "queue", "discard", "cancel"}[rng.IntN(5)], []string{"drive", "turn", "headPan"}[rng.IntN(3)], inner())
	}
	return randomMotion(rng)
}

// randomMotion returns a command that takes some time, mostly one that moves the robot.
func randomMotion(rng *rand.Rand) string {
	x := 2*rng.Float64() - 1
	device := []string{"drive", "turn", "wheelL", "wheelR", "headPan", "headTilt"}[rng.IntN(6)]
	scale := map[string]float64{"drive": 1.5, "turn": 120, "wheelL": 400, "wheelR": 400, "headPan": 80, "headTilt": 30}[device]
	switch rng.IntN(12) {
	case 0:
		return fmt.Sprintf("forward(%.2f)", x)
	case 1:
		return fmt.Sprintf("turn(%.0fdeg)", 90*x)
	case 2:
		return fmt.Sprintf("look(%.0f, %.0f)", 60*x, 20*x)
	case 3:
		return fmt.Sprintf("goto(%.1f, %.1f)", 4+8*rng.Float64(), 7.3)
	case 4:
		return []string{`goto("Sofa")`, "dock()", `goto("Moon")`, `say("Hello.")`, `show("Hello.", 500)`, "say(3)"}[rng.IntN(6)]
	case 5:
		return fmt.Sprintf("%s.val = inf speed:%.2f", device, scale*(0.05+rng.Float64())/4)
	case 6:
		return fmt.Sprintf("%s.val = %s.val sin:%dms ampli:%.2f", device, device, 1000+rng.IntN(3000), scale*rng.Float64()/3)
	case 7:
		return fmt.Sprintf("%s.val = %s.val + %.2f", device, device, scale*x/5)
	case 8:
		return fmt.Sprintf("%s.val = %s.val + %.2f smooth:%d", device, device, scale*x, 500+rng.IntN(4000))
	default:
		return fmt.Sprintf("%s.val = %s.val + %.2f speed:%.2f", device, device, scale*x, scale*(0.05+rng.Float64())/3)
	}
}

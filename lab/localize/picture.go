package localize

import (
	"fmt"
	"html"
	"strings"

	"mybot/lab/internal/drawing"
	"mybot/lab/internal/testbed"
	"mybot/robot"
	"mybot/robot/floorplan"
)

// pictured is a run with the estimates of the methods.
type pictured struct {
	truth  []robot.Pose
	names  []string
	tracks [][]robot.Pose
}

func (p *pictured) addTrack(name string, frames []frame, r localizeRun) {
	if p.truth == nil {
		for _, f := range frames {
			p.truth = append(p.truth, f.truth)
		}
	}
	p.names = append(p.names, name)
	p.tracks = append(p.tracks, r.estimates)
}

// drawPicture writes the plan with the true path and the estimated ones.
func (p *pictured) drawPicture(name string, plan *robot.Floorplan) error {
	var b strings.Builder
	if err := floorplan.SVG(&b, plan); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	picture := strings.TrimSuffix(strings.TrimSpace(b.String()), "</svg>")
	b.Reset()
	b.WriteString(picture)
	track := func(poses []robot.Pose, colour string, width float64) {
		fmt.Fprintf(&b, `<path fill="none" stroke="%s" stroke-width="%g" stroke-linejoin="round" d="`, colour, width)
		word := "M"
		for i := 0; i < len(poses); i += logEvery {
			fmt.Fprintf(&b, "%s%.2f %.2f", word, poses[i].X, -poses[i].Y)
			word = "L"
			if i+logEvery < len(poses) && poses[i].Point().Sub(poses[i+logEvery].Point()).Norm() > 1 {
				word = "M"
			}
		}
		fmt.Fprintln(&b, `"/>`)
	}
	track(p.truth, "#111111", 0.12)
	low, high := floorplan.Bounds(plan)
	for i, t := range p.tracks {
		track(t, testbed.LocalizerColour(p.names[i]), 0.05)
	}
	for i, name := range append([]string{"truth"}, p.names...) {
		colour := "#111111"
		if i > 0 {
			colour = testbed.LocalizerColour(name)
		}
		fmt.Fprintf(&b, `<text x="%.2f" y="%.2f" font-size="0.4" fill="%s">%s</text>`+"\n", low.X+2.5*float64(i), -high.Y-0.1, colour, html.EscapeString(name))
	}
	b.WriteString("</svg>\n")
	return drawing.WriteText(name, b.String())
}

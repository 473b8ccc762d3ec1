package floorplan

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"mybot/robot"
)

// SVG writes the plan as a stand-alone picture, dark on light, for a browser without
// scripts. One unit is one metre.
func SVG(w io.Writer, plan *robot.Floorplan) error {
	out := &strings.Builder{}
	low, high := Bounds(plan)
	const margin = 0.5
	width, height := high.X-low.X+2*margin, high.Y-low.Y+2*margin
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%s %s %s %s" role="img" font-family="sans-serif">`+"\n",
		formatMillimetres(low.X-margin), formatMillimetres(-high.Y-margin), formatMillimetres(width), formatMillimetres(height))
	fmt.Fprintf(out, "<title>%s</title>\n", escapeXML(plan.Name))
	fmt.Fprintf(out, `<rect x="%s" y="%s" width="%s" height="%s" fill="#eef1f4"/>`+"\n", formatMillimetres(low.X-margin), formatMillimetres(-high.Y-margin), formatMillimetres(width), formatMillimetres(height))
	for _, r := range plan.Rooms {
		fill := "#ffffff"
		if r.Corridor {
			fill = "#f6f8fa"
		}
		fmt.Fprintf(out, `<polygon points="%s" fill="%s"/>`+"\n", svgPoints(r.Outline), fill)
	}
	if free := freeFloor(plan); len(free) > 0 {
		fmt.Fprint(out, `<path d="`)
		for _, ring := range free {
			fmt.Fprintf(out, "M%s", svgPoints(ring))
		}
		fmt.Fprintln(out, `" fill="#ffffff"/>`)
	}
	for _, f := range plan.Furniture {
		const style = `fill="#e3e8ee" stroke="#b6c0cc" stroke-width=".03"`
		if f.Radius > 0 {
			fmt.Fprintf(out, `<circle cx="%s" cy="%s" r="%s" %s/>`+"\n", formatMillimetres(f.Outline[0].X), formatMillimetres(-f.Outline[0].Y), formatMillimetres(f.Radius), style)
		} else {
			fmt.Fprintf(out, `<polygon points="%s" %s/>`+"\n", svgPoints(f.Outline), style)
		}
	}
	for _, d := range plan.Doors {
		open, closed := d.Leaf(d.Open).B, d.Leaf(d.Closed).B
		sweep := 0 // counter-clockwise on the floor
		if robot.WrapAngle(d.Closed-d.Open) < 0 {
			sweep = 1
		}
		fmt.Fprintf(out, `<path d="M%s %sL%s %sA%s %s 0 0 %d %s %s" fill="none" stroke="#8a97a6" stroke-width=".03"/>`+"\n",
			formatMillimetres(d.Hinge.X), formatMillimetres(-d.Hinge.Y), formatMillimetres(open.X), formatMillimetres(-open.Y), formatMillimetres(d.Length), formatMillimetres(d.Length), sweep, formatMillimetres(closed.X), formatMillimetres(-closed.Y))
	}
	if len(plan.Lines) > 0 {
		fmt.Fprint(out, `<path d="`)
		for _, l := range plan.Lines {
			fmt.Fprintf(out, "M%s %sL%s %s", formatMillimetres(l.A.X), formatMillimetres(-l.A.Y), formatMillimetres(l.B.X), formatMillimetres(-l.B.Y))
		}
		fmt.Fprintln(out, `" fill="none" stroke="#2b3440" stroke-width=".1" stroke-linecap="round"/>`)
	}
	if plan.Dock != nil {
		fmt.Fprintf(out, `<rect x="%s" y="%s" width=".3" height=".5" rx=".06" fill="#d5ecdd" stroke="#2f7d4f" stroke-width=".03"/>`+"\n",
			formatMillimetres(plan.Dock.X-0.15), formatMillimetres(-plan.Dock.Y-0.25))
	}
	for _, p := range plan.Places {
		fmt.Fprintf(out, `<circle cx="%s" cy="%s" r=".1" fill="#1f6feb"/>`+"\n", formatMillimetres(p.Pose.X), formatMillimetres(-p.Pose.Y))
		writeText(out, robot.Point{X: p.Pose.X, Y: p.Pose.Y + 0.18}, 0.3, "#1f4f99", p.Name)
	}
	for _, r := range plan.Rooms {
		at := middleOf(r.Outline)
		if r.Label != nil {
			at = *r.Label
		}
		writeText(out, at, 0.4, "#4a5665", r.Name)
	}
	fmt.Fprintln(out, "</svg>")
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("floorplan: %w", err)
	}
	return nil
}

func writeText(out *strings.Builder, at robot.Point, size float64, fill, s string) {
	fmt.Fprintf(out, `<text x="%s" y="%s" font-size="%s" text-anchor="middle" fill="%s">%s</text>`+"\n", formatMillimetres(at.X), formatMillimetres(-at.Y), formatMillimetres(size), fill, escapeXML(s))
}

// formatMillimetres formats v, in m, to a millimetre, without trailing zeros.
func formatMillimetres(v float64) string { return fmt.Sprintf("%.6g", math.Round(v*1e3)/1e3+0) }

func svgPoints(outline []robot.Point) string {
	var b strings.Builder
	for i, p := range outline {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s,%s", formatMillimetres(p.X), formatMillimetres(-p.Y))
	}
	return b.String()
}

// middleOf returns the middle of the bounding box of an outline.
func middleOf(outline []robot.Point) robot.Point {
	low, high := Bounds(&robot.Floorplan{Rooms: []robot.Room{{Outline: outline}}})
	return robot.Point{X: (low.X + high.X) / 2, Y: (low.Y + high.Y) / 2}
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}

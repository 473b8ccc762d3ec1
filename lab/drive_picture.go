package lab

import (
	"fmt"
	"html"
	"math"
	"os"
	"strings"

	"mybot/robot"
)

// ink are the colours of pictures.
const (
	inkText  = "#24292f"
	inkGrid  = "#d0d7de"
	inkBlue  = "#1f6feb"
	inkRed   = "#cf222e"
	inkGreen = "#1a7f37"
)

// Write writes a picture of this size, in pixels, to a file.
func Write(name string, width, height float64, body string) error {
	text := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="13" fill="%s">`+"\n"+
		`<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n%s</svg>\n", width, height, inkText, body)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return nil
}

func Label(x, y float64, anchor, text string) string {
	return fmt.Sprintf(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(text))
}

// Line draws points, already in pixels; with dash it is dashed.
func Line(points []robot.Point, colour string, width float64, dash string) string {
	if dash != "" {
		dash = fmt.Sprintf(` stroke-dasharray="%s"`, dash)
	}
	at := make([]string, len(points))
	for i, p := range points {
		at[i] = fmt.Sprintf("%.2f,%.2f", p.X, p.Y)
	}
	return fmt.Sprintf(`<polyline fill="none" stroke="%s" stroke-width="%g" stroke-linejoin="round"%s points="%s"/>`+"\n",
		colour, width, dash, strings.Join(at, " "))
}

// drawDelays draws the path error against the delay: medians, with the 95th
// percentile above them. A line ends where most runs end in a HOLD.
func drawDelays(name string, rows []driveRow) error {
	const width, height, left, right, top, bottom = 760.0, 430.0, 70.0, 210.0, 40.0, 50.0
	const low, high = 0.01, 10.0
	x := func(ms float64) float64 { return left + (width-left-right)*ms/2000 }
	y := func(m float64) float64 {
		return top + (height-top-bottom)*math.Log(high/max(low, min(high, m)))/math.Log(high/low)
	}
	var b strings.Builder
	b.WriteString(Label(left, 22, "start", "Largest path error of a drive against delay (jitter 40 ms, loss 1 %)"))
	for _, m := range []float64{0.01, 0.1, 1, 10} {
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%.1f" y2="%.1f" stroke="%s"/>`+"\n", left, width-right, y(m), y(m), inkGrid)
		b.WriteString(Label(left-8, y(m)+4, "end", fmt.Sprintf("%g m", m)))
	}
	series, order := map[string][]driveRow{}, []string{}
	for _, r := range rows {
		travel, _, _ := strings.Cut(r.Network, ",")
		key := r.Policy + ", " + travel
		if series[key] == nil {
			order = append(order, key)
		}
		series[key] = append(series[key], r)
	}
	colours := map[string]string{"direct, stream": inkRed, "direct, datagrams": "#e16f24", "track, stream": inkBlue, "track, datagrams": inkGreen}
	for _, key := range order {
		var median, band []robot.Point
		for _, r := range series[key] {
			if 2*r.Held > r.Runs {
				break // hardly a run came to its end
			}
			median = append(median, robot.Point{X: x(r.RoundTrip), Y: y(r.Path.Median)})
			band = append(band, robot.Point{X: x(r.RoundTrip), Y: y(r.Path.P95)})
		}
		b.WriteString(Line(band, colours[key], 1.5, "5 4"))
		b.WriteString(Line(median, colours[key], 2.5, ""))
	}
	for i, key := range order {
		at := top + 14 + 42*float64(i)
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%.1f" y2="%.1f" stroke="%s" stroke-width="2.5"/>`+"\n", width-right+16, width-right+44, at-4, at-4, colours[key])
		b.WriteString(Label(width-right+50, at, "start", key))
		for _, r := range series[key] {
			if 2*r.Held > r.Runs {
				b.WriteString(Label(width-right+50, at+17, "start", fmt.Sprintf("HOLD from %g ms on", r.RoundTrip)))
				break
			}
		}
	}
	b.WriteString(Label(width-right+16, height-bottom-4, "start", "solid median, dashed P95"))
	for _, ms := range []float64{0, 310, 600, 1000, 2000} {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%g" y2="%g" stroke="%s"/>`+"\n", x(ms), x(ms), top, height-bottom, inkGrid)
		b.WriteString(Label(x(ms), height-bottom+18, "middle", fmt.Sprintf("%g", ms)))
	}
	b.WriteString(Label((left+width-right)/2, height-10, "middle", "round trip, ms"))
	return Write(name, width, height, b.String())
}

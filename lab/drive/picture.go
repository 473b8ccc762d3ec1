package drive

import (
	"fmt"
	"math"
	"strings"

	"mybot/lab/internal/drawing"
	"mybot/robot"
)

// drawDelays draws the path error against the delay: medians, with the 95th percentile above
// them. A line ends where most runs end in a HOLD.
func drawDelays(name string, rows []driveRow) error {
	const width, height, left, right, top, bottom = 760.0, 430.0, 70.0, 210.0, 40.0, 50.0
	const low, high = 0.01, 10.0
	x := func(ms float64) float64 { return left + (width-left-right)*ms/2000 }
	y := func(m float64) float64 {
		return top + (height-top-bottom)*math.Log(high/max(low, min(high, m)))/math.Log(high/low)
	}
	var b strings.Builder
	b.WriteString(drawing.Label(left, 22, "start", "Largest path error of a drive against delay (jitter 40 ms, loss 1 %)"))
	for _, m := range []float64{0.01, 0.1, 1, 10} {
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%.1f" y2="%.1f" stroke="%s"/>`+"\n", left, width-right, y(m), y(m), drawing.Grid)
		b.WriteString(drawing.Label(left-8, y(m)+4, "end", fmt.Sprintf("%g m", m)))
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
	colours := map[string]string{"direct, stream": drawing.Red, "direct, datagrams": "#e16f24", "track, stream": drawing.Blue, "track, datagrams": drawing.Green}
	for _, key := range order {
		var median, band []robot.Point
		for _, r := range series[key] {
			if 2*r.Held > r.Runs {
				break // most runs were held
			}
			median = append(median, robot.Point{X: x(r.RoundTrip), Y: y(r.Path.Median)})
			band = append(band, robot.Point{X: x(r.RoundTrip), Y: y(r.Path.P95)})
		}
		b.WriteString(drawing.Line(band, colours[key], 1.5, "5 4"))
		b.WriteString(drawing.Line(median, colours[key], 2.5, ""))
	}
	for i, key := range order {
		at := top + 14 + 42*float64(i)
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%.1f" y2="%.1f" stroke="%s" stroke-width="2.5"/>`+"\n", width-right+16, width-right+44, at-4, at-4, colours[key])
		b.WriteString(drawing.Label(width-right+50, at, "start", key))
		for _, r := range series[key] {
			if 2*r.Held > r.Runs {
				b.WriteString(drawing.Label(width-right+50, at+17, "start", fmt.Sprintf("HOLD from %g ms on", r.RoundTrip)))
				break
			}
		}
	}
	b.WriteString(drawing.Label(width-right+16, height-bottom-4, "start", "solid median, dashed P95"))
	for _, ms := range []float64{0, 310, 600, 1000, 2000} {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%g" y2="%g" stroke="%s"/>`+"\n", x(ms), x(ms), top, height-bottom, drawing.Grid)
		b.WriteString(drawing.Label(x(ms), height-bottom+18, "middle", fmt.Sprintf("%g", ms)))
	}
	b.WriteString(drawing.Label((left+width-right)/2, height-10, "middle", "round trip, ms"))
	return drawing.Write(name, width, height, b.String())
}

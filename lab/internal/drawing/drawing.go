// Package drawing writes pictures as SVG.
package drawing

import (
	"fmt"
	"html"
	"os"
	"strings"

	"mybot/robot"
	"mybot/robot/floorplan"
)

// The colours of pictures.
const (
	Text  = "#24292f"
	Grid  = "#d0d7de"
	Blue  = "#1f6feb"
	Red   = "#cf222e"
	Green = "#1a7f37"
)

// Write writes a picture with a size in pixels to a file.
func Write(name string, width, height float64, body string) error {
	return WriteText(name, fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="13" fill="%s">`+"\n"+
		`<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n%s</svg>\n", width, height, Text, body))
}

// WriteText writes the text of a whole picture to a file.
func WriteText(name, text string) error {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return nil
}

// Plan returns the drawing of a floor plan, in m with y down, without the enclosing tags.
func Plan(plan *robot.Floorplan) (string, error) {
	var picture strings.Builder
	if err := floorplan.SVG(&picture, plan); err != nil {
		return "", fmt.Errorf("lab: %w", err)
	}
	_, inner, _ := strings.Cut(picture.String(), ">")
	return strings.TrimSuffix(strings.TrimSpace(inner), "</svg>"), nil
}

// Label returns an SVG text at a point in pixels; anchor is start, middle or end.
func Label(x, y float64, anchor, text string) string {
	return fmt.Sprintf(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(text))
}

// Line draws a line through points in pixels; with dash it is dashed.
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

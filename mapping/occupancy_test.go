package mapping

import (
	"testing"

	"mybot/robot"
	"mybot/robot/scan"
)

// draw maps scans that are all taken at the origin.
func draw(t *testing.T, scans ...[]scan.Beam) robot.Grid {
	t.Helper()
	var m Mapper
	m.graph.nodes = []robot.Pose{{}}
	for _, beams := range scans {
		m.frames = append(m.frames, newFrame(scan.Cloud{Beams: beams}))
	}
	return m.Draw(0.05, 1<<20).Grid()
}

func echo(x, y float64) scan.Beam { return scan.Beam{End: robot.Point{X: x, Y: y}, Echo: true} }
func none(x, y float64) scan.Beam { return scan.Beam{End: robot.Point{X: x, Y: y}} }

func TestCellsAreDrawn(t *testing.T) {
	wall, person := echo(3.02, 0.02), echo(1.52, 0.02)
	for _, c := range []struct {
		name  string
		scans [][]scan.Beam
		at    robot.Point
		want  robot.Cell
	}{
		{"a wall that two key frames saw", [][]scan.Beam{{wall}, {wall}}, robot.Point{X: 3.02, Y: 0.02}, robot.Occupied},
		{"what only one key frame saw", [][]scan.Beam{{wall}}, robot.Point{X: 3.02, Y: 0.02}, robot.Unknown},
		{"the way to a wall", [][]scan.Beam{{wall}}, robot.Point{X: 2.52, Y: 0.02}, robot.Free},
		{"behind a wall", [][]scan.Beam{{wall}, {wall}}, robot.Point{X: 3.3, Y: 0.02}, robot.Unknown},
		{"a person who walks away", [][]scan.Beam{{person}, {person}, {wall}, {wall}, {wall}, {wall}, {wall}, {wall}}, robot.Point{X: 1.52, Y: 0.02}, robot.Free},
		{"two beams of one key frame count once", [][]scan.Beam{{echo(3.02, 0.02), echo(3.03, 0.03)}}, robot.Point{X: 3.02, Y: 0.02}, robot.Unknown},
		{"a beam without an echo shows 8 m to be free", [][]scan.Beam{{none(0.02, 12), echo(0.5, 14)}}, robot.Point{X: 0.02, Y: 7.9}, robot.Free},
		{"and nothing beyond", [][]scan.Beam{{none(0.02, 12), echo(0.5, 14)}}, robot.Point{X: 0.02, Y: 8.2}, robot.Unknown},
		{"an echo beyond 25 m shows the way to be free", [][]scan.Beam{{echo(30, 0.02), echo(24, 5)}}, robot.Point{X: 22, Y: 0.02}, robot.Free},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := draw(t, c.scans...)
			if got := g.At(c.at); got != c.want {
				t.Errorf("(%g, %g) is %d, want %d", c.at.X, c.at.Y, got, c.want)
			}
		})
	}
}

func TestFloorThatNoFreeCellsConnectIsUnknown(t *testing.T) {
	// A window: the lidar sees the wall beyond the glass, and the glass too.
	var m Mapper
	m.graph.nodes = []robot.Pose{{}}
	glass := []scan.Beam{}
	for y := -1.0; y < 1; y += 0.02 {
		glass = append(glass, echo(2.02, y))
	}
	through := []scan.Beam{echo(5, 0.02)}
	for _, beams := range [][]scan.Beam{glass, glass, glass, through} {
		m.frames = append(m.frames, newFrame(scan.Cloud{Beams: beams}))
	}
	g := m.Draw(0.05, 1<<20).Grid()
	for x, want := range map[float64]robot.Cell{1: robot.Free, 2.02: robot.Occupied, 4: robot.Unknown} {
		if got := g.At(robot.Point{X: x, Y: 0.02}); got != want {
			t.Errorf("at %g m the floor is %d, want %d", x, got, want)
		}
	}
}

func TestAFloorTooLargeForThePictureIsDrawnCoarser(t *testing.T) {
	var m Mapper
	m.graph.nodes = []robot.Pose{{}}
	m.frames = []frame{newFrame(scan.Cloud{Beams: []scan.Beam{echo(20, 0), echo(0, 20)}})}
	if g := m.Draw(0.05, 50_000).Grid(); g.Resolution != 0.1 || g.Width*g.Height > 50_000 {
		t.Errorf("%d x %d cells of %g m", g.Width, g.Height, g.Resolution)
	}
}

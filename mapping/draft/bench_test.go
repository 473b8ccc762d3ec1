package draft_test

import (
	"sync"
	"testing"

	"mybot/mapping"
	"mybot/mapping/draft"
	"mybot/robot"
)

// officeFloor is 60 x 80 m: eight corridors of 58 m with five rooms at each, joined
// by one across.
func officeFloor() (f testFloor, drive []robot.Point) {
	f.lines(58, 2, 58, 0, 0, 0, 0, 80, 60, 80, 60, 0, 58, 0)
	for row := range 8 {
		y := 10 * float64(row)
		for room := range 5 {
			x := 11.6 * float64(room)
			f.lines(x, y+2, x+5, y+2)
			f.lines(x+6, y+2, x+11.6, y+2, x+11.6, y+10)
			drive = append(drive, robot.Point{X: x + 5.5, Y: y + 1})
			if room%2 == 0 {
				drive = append(drive, robot.Point{X: x + 5.5, Y: y + 5}, robot.Point{X: x + 5.5, Y: y + 1})
			}
		}
		f.lines(0, y+10, 58, y+10)
		drive = append(drive, robot.Point{X: 59, Y: y + 1}, robot.Point{X: 59, Y: y + 11}, robot.Point{X: 2, Y: y + 11})
	}
	return f, drive[:len(drive)-2]
}

var officeResult = sync.OnceValue(func() *mapping.Result {
	f, drive := officeFloor()
	return f.mapDrive(0.1, drive...).Result()
})

// BenchmarkApply measures one edit that changes the picture of a floor of 60 x 80
// m, with all its consequences: walls, via points, edges and rooms.
func BenchmarkApply(b *testing.B) {
	d, err := draft.New(draft.Source{Result: officeResult(), Robot: mybotDescription(b)})
	if err != nil {
		b.Fatal(err)
	}
	at := d.View().Origin
	middle := robot.Point{X: at[0] + 30, Y: at[1] + 40}
	for _, c := range []struct {
		name string
		edit func(n int) draft.Edit
	}{
		{"erase", func(n int) draft.Edit {
			p := middle.Add(robot.Point{X: float64(n%20) / 10})
			return draft.Edit{Op: draft.Erase, Outline: []robot.Point{p, p.Add(robot.Point{X: 1}), p.Add(robot.Point{X: 1, Y: 1})}}
		}},
		{"rotate", func(n int) draft.Edit { return draft.Edit{Op: draft.Rotate, Angle: 0.01 + float64(n%7)/1000} }},
		{"via", func(int) draft.Edit { return draft.Edit{Op: draft.Via, ID: 1, At: middle} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				e := c.edit(n)
				if v := d.View().Via; c.name == "via" {
					e.ID, e.At = v[n%len(v)].ID, robot.Point{X: v[n%len(v)].At[0], Y: v[n%len(v)].At[1]}
				}
				if err := d.Apply(e); err != nil {
					b.Fatal(err)
				}
				n++
				if n%50 == 0 { // a list of edits as long as users make
					b.StopTimer()
					for d.View().CanUndo {
						apply(b, d, draft.Edit{Op: draft.Undo})
					}
					b.StartTimer()
				}
			}
		})
	}
}

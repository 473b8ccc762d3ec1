package draft

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"mybot/robot"
	"mybot/strictjson"
)

// storedVersion is the version of the format of stored edits.
const storedVersion = 1

// A storedChange is a change in JSON.
type storedChange struct {
	Op    Op           `json:"op"`
	Drop  bool         `json:"drop,omitempty"`
	Turn  float64      `json:"turn,omitempty"`
	Spots [][4]float64 `json:"spots,omitempty"` // key frame, and x, y in m and heading in rad in its base_link
	Name  string       `json:"name,omitempty"`
	Via   []storedVia  `json:"via,omitempty"`   // of a stated graph, one per spot
	Edges [][2]int     `json:"edges,omitempty"` // of a stated graph: ids, one-way
}

type storedVia struct {
	ID   int    `json:"id"`
	Name string `json:"name,omitempty"`
}

type storedEdits struct {
	Version int            `json:"version"`
	Changes []storedChange `json:"changes"`
	Undone  []storedChange `json:"undone"`
}

// Edits returns the edits in JSON, for Restore: those in effect, and those that can
// be redone. Their places are relative to key frames.
func (d *Draft) Edits() ([]byte, error) {
	store := func(changes []change) []storedChange {
		list := []storedChange{}
		for _, c := range changes {
			s := storedChange{Op: c.op, Drop: c.drop, Turn: c.turn, Name: c.name, Edges: c.graph.edges}
			for _, v := range c.graph.vias {
				s.Via = append(s.Via, storedVia{v.id, v.name})
			}
			for _, p := range c.spots {
				s.Spots = append(s.Spots, [4]float64{float64(p.frame), p.at.X, p.at.Y, p.at.Theta})
			}
			list = append(list, s)
		}
		return list
	}
	data, err := json.Marshal(storedEdits{storedVersion, store(d.changes), store(d.undone)})
	if err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	return data, nil
}

// maxStored is the largest size of stored edits, in bytes.
const maxStored = 16 << 20

// Restore returns the draft of a map with stored edits, which may come from an
// earlier version of the same map: their places do not move relative to the key
// frames. An edit whose key frame is missing has no effect, and View says so. Data
// that Edits did not write is refused with an error that says where.
func Restore(s Source, edits []byte) (*Draft, error) {
	if err := strictjson.Check(edits, maxStored); err != nil {
		return nil, fmt.Errorf("draft: the stored edits are not JSON: %w", err)
	}
	var fault error
	o := strictjson.NewObject(edits, "", func(f strictjson.Fault) {
		if fault == nil {
			fault = f
		}
	})
	o.Whole("version", storedVersion, storedVersion)
	changes, undone := takeChanges(o, "changes"), takeChanges(o, "undone")
	o.End()
	if fault != nil {
		return nil, fmt.Errorf("draft: the stored edits: %w", fault)
	}
	d := &Draft{result: s.Result, desc: s.Robot, charged: s.Dock, places: s.Places, seen: thinEchoes(s.Result), changes: changes, undone: undone}
	if err := d.rebuildAll(); err != nil {
		return nil, fmt.Errorf("draft: the stored edits do not fit the map: %w", err)
	}
	return d, nil
}

// spotsOf returns how many spots a change may have.
func spotsOf(op Op, drop bool) (least, most int) {
	switch op {
	case Erase, Keepout:
		return 3, maxCorners
	case Wall, Glass:
		return 2, 2
	case Crop:
		return 4, 4
	case Place, Dock:
		if !drop {
			return 1, 1
		}
	case Via:
		if !drop {
			return 1, 2
		}
		return 1, 1
	case Edge:
		return 2, 2
	case Room:
		return 1, 1
	case graphOp:
		return 1, maxVias
	}
	return 0, 0
}

func takeChanges(o *strictjson.Object, key string) []change {
	var changes []change
	for _, s := range o.Objects(key, maxChanges) {
		c := change{op: Op(s.Text("op", "an edit that is stored", func(s string) bool {
			return slices.Contains(ops, Op(s)) && Op(s) != Undo && Op(s) != Redo || Op(s) == graphOp
		}))}
		c.turn = s.NumberOr("turn", -math.Pi, math.Pi, 0)
		if c.op != Straighten && c.op != Rotate && c.turn != 0 {
			s.Reject("turn", "0 or absent where nothing is turned")
		}
		if s.Has("drop") {
			c.drop = s.Bool("drop")
		}
		if c.op == Place || c.op == Room && !c.drop {
			c.name = takeName(s, "name")
		}
		least, most := spotsOf(c.op, c.drop)
		var ok bool
		if c.spots, ok = takeSpots(s, most); !ok || len(c.spots) < least {
			s.Reject("spots", fmt.Sprintf("a list of %d to %d times [key frame, x, y, heading]", least, most))
		}
		if c.op == graphOp {
			c.graph = takeGraph(s, len(c.spots))
		}
		s.End()
		changes = append(changes, c)
	}
	return changes
}

// Limits of a stated graph.
const (
	maxVias    = 50_000
	maxViaName = 200 // bytes
)

// takeGraph reads a stated graph with n via points.
func takeGraph(o *strictjson.Object, n int) (g stated) {
	known := map[int]bool{}
	for _, v := range o.Objects("via", maxVias) {
		is := statedVia{
			id:   v.Whole("id", 0, math.MaxInt32),
			name: v.TextOr("name", "text of at most 200 bytes", func(s string) bool { return len(s) <= maxViaName }),
		}
		if known[is.id] {
			v.Reject("id", "a number that no other via point has")
		}
		known[is.id] = true
		g.vias = append(g.vias, is)
		v.End()
	}
	if len(g.vias) != n {
		o.Reject("via", fmt.Sprintf("a list of %d via points, one for each spot", n))
	}
	value := o.Take("edges")
	if value == nil {
		return g
	}
	list, ok := strictjson.OpenList(value)
	seen := map[[2]int]bool{}
	for ok {
		value, more := list.Next()
		if !more {
			break
		}
		var v [2]float64
		ok = strictjson.Numbers(value, v[:]) && isWhole(v[0]) && isWhole(v[1])
		e := [2]int{int(v[0]), int(v[1])}
		ok = ok && known[e[0]] && known[e[1]] && e[0] != e[1] && !seen[e]
		seen[e] = true
		g.edges = append(g.edges, e)
	}
	if !ok {
		o.Reject("edges", "a list of [from, to]: the ids of two of its via points, each once")
	}
	return g
}

func isWhole(v float64) bool { return v >= 0 && v <= math.MaxInt32 && v == math.Trunc(v) }

// takeSpots reads an optional list of at most most spots.
func takeSpots(o *strictjson.Object, most int) (spots []spot, ok bool) {
	value := o.Take("spots")
	if value == nil {
		return nil, true
	}
	list, ok := strictjson.OpenList(value)
	for ok {
		value, more := list.Next()
		if !more {
			break
		}
		var v [4]float64
		ok = len(spots) < most && strictjson.Numbers(value, v[:]) && v[0] == math.Trunc(v[0]) && v[0] >= -1 && v[0] <= math.MaxInt32 &&
			math.Abs(v[1]) <= maxDistance && math.Abs(v[2]) <= maxDistance && math.Abs(v[3]) <= math.Pi
		spots = append(spots, spot{frame: int(v[0]), at: robot.Pose{X: v[1], Y: v[2], Theta: v[3]}})
	}
	return spots, ok
}

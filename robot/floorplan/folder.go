package floorplan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mybot/robot"
	"mybot/store/atomicfile"
)

// WriteFolder writes a whole floor plan into the folder dir, which it creates if needed:
// the picture, and a file for everything else that the plan has. It removes files for
// which the plan has no content.
func WriteFolder(dir string, plan *robot.Floorplan) error {
	if err := writePicture(dir, plan.Name, &plan.Grid, plan.Compass); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		empty bool
		data  func() ([]byte, error)
	}{
		{linesFile, false, func() ([]byte, error) { return linesJSON(plan.Lines, plan.Glass) }}, // an empty file keeps Load from tracing lines
		{graphFile, len(plan.Graph.Nodes) == 0, func() ([]byte, error) { return graphJSON(plan.Graph, nil) }},
		{placesFile, len(plan.Places) == 0, func() ([]byte, error) { return Places(plan.Places) }},
		{roomsFile, len(plan.Rooms)+len(plan.Doors)+len(plan.Furniture) == 0 && plan.Dock == nil, func() ([]byte, error) { return roomsJSON(plan) }},
	} {
		path := filepath.Join(dir, f.name)
		if f.empty {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("floorplan: %w", err)
			}
			continue
		}
		data, err := f.data()
		if err == nil {
			err = atomicfile.Write(path, data, 0o644)
		}
		if err != nil {
			return fmt.Errorf("floorplan: %w", err)
		}
	}
	return nil
}

// linesJSON returns object lines as lines.geojson; glass holds the indexes of the lines
// that are transparent to lidars.
func linesJSON(lines []robot.Segment, glass []int) ([]byte, error) {
	c := newCollection()
	for i, l := range lines {
		var p any
		if slices.Contains(glass, i) {
			p = map[string]bool{"glass": true}
		}
		c.addFeature(p, shape{"LineString", [][2]float64{pairOf(l.A), pairOf(l.B)}})
	}
	return c.encodeFeatures()
}

// roomsJSON returns rooms, doors, furniture and the dock as rooms.geojson.
func roomsJSON(plan *robot.Floorplan) ([]byte, error) {
	c := newCollection()
	for _, r := range plan.Rooms {
		p := map[string]any{"kind": "room"}
		if r.Name != "" {
			p["name"] = r.Name
		}
		if r.Corridor {
			p["corridor"] = true
		}
		if r.Label != nil {
			p["label"] = pairOf(*r.Label)
		}
		c.addFeature(p, polygonOf(r.Outline))
	}
	for _, d := range plan.Doors {
		p := map[string]any{"kind": "door", "length_m": d.Length, "closed_deg": shortestDegrees(d.Closed), "open_deg": shortestDegrees(d.Open)}
		if d.Name != "" {
			p["name"] = d.Name
		}
		c.addFeature(p, shape{"Point", pairOf(d.Hinge)})
	}
	for _, f := range plan.Furniture {
		p := map[string]any{"kind": "furniture", "height_m": f.Height}
		if f.Name != "" {
			p["name"] = f.Name
		}
		if f.Radius > 0 {
			p["radius_m"] = f.Radius
			c.addFeature(p, shape{"Point", pairOf(f.Outline[0])})
		} else {
			c.addFeature(p, polygonOf(f.Outline))
		}
	}
	if plan.Dock != nil {
		c.addFeature(map[string]any{"kind": "dock", "heading_deg": shortestDegrees(plan.Dock.Theta)}, shape{"Point", pairOf(plan.Dock.Point())})
	}
	return c.encodeFeatures()
}

// polygonOf returns an outline as a polygon, whose ring ends with its first point.
func polygonOf(outline []robot.Point) shape {
	ring := [][2]float64{}
	for _, p := range outline {
		ring = append(ring, pairOf(p))
	}
	return shape{"Polygon", [][][2]float64{append(ring, ring[0])}}
}

package handlers

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/session"
)

// A MapStore stores the part of the map that users change: app's adapter to the map
// folder. Any goroutine may call it.
type MapStore interface {
	// Plan returns the floor plan in use. It is read-only: a Save replaces it.
	Plan() *robot.Floorplan
	// Save replaces via points, edges and places. When it returns nil they are on
	// disk and in use. The error is a sentence for people that names the fault, and
	// then nothing has changed. Concurrent saves happen one at a time.
	Save(graph robot.Graph, places []robot.Place) error
}

// A MapFault is an error of MapStore.Save about a point of the map.
type MapFault struct {
	Err error
	At  robot.Point
}

func (f MapFault) Error() string { return f.Err.Error() }

// floorplan returns the floor plan in use.
func (c *Config) floorplan() *robot.Floorplan {
	if c.Map != nil {
		return c.Map.Plan()
	}
	return c.Plan
}

// A drawing is a floor plan in the forms that browsers need. It is immutable.
type drawing struct {
	plan *robot.Floorplan
	json []byte // for the page
	svg  []byte // for a browser without scripts
	tag  string // changes with json
}

func newDrawing(plan *robot.Floorplan) (*drawing, error) {
	page, err := floorplan.JSON(plan)
	if err != nil {
		return nil, fmt.Errorf("the floor plan cannot be put into the page: %w", err)
	}
	var picture bytes.Buffer
	if err := floorplan.SVG(&picture, plan); err != nil {
		return nil, fmt.Errorf("the floor plan cannot be drawn: %w", err)
	}
	sum := sha256.Sum256(page)
	return &drawing{plan, page, picture.Bytes(), fmt.Sprintf("\"%x\"", sum[:8])}, nil
}

// currentDrawing returns the floor plan in use, drawn once per save.
func (h *Handler) currentDrawing() *drawing {
	last := h.drawing.Load()
	plan := h.cfg.floorplan()
	if last.plan == plan {
		return last
	}
	next, err := newDrawing(plan)
	if err != nil {
		h.cfg.Log.Error("the saved map cannot be shown", "error", err)
		return last
	}
	h.drawing.Store(next)
	return next
}

// serveMap answers with the floor plan for the page.
func (h *Handler) serveMap(w http.ResponseWriter, _ *http.Request) {
	now := h.currentDrawing()
	w.Header().Set("ETag", now.tag)
	sendJSON(w, http.StatusOK, now.json)
}

// servePicture answers with a picture of the floor plan, for a browser without
// scripts.
func (h *Handler) servePicture(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(h.currentDrawing().svg))
}

// serveGeoJSON answers with one file of the map folder as a download.
func (h *Handler) serveGeoJSON(name string, write func(*robot.Floorplan) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		file, err := write(h.cfg.floorplan())
		if err != nil {
			h.cfg.Log.Error("a file of the map cannot be written", "file", name, "error", err)
			writeSentence(w, http.StatusInternalServerError, "The file cannot be written. The robot's log says why.")
			return
		}
		w.Header().Set("Content-Type", "application/geo+json")
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		_, _ = w.Write(file) // the caller may be gone
	}
}

func graphFile(plan *robot.Floorplan) ([]byte, error) { return floorplan.Graph(plan.Graph) }

func placesFile(plan *robot.Floorplan) ([]byte, error) { return floorplan.Places(plan.Places) }

// A revision is a user's changes to the map, in the form of the page's floor plan.
type revision struct {
	Lease uint64 `json:"lease"`
	Via   []struct {
		ID   int       `json:"id"`
		Name string    `json:"name"`
		At   []float64 `json:"at"` // m
	} `json:"via"`
	Edges  [][]int `json:"edges"` // from, to
	Places []struct {
		Name string    `json:"name"`
		Pose []float64 `json:"pose"` // m and rad
	} `json:"places"`
}

// parseRevision converts the revision to the robot's types. The fault is a
// sentence, "" = none.
func (v revision) parseRevision() (graph robot.Graph, places []robot.Place, fault string) {
	if v.Via == nil || v.Edges == nil || v.Places == nil {
		return graph, nil, "The map is not whole; it should have lists of via, edges and places."
	}
	for i, n := range v.Via {
		if len(n.At) != 2 {
			return graph, nil, fmt.Sprintf("Via point %d of the list has %d coordinates; it should have two: x and y, in m.", i+1, len(n.At))
		}
		graph.Nodes = append(graph.Nodes, robot.Via{ID: n.ID, Name: n.Name, Point: robot.Point{X: n.At[0], Y: n.At[1]}})
	}
	for i, e := range v.Edges {
		if len(e) != 2 {
			return graph, nil, fmt.Sprintf("Edge %d of the list has %d ends; it should have two, the ids of via points.", i+1, len(e))
		}
		graph.Edges = append(graph.Edges, robot.Edge{Start: e[0], End: e[1]})
	}
	for i, p := range v.Places {
		if len(p.Pose) != 3 {
			return graph, nil, fmt.Sprintf("Place %d of the list has %d coordinates; it should have three: x and y in m, and the heading in rad.", i+1, len(p.Pose))
		}
		places = append(places, robot.Place{Name: p.Name, Pose: robot.Pose{X: p.Pose[0], Y: p.Pose[1], Theta: robot.WrapAngle(p.Pose[2])}})
	}
	return graph, places, ""
}

// serveSave replaces via points, edges and places for the holder.
func (h *Handler) serveSave(w http.ResponseWriter, r *http.Request) {
	var v revision
	if err := readJSON(r, &v); err != nil {
		writeBodyFault(w, err)
		return
	}
	graph, places, fault := v.parseRevision()
	if fault != "" {
		writeSentence(w, http.StatusBadRequest, fault)
		return
	}
	h.editing.Lock()
	defer h.editing.Unlock()
	h.saveMap(w, r, v.Lease, graph, places)
}

// saveMap replaces via points, edges and places for the holder. h.editing is
// locked.
func (h *Handler) saveMap(w http.ResponseWriter, r *http.Request, lease uint64, graph robot.Graph, places []robot.Place) {
	if h.cfg.Map == nil {
		h.writeResult(w, robot.Result{Word: robot.NA, Reason: "The map of this robot cannot be changed here."})
		return
	}
	by := callerOf(r).Identity
	if may := h.cfg.Hub.Command(r.Context(), by, session.Order{Lease: lease}); may.Word != robot.Success {
		h.writeResult(w, may)
		return
	}
	// A program that read the map says with its tag that it overwrites no newer one; pages
	// hear of each map that is saved.
	if match := r.Header.Get("If-Match"); match != "" && match != "*" && match != h.currentDrawing().tag {
		writeSentence(w, http.StatusPreconditionFailed, "Someone else has changed this map. Read it again, then make your change.")
		return
	}
	before := h.cfg.Map.Plan()
	err := h.cfg.Map.Save(graph, places)
	if h.cfg.Map.Plan() != before {
		h.announceMap(by)
	}
	fault := MapFault{}
	switch {
	case errors.As(err, &fault):
		h.writeJSON(w, http.StatusConflict, map[string]any{"word": robot.Error, "reason": err.Error(), "at": []float64{fault.At.X, fault.At.Y}})
	case err != nil:
		h.writeResult(w, robot.Result{Word: robot.Error, Reason: err.Error()})
	default:
		w.Header().Set("ETag", h.currentDrawing().tag)
		h.writeResult(w, robot.Result{Word: robot.Success})
	}
}

// announceMap sends the saved map to every user.
func (h *Handler) announceMap(by session.Identity) {
	var parts struct{ Via, Edges, Places json.RawMessage }
	if err := json.Unmarshal(h.currentDrawing().json, &parts); err != nil {
		h.cfg.Log.Error("the saved map cannot be told", "error", err)
		return
	}
	h.cfg.Hub.MapSaved(by, parts.Via, parts.Edges, parts.Places)
}

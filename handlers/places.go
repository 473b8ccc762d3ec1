package handlers

import (
	"fmt"
	"math"
	"net/http"
	"slices"

	"mybot/robot"
)

// Named places, one at a time; PUT /api/v1/map changes the whole map.

const placesPath = "/api/v1/places"

// A namedPlace is the wire form of a place.
type namedPlace struct {
	Name string     `json:"name"`
	Pose [3]float64 `json:"pose"` // m, m, rad; of base_link in map
}

func placeOf(p robot.Place) namedPlace {
	return namedPlace{p.Name, [3]float64{roundToPage(p.Pose.X), roundToPage(p.Pose.Y), roundToPage(p.Pose.Theta)}}
}

// servePlaces lists the named places.
func (h *Handler) servePlaces(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("ETag", h.currentDrawing().tag)
	list := []namedPlace{}
	for _, p := range h.cfg.floorplan().Places {
		list = append(list, placeOf(p))
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"places": list})
}

// servePlace answers with one place.
func (h *Handler) servePlace(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", h.currentDrawing().tag)
	places := h.cfg.floorplan().Places
	i := indexOf(places, pathParam(r, "name"))
	if i < 0 {
		noPlace(w, pathParam(r, "name"))
		return
	}
	h.writeJSON(w, http.StatusOK, placeOf(places[i]))
}

func indexOf(places []robot.Place, name string) int {
	return slices.IndexFunc(places, func(p robot.Place) bool { return p.Name == name })
}

func noPlace(w http.ResponseWriter, name string) {
	writeSentence(w, http.StatusNotFound, fmt.Sprintf("There is no place %q; %s lists the places.", clipText(name), placesPath))
}

// A placeEdit is the requested change of a place.
type placeEdit struct {
	Lease uint64    `json:"lease"`
	Name  string    `json:"name"`
	Pose  []float64 `json:"pose"` // m, m, rad
}

// readFrom reads an edit; with pose it must contain the pose of the place.
func (e *placeEdit) readFrom(w http.ResponseWriter, r *http.Request, pose bool) bool {
	err := readJSON(r, e)
	switch {
	case err != nil:
		writeBodyFault(w, err)
	case pose && len(e.Pose) != 3:
		writeSentence(w, http.StatusBadRequest, fmt.Sprintf("pose has %d numbers; it should have three: x and y in m, and the heading in rad.", len(e.Pose)))
	default:
		return true
	}
	return false
}

func (e *placeEdit) placeNamed(name string) robot.Place {
	return robot.Place{Name: name, Pose: robot.Pose{X: e.Pose[0], Y: e.Pose[1], Theta: robot.WrapAngle(math.Mod(e.Pose[2], 2*math.Pi))}}
}

// serveNewPlace adds a place.
func (h *Handler) serveNewPlace(w http.ResponseWriter, r *http.Request) {
	var e placeEdit
	if !e.readFrom(w, r, true) {
		return
	}
	if e.Name == "" {
		writeSentence(w, http.StatusBadRequest, "The place has no name.")
		return
	}
	h.editPlaces(w, r, e.Lease, func(places []robot.Place) ([]robot.Place, string) {
		if indexOf(places, e.Name) >= 0 {
			return nil, fmt.Sprintf("There is already a place %q; change it with PUT.", e.Name)
		}
		return append(places, e.placeNamed(e.Name)), ""
	})
}

// serveSavePlace moves or renames a place.
func (h *Handler) serveSavePlace(w http.ResponseWriter, r *http.Request) {
	var e placeEdit
	was := pathParam(r, "name")
	if !e.readFrom(w, r, true) {
		return
	}
	if e.Name == "" {
		e.Name = was
	}
	if indexOf(h.cfg.floorplan().Places, was) < 0 {
		noPlace(w, was)
		return
	}
	h.editPlaces(w, r, e.Lease, func(places []robot.Place) ([]robot.Place, string) {
		i := indexOf(places, was)
		if i < 0 {
			return nil, fmt.Sprintf("There is no place %q.", was)
		}
		places[i] = e.placeNamed(e.Name)
		return places, ""
	})
}

// serveDeletePlace deletes a place.
func (h *Handler) serveDeletePlace(w http.ResponseWriter, r *http.Request) {
	var e placeEdit
	name := pathParam(r, "name")
	if !e.readFrom(w, r, false) {
		return
	}
	if indexOf(h.cfg.floorplan().Places, name) < 0 {
		noPlace(w, name)
		return
	}
	h.editPlaces(w, r, e.Lease, func(places []robot.Place) ([]robot.Place, string) {
		return slices.DeleteFunc(places, func(p robot.Place) bool { return p.Name == name }), ""
	})
}

// editPlaces saves the map after change has edited a copy of its places. Concurrent
// edits happen one at a time. A fault is a sentence.
func (h *Handler) editPlaces(w http.ResponseWriter, r *http.Request, lease uint64, change func([]robot.Place) (places []robot.Place, fault string)) {
	h.editing.Lock()
	defer h.editing.Unlock()
	places, fault := change(slices.Clone(h.cfg.floorplan().Places))
	if fault != "" {
		h.writeResult(w, robot.Result{Word: robot.Error, Reason: fault})
		return
	}
	h.saveMap(w, r, lease, h.cfg.floorplan().Graph, places)
}

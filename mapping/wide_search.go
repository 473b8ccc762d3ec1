package mapping

import (
	"math"

	"mybot/robot"
)

const (
	leastFit   = 0.25 // share of the points that must fit at a pose in a wide window; below minFit only if at no other pose
	rivalShare = 0.8  // this share of them fits

	wideDistance      = 1.0 // m, and
	wideTurn          = 0.6 // rad, the smallest wide window;
	wideDistanceShare = 0.5 // m per m of motion,
	wideTurnPerMetre  = 0.4 // rad per m, and
	wideTurnShare     = 0.3 // rad per rad, but
	maxWideTurn       = 1.2 // rad at most
)

// wideWindow returns the search window after a motion of distance m and turn rad in
// which odometry did not lead near enough.
func wideWindow(distance, turn float64) window {
	return window{
		distance: math.Max(wideDistance, wideDistanceShare*distance),
		turn:     robot.Clamp(wideTurnPerMetre*distance+wideTurnShare*turn, wideTurn, maxWideTurn),
	}
}

// A wideSearch finds the pose of a key frame if odometry did not lead near enough.
// If wheels slip or successive scans overlap little, fewer points may fit at the
// true pose than fit somewhere by chance, so that the share alone is no evidence;
// the evidence is that at no other pose nearly as many fit.
type wideSearch struct {
	submap *submap
	points []robot.Point
	near   prior // by odometry
	best   *poseSearch
	rival  *poseSearch // search for a rival of the best pose; nil = not begun
}

// newWideSearch prepares a search for a pose where at least the share least of the
// points fits.
func newWideSearch(s *submap, near prior, points []robot.Point, w window, least float64) *wideSearch {
	return &wideSearch{
		submap: s, points: points, near: near,
		best: newPoseSearch(newPyramid(&s.field), near.guess, points, w, math.Max(leastFit, least)),
	}
}

// advance does one slice of the search, and reports whether it has finished.
func (w *wideSearch) advance() (done bool) {
	switch {
	case w.rival != nil:
		return w.rival.advance(sliceLookups)
	case !w.best.advance(sliceLookups):
		return false
	case !w.best.found:
		return true
	}
	w.rival = w.best.newRivalSearch(rivalShare * w.best.fit())
	return false
}

// result returns the pose, and whether there is one. Of several similar places it
// is the one to which the wheels lead.
func (w *wideSearch) result() (robot.Pose, bool) {
	at, ok := w.best.result()
	if !ok || !w.rival.found {
		return at, ok
	}
	if w.best.fit() < minFit {
		return at, false
	}
	turned := w.near
	turned.guess.Theta = at.Theta
	like := w.submap.field.matchNear(turned, w.points)
	if w.submap.field.fit(like, w.points) >= rivalShare*w.best.fit() {
		at = like
	}
	return at, true
}

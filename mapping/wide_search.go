package mapping

import (
	"math"

	"mybot/robot"
)

const (
	leastFit   = 0.25 // of the points fit at a pose of a wide window, or it is none; below minFit only when at no other
	rivalShare = 0.8  // as many do

	wideWay       = 1.0 // m and
	wideTurn      = 0.6 // rad, of a wide window at least;
	wideWayShare  = 0.5 // m a m of the motion,
	wideTurnWay   = 0.4 // rad a m and
	wideTurnShare = 0.3 // rad a rad, but
	maxWideTurn   = 1.2 // rad at most
)

// wideWindow returns where a key frame is searched for when odometry did not lead near
// enough, after a motion of way m and turn rad.
func wideWindow(way, turn float64) window {
	return window{
		way:  math.Max(wideWay, wideWayShare*way),
		turn: robot.Clamp(wideTurnWay*way+wideTurnShare*turn, wideTurn, maxWideTurn),
	}
}

// A wideSearch finds a key frame where odometry did not lead near enough. Where wheels
// slip or a scan sees little of what the one before saw, at the true pose fewer points
// fit than chance lets fit somewhere, so that their share alone tells nothing: what tells
// is that at no other pose nearly as many fit.
type wideSearch struct {
	submap *submap
	points []robot.Point
	near   prior // by odometry
	best   *poseSearch
	rival  *poseSearch // for another pose than the best; nil = not begun
}

// newWideSearch prepares the search for a pose at which at least the share least of the
// points fits.
func newWideSearch(s *submap, near prior, points []robot.Point, w window, least float64) *wideSearch {
	return &wideSearch{
		submap: s, points: points, near: near,
		best: newPoseSearch(newPyramid(&s.field), near.guess, points, w, math.Max(leastFit, least)),
	}
}

// advance does one slice of the search, and reports whether it is over.
func (w *wideSearch) advance() (done bool) {
	switch {
	case w.rival != nil:
		return w.rival.advance(sliceLookups)
	case !w.best.advance(sliceLookups):
		return false
	case !w.best.found:
		return true
	}
	w.rival = w.best.rival(rivalShare * w.best.fit())
	return false
}

// result returns the pose, and whether there is one. Of places that look alike it is the
// one to which the wheels lead.
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

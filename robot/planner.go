package robot

import (
	"errors"
	"time"
)

// ErrPlanning is the error of Planner.Plan while it still looks for the path.
var ErrPlanning = errors.New("the path is still being planned")

// A Planner finds paths over one floor; package pathplan has one. The goroutine
// of the control loop alone uses it, and every call returns long before the next
// reading is due.
type Planner interface {
	// Plan finds the path of base_link from one pose to another, both in map. The
	// error is a Refusal that says why there is none, or Blocked around it, or
	// ErrPlanning: then the caller asks for the path to the same pose again at the
	// next reading, and the robot stands or keeps to its old path meanwhile.
	Plan(now time.Time, from, to Pose) (Path, error)
	// Block notes that something that is not on the floor plan stands at the
	// point face of map, as seen from base_link at from. It is believed for a
	// while.
	Block(now time.Time, from, face Point)
	// BlockPoints notes that something that is not on the floor plan stands at these
	// points of map, as lidars see it: in place of what was noted near them. It is
	// believed for a while. The points are the caller's again afterwards.
	BlockPoints(now time.Time, points []Point)
	// Clearance returns how far a point of map is from what is on the floor plan, in m;
	// 0 = the point is within it, or off the map.
	Clearance(at Point) float64
	// Observe takes a reading and the rays of its scans with base_link at pose, in
	// map, while the position can be trusted. It forgets what was noted and the
	// sonars or the lidars look through, and reports whether there was such a thing.
	Observe(r Reading, rays []Ray, pose Pose) (gone bool)
}

// A Ray is what one beam of a lidar shows, in base_link at the time of the reading that
// brought its scan: nothing is between From, where the lidar is, and To.
type Ray struct {
	From, To Point
	Echo     bool // something is at To; else the beam meets nothing within reach
}

// A Path is a way to a goal and how far the robot has come on it. Plan makes
// one; a path that is not followed costs nothing.
type Path interface {
	// Route is the path for people; its Number is 0.
	Route() Route
	// Follow returns the twist at M that is right when base_link is at pose, in
	// map, and M moves with twist. maxSpeed bounds the speed, in m/s.
	Follow(now time.Time, pose Pose, twist Twist, maxSpeed float64) (Twist, Progress)
	// Points returns the path of M as far as it is driven forwards, 0.1 m apart. The
	// caller must not change them.
	Points() []PathPoint
	// Watch looks for what stands in the lane ahead and is not on the floor
	// plan; rays are those of the scans of the reading, and pose is that of
	// base_link in map. It is called with every reading while the position can be
	// trusted.
	Watch(r Reading, rays []Ray, pose Pose) Lane
}

// Progress is how far a robot has come on a path.
type Progress struct {
	Done, Left float64       // m
	Time       float64       // s to go, about
	Across     float64       // m off the path, left positive
	Clearance  float64       // m that base_link has to what is on the map, at least, over the next metre
	Waiting    time.Duration // it has hardly moved for so long
	Lost       bool          // so far off that the path must be planned anew
	Exact      bool          // what comes now must be driven as planned: the turns on the spot at the start and at the goal, and the last of the path
	Over       bool          // the path leads no farther
	Arrived    bool          // the robot stands at the goal
}

// Lane is what is seen in the lane ahead.
type Lane struct {
	Seen    bool  // something is there now
	Face    Point // where, in map
	Blocked bool  // it has been there for so long that it counts
	Early   bool  // and it is so far ahead that the robot can still drive on: a lidar sees it
}

// Blocked is the refusal of a goal to which only what was noted by Block bars the
// way. It may be gone later.
type Blocked struct {
	Refusal
	At Point // what is in the way, in map
}

// Unwrap returns the refusal itself.
func (b Blocked) Unwrap() error { return b.Refusal }

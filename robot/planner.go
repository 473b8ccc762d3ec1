package robot

import (
	"errors"
	"time"
)

// ErrPlanning is Planner.Plan's error while it is still planning.
var ErrPlanning = errors.New("the path is still being planned")

// A Planner finds paths on one floor; package pathplan implements it. Only the control
// loop's goroutine uses it, and every call returns long before the next reading is due.
type Planner interface {
	// Plan plans a path of base_link from one pose to another, both in map. The error is a
	// Refusal that says why there is no path, Blocked around it, or ErrPlanning. After
	// ErrPlanning the caller asks for a path to the same pose again at the next reading;
	// meanwhile the robot stands or follows its old path.
	Plan(now time.Time, from, to Pose) (Path, error)
	// Block reports an obstacle that is not on the floor plan, at the point face in map, as
	// seen from base_link at from. The planner remembers it for a while.
	Block(now time.Time, from, face Point)
	// BlockPoints reports obstacle points that lidars see and that are not on the floor
	// plan, in map. They replace what was reported near them. The planner remembers them
	// for a while, and does not retain the slice.
	BlockPoints(now time.Time, points []Point)
	// Clearance returns the distance from a point in map to the nearest object on the floor
	// plan, in m; 0 = the point is inside an object or off the map.
	Clearance(at Point) float64
	// Observe takes a reading and the rays of its scans, with base_link at pose in map. The
	// caller calls it only while the position is reliable. The planner forgets reported
	// obstacles through which the sonars or lidars see, and reports whether there were any.
	Observe(r Reading, rays []Ray, pose Pose) (gone bool)
}

// A Ray is one beam of a lidar, in base_link at the time of the reading that brought its
// scan: From, the lidar's position, to To the space is free.
type Ray struct {
	From, To Point
	Echo     bool // an object is at To; false = nothing within range
}

// A Path is a path to a goal and the robot's progress on it. Plan returns it; a path that
// is not followed costs nothing.
type Path interface {
	// Route returns the path for users; its Number is 0.
	Route() Route
	// Follow returns the twist at M for base_link at pose, in map, while M moves with
	// twist. maxSpeed limits the speed, in m/s.
	Follow(now time.Time, pose Pose, twist Twist, maxSpeed float64) (Twist, Progress)
	// Points returns the part of M's path that is driven forward, at 0.1 m intervals. The
	// caller must not modify it.
	Points() []PathPoint
	// Watch looks for obstacles in the lane ahead that sonars hear and that are not on the
	// floor plan. pose is base_link in map. The caller calls it at every reading while the
	// position is reliable.
	Watch(r Reading, pose Pose) Lane
}

// Progress is a robot's progress on a path.
type Progress struct {
	Done, Left float64       // m
	Time       float64       // s, estimated time to go
	Across     float64       // m, cross-track error, left positive
	Clearance  float64       // m, least clearance of base_link over the next metre, from what was known when the path was planned
	Waiting    time.Duration // for how long the robot has hardly moved
	Lost       bool          // so far off the path that the caller must plan again
	Exact      bool          // this part must be driven as planned: turns on the spot at the start and at the goal, and the end of the path
	Over       bool          // the end of the path is reached
	Arrived    bool          // the robot is at the goal
}

// Lane describes an obstacle in the lane ahead.
type Lane struct {
	Seen    bool  // an obstacle is there now
	Face    Point // its position, in map
	Blocked bool  // it has been there long enough to count
}

// Blocked is the refusal of a goal that only reported obstacles make unreachable. They may
// disappear later.
type Blocked struct {
	Refusal
	At Point // of the obstacle, in map
}

// Unwrap returns the refusal itself.
func (b Blocked) Unwrap() error { return b.Refusal }

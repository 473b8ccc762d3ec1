// Package obstacle is the obstacle layer of a robot: what its scans, sonars and
// bumper tell of the 8 x 8 m around it that the map may not show.
//
// A Layer keeps points in a raster of 5 cm, the distance from each place to the nearest
// of them, and tracks of what moves, each with its velocity. A point goes when a beam
// looks through it twice; out of sight it is remembered for as long as its kind
// deserves (package limits, "Obstacles"). Clusters of points that the map does not explain are tracked
// by a Kalman filter with constant velocity. Points of what moves are no part of the
// distance: their track is.
//
// Points and tracks live in odom, which never jumps; what is on the map lives in map. Each
// reading brings the pose in map, so that a jump of the estimate moves the one against the
// other and loses nothing. Everything asked is in map.
//
// Everything is pure: time comes with the readings, no goroutine is started, one goroutine
// (that of Core) owns a Layer, and after the first scans nothing is allocated. The same
// readings give the same answers. Units are m, rad, s.
package obstacle

// Package obstacle is the obstacle layer of a robot: what its scans, sonars and bumper show
// of the 8 x 8 m around it that may not be on the map.
//
// A Layer holds points in a raster of 5 cm, the distance from each place to the nearest
// point, and tracks of moving obstacles, each with a velocity. It drops a point when beams
// look through it twice; out of sight it remembers a point for the time of its kind (package
// limits, "Obstacles"). A Kalman filter with constant velocity tracks clusters of points
// that the map does not explain. Points of moving obstacles do not count for the distance:
// their tracks do.
//
// Points and tracks are in odom, which never jumps; the map's walls are in map. Each
// reading brings the pose in map, so that a jump of the estimate moves the two relative to
// each other and loses nothing. All queries are in map.
//
// The package is pure: readings carry the time, it starts no goroutine, one goroutine (that
// of Core) owns a Layer, and after the first scans it allocates nothing. The same readings
// result in the same answers. Units are m, rad and s.
package obstacle

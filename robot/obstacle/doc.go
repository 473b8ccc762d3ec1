// Package obstacle keeps what the sensors of a robot tell of the 8 x 8 m around it: points
// in a raster of 5 cm, and the distance from each place to the nearest of them.
//
// Everything is pure and one goroutine uses it; after the first scans nothing is
// allocated. Points are in odom, units are m, rad, s.
package obstacle

// Package sketch draws what sonars show of an unknown floor: free floor and rough
// walls, near the place where the robot began.
//
// A sonar measures how far away something is, but not where in its beam, and smooth
// walls at a slant return no echo. So a sketch is not a map: poses come from wheels
// and compass and drift, no loop is closed, and walls are smeared over a decimetre
// or two. It is drawn only within MaxRange of the start. People draw walls on top
// of it by hand.
//
// The occupancy is that of Moravec and Elfes 1985: each ping makes the cells that
// its beam passes more likely free and those on the arc of its echo more likely
// occupied.
//
// The frame map of a sketch, and of an empty sheet, is base_link where it began.
//
// The package is pure: time comes with the readings. One goroutine uses a Sketch;
// any goroutine may use a Result.
package sketch

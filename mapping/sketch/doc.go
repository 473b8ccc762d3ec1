// Package sketch draws what sonars can tell of a floor of which there is no map: where
// the floor is free and roughly where walls are, near the place where the robot began.
//
// A sonar tells how far something is, but not where in its beam, and smooth walls at a
// slant return no echo. So a sketch is no map: poses are those of the wheels and the
// compass and drift, no loop is closed, and walls are smeared over a decimetre or two.
// It is drawn within MaxRange of the start only. People draw walls on top of it by hand.
//
// The occupancy is that of Moravec and Elfes 1985: each ping makes the cells that its beam
// passes more likely free and those on the arc of its echo more likely occupied.
//
// The frame map of a sketch, and of an empty sheet, is base_link where it began.
//
// The package is pure: time comes with the readings. One goroutine uses a Sketch; a
// Result may be used by any.
package sketch

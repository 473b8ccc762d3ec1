// Package mapping makes a map of an unknown floor from the scans of a lidar and the
// travel of the wheels: graph SLAM over submaps.
//
// A Mapper takes key frames, one every 0.2 m or 10 degrees. The front end places
// each in the running submap by a correlative match and Gauss-Newton, and ties it
// to its submaps and to the previous key frame; now and then it is searched for in
// older submaps, for a loop closure. Loops that confirm each other become edges of
// a pose graph, whose optimization moves everything to where all edges agree best.
// Occupancy is drawn from the key frames at their poses.
//
// The package is pure: no goroutine, clock or I/O, and the same key frames give the
// same map to the last bit. The caller owns the Mapper, feeds it by Add and lets it
// work by Step, in slices short enough for other work in between.
//
// Frames: map is base_link at the first key frame. A submap's frame is base_link at
// its first key frame.
//
// Sources: Olson 2009 (correlative matching), Hess et al. 2016 (submaps, branch and
// bound), Kümmerle et al. 2011 (pose graphs).
package mapping

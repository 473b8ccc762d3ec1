// Package localization estimates where the robot is, from wheels, compass and
// sonars.
//
// An estimator has three methods: Update takes a reading, Estimate returns the
// pose of base_link in map with its covariance, SetPose takes a pose from a person.
// It runs in virtual time: readings carry the time, there is no
// goroutine, clock or I/O, and the same readings give the same estimate. One
// goroutine, the owner of onboard.Core, calls it, in the order of the readings.
package localization

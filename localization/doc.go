// Package localization tells where the robot is, from what it feels.
//
// An estimator has three methods: Update takes a reading, Estimate returns the
// pose of base_link in map with its covariance, SetPose takes a person's word.
// It is a value in virtual time: readings carry the time, there is no
// goroutine, clock or I/O, and the same readings give the same estimate. One
// goroutine, the owner of onboard.Core, calls it, in the order of the readings.
package localization

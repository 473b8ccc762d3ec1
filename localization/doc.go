// Package localization estimates the robot's pose from wheels, compass, sonars and
// lidars.
//
// An estimator has three methods: Update takes a reading, Estimate returns the pose
// of base_link in map with its covariance, SetPose takes a pose from a person. MCL
// also has ObserveScans, which takes the scans of the reading. Estimators run in
// virtual time: readings carry the time, there is no goroutine, clock or I/O, and
// the same readings give the same estimate. One goroutine, the owner of
// onboard.Core, calls them, in the order of the readings.
package localization

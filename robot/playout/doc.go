// Package playout makes the robot follow a virtual robot over an unreliable network. It
// has the command filter, path generator, play-out clock and path-following controller
// of Han 2002, section 3.1, and RoboTalk's queue of timed commands, playback and
// recorded motions (Yang 2005 and its patent).
//
// The page's virtual robot responds to the stick at once. The page sends the virtual
// robot's pose, twist and time as a Sample. The robot reconstructs the path from the
// samples and follows it with feedback from its own localization, so delay shifts the
// motion in time but does not distort it. The policy Track avoids the obstacles that
// ObstacleMap reports.
//
// The package is pure: time comes with the data, and nothing waits or starts a
// goroutine. One goroutine owns a Player or a Queue. Virtual time is the page's clock in
// s; the robot's time is a time.Time. Poses in the API are of base_link (C) in map;
// internally, paths are of the axle point M.
package playout

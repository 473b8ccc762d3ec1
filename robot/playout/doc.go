// Package playout makes the robot follow a virtual robot over a bad network:
// command filter, path generator, play-out clock and path-following controller
// (Han 2002, section 3.1), and RoboTalk's queue of timed commands, its playback
// and its recorded motions (Yang 2005 and its patent).
//
// The page's virtual robot answers the stick at once. What travels is where it
// was, how fast and when: a Sample. The robot rebuilds the path from the
// samples and follows it with feedback from its own localization, so that
// delay shifts the motion in time and does not bend it. Track avoids obstacles on
// the path that ObstacleMap reports.
//
// Everything is pure: time comes with the data, nothing waits, no goroutine is
// started. One goroutine owns a Player (or a Queue). Virtual time is the page's
// clock in seconds; the robot's time is time.Time. Poses that come in and go
// out are of base_link (C) in map; inside, paths are of the axle point M.
package playout

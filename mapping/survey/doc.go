// Package survey makes a map while a person drives the robot.
//
// A Survey owns a mapping.Mapper: only the goroutine of Run works with it, in
// slices of some milliseconds. A Localizer runs in the control loop meanwhile. It
// turns clouds into key frames, passes them to the Survey through a channel on
// which it never waits, and loads the newest pose as an atomic value; between two
// poses it adds the travel of the wheels. Neither ever waits for the other.
//
// A Sketcher does the same for a robot with sonars and no lidar: it draws a sketch,
// or holds an empty sheet, and a SketchLocalizer runs in the control loop.
//
// A person's requests (pause, undo, finish and so on) reach the Survey by its
// methods, which wait for its goroutine. A request that it refuses returns a
// robot.Refusal, one after Run has ended ErrEnded. The Survey reports by the function
// passed to New.
package survey

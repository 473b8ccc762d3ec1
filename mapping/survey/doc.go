// Package survey makes a map while a person drives the robot.
//
// A Survey owns a mapping.Mapper: the goroutine of Run alone works with it, in slices
// of some milliseconds. A Localizer runs in the control loop meanwhile. It makes key
// frames of the clouds it gets, gives them to the Survey through a channel in which it
// never waits, and takes the newest pose back as a value; between two poses it adds what
// the wheels roll. Neither ever waits for the other.
//
// A Sketcher does the same for a robot with sonars and no lidar: it draws a sketch, or
// keeps an empty sheet, and a SketchLocalizer runs in the control loop.
//
// What a person asks for (pause, undo, finish and so on) reaches the Survey by its
// methods, which wait for its goroutine. It reports by the function that New gets.
package survey

// Package urdf reads and writes the subset of URDF (wiki.ros.org/urdf/XML) that a
// robot's description has: links with boxes, cylinders and spheres, joints, masses.
//
// Read treats its input as hostile and returns what it understood and what it skipped.
// Model.Describe adds what a URDF never contains, such as the wheel base, and produces the
// JSON for robot.ParseDescription. Write does the opposite. The package is pure.
package urdf

// Package urdf reads and writes the subset of URDF (wiki.ros.org/urdf/XML) that a
// robot's description has: links with boxes, cylinders and spheres, joints, masses.
//
// Read takes any bytes for hostile and returns what it understood and what it skipped.
// Model.Describe adds what a URDF never says, such as the wheel base, and makes the JSON
// of robot.ParseDescription. Write does the opposite. All of it is pure.
package urdf

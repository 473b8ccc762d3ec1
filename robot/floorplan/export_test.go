package floorplan

import "mybot/robot"

// WriteGrid writes a grid as WriteFolder does, for a compass that shows the yaw in map.
func WriteGrid(dir, name string, grid *robot.Grid) error { return writePicture(dir, name, grid, 0) }

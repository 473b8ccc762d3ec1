package app

import "path/filepath"

// MapsDir returns the folder of the robot's own maps, in a data directory.
func MapsDir(data string) string { return filepath.Join(data, "maps") }

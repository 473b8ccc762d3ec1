//go:build !linux

package camera

import (
	"fmt"
	"runtime"

	"mybot/robot"
)

// openDevice returns an error: devices need V4L2, which only Linux has.
func openDevice(path string) (robot.Camera, string, error) {
	return nil, "", fmt.Errorf("camera: %s: cameras of a computer are read on Linux alone, and this is %s; choose sim, pattern, none or a y4m file", path, runtime.GOOS)
}

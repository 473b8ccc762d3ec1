package onboard

import "mybot/script"

// The paths of the camera's values in scripts.
const (
	cameraPath  = "camera.val"
	qualityPath = "camera.quality"
	loadPath    = "camera.load"
)

// defaultQuality is the JPEG quality of camera.val until a script sets another.
const defaultQuality = 75

// A scriptedCamera is what scripts have set of the camera.
type scriptedCamera struct {
	quality float64 // JPEG, 1 to 100
	offBy   string  // unit that has set camera.load to 0; "" = none
}

// setCamera takes what a unit has set the camera's quality or load to.
func (s *scripted) setCamera(path string, x float64, unit string) {
	if path == qualityPath {
		s.camera.quality = x
		return
	}
	off := ""
	if x == 0 {
		off = unit
	}
	if off != s.camera.offBy {
		s.camera.offBy = off
		s.licence.version++ // people see at once who has switched the camera off
	}
}

// watchCamera switches the camera on again when the unit that has switched it off ends.
func (s *scripted) watchCamera() {
	if unit := s.camera.offBy; unit != "" && !s.machine.IsOpen(unit) {
		s.setCamera(loadPath, 1, "")
		s.machine.Measure(loadPath, script.Number(1))
	}
}

package robot

// A Part is something that a robot may have or lack. A command to a missing part is
// answered NA.
type Part string

// The parts. Wheels are not among them, because every robot has those.
const (
	PartSonars   Part = "sonars"
	PartLidars   Part = "lidars"
	PartCompass  Part = "compass"
	PartBumper   Part = "bumper"
	PartOKSwitch Part = "ok_switch"
	PartHead     Part = "head"
	PartSpeaker  Part = "speaker"
	PartDisplay  Part = "display"
	PartBattery  Part = "battery"
	PartEncoder  Part = "encoder"
	PartCamera   Part = "camera" // of the robot's computer
	PartMap      Part = "map"    // of the robot's floor
)

// Parts returns the parts in the description.
func (d Description) Parts() []Part {
	parts := []Part{}
	for _, p := range []struct {
		part Part
		has  bool
	}{
		{PartSonars, len(d.Sonars) > 0},
		{PartLidars, len(d.Lidars) > 0},
		{PartCompass, d.Compass},
		{PartBumper, d.Bumper},
		{PartOKSwitch, d.OKSwitch},
		{PartHead, d.Head != nil},
		{PartSpeaker, d.Speaker},
		{PartDisplay, d.Display},
		{PartBattery, d.Battery != BatteryPack{}},
		{PartEncoder, d.Encoder != Encoder{}},
	} {
		if p.has {
			parts = append(parts, p.part)
		}
	}
	return parts
}

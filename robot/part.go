package robot

// A Part is something that a robot may have or lack. What a program or a page asks of
// a part that is not there is answered NA.
type Part string

// The parts. Wheels are not among them: every robot has those.
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
	PartCamera   Part = "camera" // of the computer that the robot carries
	PartMap      Part = "map"    // of the floor that the robot is on
)

// Parts returns those that the description names.
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

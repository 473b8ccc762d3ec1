package pioneer

import (
	"encoding/binary"
	"fmt"
)

// The types of a standard server information packet.
const (
	typeStanding = 0x32
	typeMoving   = 0x33
)

// The bits of SIP.Flags.
const (
	FlagMotors   = 1 << 0  // the motors are on
	FlagStop     = 1 << 5  // the STOP button is pressed
	FlagEStall   = 1 << 6  // the emergency stop has switched the motors off
	FlagCharging = 1 << 10 // the charger gives power
)

// A SIP is the standard server information packet, which a robot sends ten times a
// second, in the robot's own units.
type SIP struct {
	Moving      bool
	X, Y        uint16 // units of distance since power-on; older firmware wraps them at 15 bits
	Heading     int16  // 4096ths of a turn, counter-clockwise
	Left, Right int16  // units of speed, of the wheels
	Battery     byte   // tenths of a volt
	Contact     uint16 // bits 0 and 8: the left and the right wheel stall; the others are bumpers
	Flags       uint16
	Compass     byte   // units of 2 degrees, clockwise
	Echoes      []Echo // new since the previous packet
}

// An Echo is the range of one sonar.
type Echo struct {
	Sonar int
	Range uint16 // units of range
}

// Offsets of the fields of a SIP in its data.
const (
	offsetX       = 1
	offsetY       = 3
	offsetHeading = 5
	offsetLeft    = 7
	offsetRight   = 9
	offsetBattery = 11
	offsetContact = 12
	offsetFlags   = 16 // after the set point of the angular servo
	offsetCompass = 18
	offsetEchoes  = 19 // the count, then each echo
	echoSize      = 3
)

// isSIP reports whether the data of a packet is a standard SIP. Robots also send
// packets of other types.
func isSIP(data []byte) bool {
	return len(data) > 0 && (data[0] == typeStanding || data[0] == typeMoving)
}

// ReadSIP decodes the data of a standard SIP. It ignores what follows the sonars,
// which differs between firmware versions.
func ReadSIP(data []byte) (SIP, error) {
	if !isSIP(data) {
		return SIP{}, fmt.Errorf("pioneer: the packet is none with the robot's state")
	}
	if len(data) <= offsetEchoes {
		return SIP{}, fmt.Errorf("pioneer: the robot's state has %d bytes; it should have at least %d", len(data), offsetEchoes+1)
	}
	u16 := binary.LittleEndian.Uint16
	s := SIP{
		Moving:  data[0] == typeMoving,
		X:       u16(data[offsetX:]),
		Y:       u16(data[offsetY:]),
		Heading: int16(u16(data[offsetHeading:])),
		Left:    int16(u16(data[offsetLeft:])),
		Right:   int16(u16(data[offsetRight:])),
		Battery: data[offsetBattery],
		Contact: u16(data[offsetContact:]),
		Flags:   u16(data[offsetFlags:]),
		Compass: data[offsetCompass],
	}
	count, rest := int(data[offsetEchoes]), data[offsetEchoes+1:]
	if len(rest) < count*echoSize {
		return SIP{}, fmt.Errorf("pioneer: the robot's state has room for %d of %d sonars", len(rest)/echoSize, count)
	}
	for i := range count {
		echo := rest[i*echoSize:]
		s.Echoes = append(s.Echoes, Echo{Sonar: int(echo[0]), Range: u16(echo[1:])})
	}
	return s, nil
}

// AppendSIP appends the packet of a SIP, as a robot would send it.
func AppendSIP(dst []byte, s SIP) []byte {
	le := binary.LittleEndian
	data := []byte{typeStanding}
	if s.Moving {
		data[0] = typeMoving
	}
	for _, x := range []uint16{s.X, s.Y, uint16(s.Heading), uint16(s.Left), uint16(s.Right)} {
		data = le.AppendUint16(data, x)
	}
	data = append(data, s.Battery)
	data = le.AppendUint16(data, s.Contact)
	data = le.AppendUint16(data, 0) // the set point of the angular servo
	data = le.AppendUint16(data, s.Flags)
	data = append(data, s.Compass, byte(len(s.Echoes)))
	for _, e := range s.Echoes {
		data = le.AppendUint16(append(data, byte(e.Sonar)), e.Range)
	}
	return AppendPacket(dst, data)
}

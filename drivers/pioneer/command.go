package pioneer

import (
	"encoding/binary"
	"math"
)

// A Command is the number of a command to a robot.
type Command byte

// The commands that a Driver uses.
const (
	CommandPulse  Command = 0  // resets the watchdog
	CommandOpen   Command = 1  // starts the controllers
	CommandClose  Command = 2  // stops the robot and ends the connection
	CommandEnable Command = 4  // 1 = motors on, 0 = off
	CommandVel    Command = 11 // mm/s forward
	CommandRVel   Command = 21 // deg/s counter-clockwise
	CommandSonar  Command = 28 // 1 = sonars on
	CommandStop   Command = 29 // brakes; the motors remain on

	CommandHostBaud Command = 50 // the rate of the port: 0 = 9600, 1 = 19200, 2 = 38400, 3 = 57600, 4 = 115200 baud
)

// The types of an argument.
const (
	positive = 0x3B
	negative = 0x1B
	text     = 0x2B
)

// AppendCommand appends the packet of a command without an argument.
func AppendCommand(dst []byte, c Command) []byte { return AppendPacket(dst, []byte{byte(c)}) }

// AppendCommandValue appends the packet of a command with a whole number, whose
// sign is encoded in the type of the argument. It is clamped to the 15 bits that
// every firmware reads.
func AppendCommandValue(dst []byte, c Command, value int) []byte {
	kind := byte(positive)
	if value < 0 {
		kind, value = negative, -value
	}
	data := binary.LittleEndian.AppendUint16([]byte{byte(c), kind}, uint16(min(value, math.MaxInt16)))
	return AppendPacket(dst, data)
}

// ReadCommand decodes the data of a packet as a robot does; ok is false if it is
// not a command with a number or without an argument.
func ReadCommand(data []byte) (c Command, value int, ok bool) {
	switch {
	case len(data) == 1:
		return Command(data[0]), 0, true
	case len(data) == 4 && (data[1] == positive || data[1] == negative):
		value = int(binary.LittleEndian.Uint16(data[2:]))
		if data[1] == negative {
			value = -value
		}
		return Command(data[0]), value, true
	default:
		return 0, 0, false
	}
}

package protocol

import (
	"encoding/json"
	"time"

	"mybot/robot"
)

// Version is the version of mybot.base that this package implements.
const Version = 1

// Millis is a time on the clock of a base, in ms since an event of its choice,
// usually power-on. The clock never goes back while the base runs.
type Millis int64

// Duration returns the time since the zero of that clock; at most 73 years.
func (m Millis) Duration() time.Duration {
	const most = 1 << 61 / Millis(time.Millisecond)
	return time.Duration(max(-most, min(m, most))) * time.Millisecond
}

// A Message is the content of one line.
type Message interface {
	kind() string // the value of "t"
	write(*writer)
}

// Kind returns the kind of the message: the value of "t".
func Kind(m Message) string { return m.kind() }

// A ToBase is a message from Mybot to a base.
type ToBase interface {
	Message
	toBase()
}

// A FromBase is a message from a base to Mybot.
type FromBase interface {
	Message
	fromBase()
}

// Hello begins a conversation. The base stops, forgets the numbers of earlier drive
// lines and answers with Describe.
type Hello struct {
	Versions []int // that Mybot speaks
}

// Drive asks the base to move.
type Drive struct {
	Number int64       // increases by at least 1 from line to line, since Hello
	Until  Millis      // the base executes the line until then and no longer than its hold
	Twist  robot.Twist // at the axle point M
}

// Look turns the head.
type Look struct {
	Head robot.HeadAngles
}

// Joints moves joints to positions.
type Joints struct {
	At map[string]float64 // rad or m, by the joint's name in the description
}

// Say asks the base to speak a text.
type Say struct {
	ID   int64 // is returned in Said
	Text string
	Lang string // "" = the base chooses
}

// Show puts text on the display of the base; without lines it clears the display.
type Show struct {
	Lines []string
}

// Panic stops a base and keeps it stopped until Clear.
type Panic struct{}

// Clear releases a Panic.
type Clear struct{}

// Ping is answered by Pong.
type Ping struct {
	ID int64
}

// Describe answers Hello.
type Describe struct {
	Version int             // of mybot.base, used by the base from now on
	Base    string          // its program and version
	Robot   json.RawMessage // the description for robot.ParseDescription; nil = the base has none
}

// Reading reports the wheels, 10 to 100 times a second.
type Reading struct {
	At     Millis
	Totals Totals
	Got    int64 // number of the newest executed drive line; 0 = none since Hello
	Senses
}

// More reports the other sensors.
type More struct {
	At Millis
	Senses
}

// Totals is how far the base has driven since power-on, in one of three forms:
// WheelTotals, TickTotals or PoseTotals. A lost line loses no travel.
type Totals interface {
	writeTotals(*writer)
}

// WheelTotals is how far each wheel has rolled, in m, forward positive.
type WheelTotals robot.Wheels

// TickTotals is the count of each encoder, forward positive. Counts wrap at 32
// bits, and differences are right even then; a base may write them signed or
// unsigned.
type TickTotals struct{ Left, Right int32 }

// PoseTotals is the odometry of a base that has no wheel encoders to report, or
// computes its own: the pose of base_link in odom.
type PoseTotals robot.Pose

// Senses are the sensors that a line reports; nil means not reported, so that the
// last value remains.
type Senses struct {
	Ranges  []int              // mm from the face of each sonar; NoEcho and OutOfOrder
	Yaw     *float64           // rad, of the gyroscope, counter-clockwise, from any direction
	Compass *float64           // rad, a yaw in map
	Bump    *bool              // the bumper is pressed
	OK      *bool              // the OK switch is pressed
	EStop   *bool              // the base's own emergency stop is pressed
	Head    *robot.HeadAngles  // where the head looks
	Joints  map[string]float64 // rad or m
	Battery *Battery
	Refuses *string // why the base refuses to drive; "" = it does not
}

// Battery is what a base knows about its battery; nil = unknown.
type Battery struct {
	Volts    *float64
	Amperes  *float64 // drawn; negative while charging
	Charge   *float64 // 0 empty to 1 full
	Charging *bool
}

// Values in place of a range in mm.
const (
	NoEcho     = 0  // nothing within reach
	OutOfOrder = -1 // no measurement
)

// Scan is one revolution of a lidar.
type Scan struct {
	At     Millis // of the first beam
	Lidar  int    // index into the lidars of the description
	Lasts  int64  // ms from the first beam to the last
	Ranges []int  // mm, one per beam in the order of the description; NoEcho and OutOfOrder
}

// Said reports that a text has been spoken completely.
type Said struct {
	ID int64
}

// Pong answers Ping.
type Pong struct {
	ID int64
	At Millis
}

// Error says what the base could not do or did not understand.
type Error struct {
	Text string
}

// Log is a line for the robot's log.
type Log struct {
	Level string // debug, info, warn or error
	Text  string
}

// Unknown is a message of a kind that this version does not know. The receiver
// ignores it; it is never encoded.
type Unknown struct {
	Kind string
}

func (Hello) toBase()   {}
func (Drive) toBase()   {}
func (Look) toBase()    {}
func (Joints) toBase()  {}
func (Say) toBase()     {}
func (Show) toBase()    {}
func (Panic) toBase()   {}
func (Clear) toBase()   {}
func (Ping) toBase()    {}
func (Unknown) toBase() {}

func (Describe) fromBase() {}
func (Reading) fromBase()  {}
func (More) fromBase()     {}
func (Scan) fromBase()     {}
func (Said) fromBase()     {}
func (Pong) fromBase()     {}
func (Error) fromBase()    {}
func (Log) fromBase()      {}
func (Unknown) fromBase()  {}

package robot

import (
	"math"
	"time"
)

// A Reading is what the base felt since the one before it.
type Reading struct {
	Time    time.Time // when, by this computer's clock: time.Now
	Travel  Wheels    // m rolled by each wheel since the last reading, forward positive
	Heading float64   // rad, compass, already a yaw in map; NaN where there is no compass
	Ranges  []float64 // m from each sonar's face, in the order of Description.Sonars; +Inf = no echo, NaN = out of order
	Scans   []Scan    // from the lidars since the last reading, oldest first; usually none or one
	Bump    bool      // the bumper is pressed
	OK      bool      // the OK switch is pressed
	EStop   bool      // the base's own emergency stop is pressed
	Refuses string    // why the base would not drive now, in a sentence; "" = it would
	Head    HeadAngles
	Joints  []float64 // rad or m, in the order of Description.Joints; NaN = not known, nil = none is
	Battery Battery
}

// HeadAngles is where the head looks, seen from base_link.
type HeadAngles struct {
	Pan  float64 `json:"pan"`  // rad, left positive
	Tilt float64 `json:"tilt"` // rad, up positive
}

// Battery is the state of the battery. NaN is a figure that is not known.
type Battery struct {
	Volts    float64       // V
	Amperes  float64       // A drawn; negative while charging
	Charge   float64       // 0 empty to 1 full
	Charging bool          // at the dock
	Left     time.Duration // until empty at the present use; 0 = not known
}

// UnknownBattery returns the battery of a robot that does not report one.
func UnknownBattery() Battery {
	return Battery{Volts: math.NaN(), Amperes: math.NaN(), Charge: math.NaN()}
}

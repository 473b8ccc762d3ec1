package robot

import (
	"math"
	"time"
)

// A Reading is what the base measured since the last reading.
type Reading struct {
	Time    time.Time // by this computer's clock: time.Now
	Travel  Wheels    // m, travel of each wheel since the last reading, forward positive
	Heading float64   // rad, compass, as a yaw in map; NaN = no compass
	Ranges  []float64 // m, from each sonar's face, in the order of Description.Sonars; +Inf = no echo, NaN = out of order
	Scans   []Scan    // from the lidars since the last reading, oldest first; usually none or one
	Bump    bool      // the bumper is pressed
	OK      bool      // the OK switch is pressed
	EStop   bool      // the base's own emergency stop is pressed
	Refuses string    // sentence why the base refuses to drive now; "" = it does not
	Head    HeadAngles
	Joints  []float64 // rad or m, in the order of Description.Joints; NaN = unknown, nil = all unknown
	Battery Battery
}

// HeadAngles is the direction of the head, in base_link.
type HeadAngles struct {
	Pan  float64 `json:"pan"`  // rad, left positive
	Tilt float64 `json:"tilt"` // rad, up positive
}

// Battery is the state of the battery. NaN = unknown.
type Battery struct {
	Volts    float64       // V
	Amperes  float64       // A, drawn; negative while charging
	Charge   float64       // 0 empty to 1 full
	Charging bool          // at the dock
	Left     time.Duration // until empty at the present power; 0 = unknown
}

// UnknownBattery returns the state of a battery that is not reported.
func UnknownBattery() Battery {
	return Battery{Volts: math.NaN(), Amperes: math.NaN(), Charge: math.NaN()}
}

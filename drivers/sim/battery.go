package sim

import (
	"fmt"
	"math"
	"time"

	"mybot/robot"
)

// battery is a lead-acid battery with its charge, a voltage curve and an inner
// resistance.
type battery struct {
	charge  float64 // 0 empty to 1 full
	mean    float64 // A drawn, averaged over about useTime; 0 = unknown
	reading robot.Battery
}

const (
	useTime    = 300.0 // s over which consumption is averaged
	resistance = 0.015 // ohm, inner, of a 12 V battery
	absorption = 0.8   // charge at which the charger begins to reduce the current
	trickle    = 0.02  // share of the current when full
	dockReach  = 0.10  // m from the dock's pose within which the contacts meet
	dockTurn   = math.Pi / 12
	still      = 0.01 // m/s and rad/s
)

// SetCharge gives the battery another charge, 0 empty to 1 full.
func (w *World) SetCharge(charge float64) error {
	if w.desc.Battery == (robot.BatteryPack{}) {
		return robot.Refusal{Word: robot.NA, Reason: "This robot's battery is not measured."}
	}
	if !(charge >= 0 && charge <= 1) {
		return fmt.Errorf("a charge of %v is not between 0 and 1", charge)
	}
	w.battery.charge = charge
	return nil
}

// restVolts is the voltage of a resting 12 V lead-acid battery at a charge of
// 0, 0.2, 0.4 ... 1.
var restVolts = [...]float64{11.31, 11.75, 12.06, 12.32, 12.54, 12.73}

// drainBattery discharges or charges the battery for dt seconds.
func (w *World) drainBattery(dt float64) {
	b, pack := &w.battery, w.desc.Battery
	if pack == (robot.BatteryPack{}) { // the battery is not measured and never runs down
		b.charge, b.reading = 1, robot.UnknownBattery()
		return
	}
	volts := chargeCurve(b.charge) * pack.Volts / 12
	inner := resistance * pack.Volts / 12
	charging := w.isDocked()
	var current float64
	if charging {
		current = -pack.Charger / volts * max(trickle, min(1, (1-b.charge)/(1-absorption)))
	} else if b.charge > 0 {
		current = (pack.Idle + pack.Moving*w.driveEffort()) / (volts - inner*b.reading.Amperes)
	}
	if pack.Capacity > 0 {
		b.charge = max(0, min(1, b.charge-current*dt/3600/pack.Capacity))
	}

	b.reading = robot.Battery{
		Volts:    volts - inner*current,
		Amperes:  current,
		Charge:   b.charge,
		Charging: charging,
	}
	if charging {
		b.mean = 0
		return
	}
	if b.mean == 0 {
		b.mean = current
	}
	b.mean += (current - b.mean) * dt / useTime
	if b.mean > 0 {
		b.reading.Left = time.Duration(b.charge*pack.Capacity/b.mean*3600) * time.Second
	}
}

// driveEffort returns the effort of the motors: 1 = both wheels turn at the safe
// straight speed.
func (w *World) driveEffort() float64 {
	wheels := w.desc.Drivetrain.Wheels(w.base.twist)
	return (math.Abs(wheels.Left) + math.Abs(wheels.Right)) / 2 / w.desc.Safe.Linear
}

// isDocked reports whether the robot is on the contacts of the dock. They meet when it
// stands there, and stay together until it has left their reach.
func (w *World) isDocked() bool {
	moves := math.Abs(w.base.twist.Linear) > still || math.Abs(w.base.twist.Angular) > still
	if w.plan.Dock == nil || moves && !w.battery.reading.Charging {
		return false
	}
	off := w.plan.Dock.Inverse().Compose(w.base.pose)
	return off.Point().Norm() < dockReach && math.Abs(off.Theta) < dockTurn
}

// chargeCurve returns the resting voltage at a charge, interpolated linearly
// between the values of restVolts.
func chargeCurve(charge float64) float64 {
	at := max(0, min(1, charge)) * float64(len(restVolts)-1)
	i := min(int(at), len(restVolts)-2)
	return restVolts[i] + (at-float64(i))*(restVolts[i+1]-restVolts[i])
}

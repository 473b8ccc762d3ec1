package script

import "math"

// A Device is one value of a part of the robot, such as headPan.val.
type Device struct {
	Name     string // such as headPan
	Field    string // "" = val
	Unit     string
	Min, Max float64 // both 0 = no range; an end may be infinite
	// Kind is the word that people use for it, such as joint.
	Kind string
	// ReadOnly means that only the host sets it, by Measure.
	ReadOnly bool
	// SetBy is the unit that alone may set it; "" = every unit may. The host receives what
	// it sets even if that is the value already.
	SetBy string
	// Moves means that setting it moves the robot, so a setting waits while the motion of
	// its unit is held.
	Moves bool
	// FollowsAtOnce means that reading returns the value that was set. Otherwise reading
	// returns the value of Measure, and a command is over when that is within Tolerance of
	// the value that was set.
	FollowsAtOnce bool
	Tolerance     float64
	// Odometric means that it measures the motion of the robot, whatever caused it. A held
	// motion continues from the robot's position at that time, with the rest of the motion.
	Odometric bool
	// NoBinary says, in a sentence, why it cannot be set to a picture or a sound, nor to a
	// list of them; "" = it can.
	NoBinary string
	// Takes is a format of binary data that it can be set to in spite of NoBinary, such as
	// wav; "" = none.
	Takes string
	// Initial is the value until it is set or measured.
	Initial Value

	told   Value // last output to the host
	toldBy *Unit // that has set it, if it is no number
}

// An Output is a value to which the host must set a device.
type Output struct {
	Name  string // including the field, such as headPan.val
	Value Value
	Unit  string // that has set it; "" = a number that several units move
}

func (d *Device) path() string {
	if d.Field == "" {
		return d.Name + ".val"
	}
	return d.Name + "." + d.Field
}

// tells reports whether the host receives the values that scripts set.
func (d *Device) tells() bool { return !d.ReadOnly }

// mayBeSetBy reports whether the commands of a unit may set the device.
func (d *Device) mayBeSetBy(unit string) bool {
	return !d.ReadOnly && (d.SetBy == "" || d.SetBy == unit)
}

func (m *Machine) addDevice(d Device) {
	c := &cell{machine: m, name: d.path(), device: &d, unit: d.Unit, low: math.Inf(-1), high: math.Inf(1)}
	if d.Min != 0 || d.Max != 0 {
		c.low, c.high = d.Min, d.Max
	}
	c.value = d.Initial
	if c.value.kind == nothing {
		c.value = Number(0)
	}
	c.measured, d.told = c.value, c.value
	m.devices[d.Name] = true
	m.cells[d.path()] = c
	m.deviceOrder = append(m.deviceOrder, c)
}

// Measure sets the measured value of a device. It takes effect in the next instant.
func (m *Machine) Measure(name string, v Value) {
	c := m.cells[name]
	if c == nil || c.device == nil || !c.isRead && v.equals(c.measured) && v.equals(c.value) {
		return
	}
	c.reading = v
	if !c.isRead {
		c.isRead = true
		m.measured = append(m.measured, c)
	}
}

// measure lets the last reading take effect.
func (c *cell) measure() {
	v := c.reading
	c.measured, c.isRead = v, false
	c.version++
	if len(c.motions) == 0 || c.device.ReadOnly {
		c.value = v // without motions, the measured value is the value
		c.device.told = v
	}
}

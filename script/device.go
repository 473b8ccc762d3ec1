package script

import "math"

// A Device is one value of a part of the robot, such as headPan.val.
type Device struct {
	Name     string // such as headPan
	Field    string // "" = val
	Unit     string
	Min, Max float64 // both 0 = without range; an end may be infinite
	// Kind is what a person calls it, such as joint.
	Kind string
	// ReadOnly: only the host sets it, by Measure.
	ReadOnly bool
	// Moves: to set it moves the robot, so it waits while the motion of a unit is held.
	Moves bool
	// FollowsAtOnce: what is set is what is read. Otherwise Measure says what is
	// read, and a command is over when that is within Tolerance of what was set.
	FollowsAtOnce bool
	Tolerance     float64
	// Odometric: it measures how far the robot has come, whoever moved it. A motion that
	// was held continues from where the robot is then, with what was left of it.
	Odometric bool
	// Initial is the value before it is set or measured.
	Initial Value

	told Value // what the host was asked for last
}

// An Output is what the host is asked to set a device to.
type Output struct {
	Name  string // with its field, such as headPan.val
	Value Value
}

func (d *Device) path() string {
	if d.Field == "" {
		return d.Name + ".val"
	}
	return d.Name + "." + d.Field
}

// tells reports whether the host is told what is set.
func (d *Device) tells() bool { return !d.ReadOnly }

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

// Measure says what a device measures. It counts from the next instant on.
func (m *Machine) Measure(name string, v Value) {
	c := m.cells[name]
	if c == nil || c.device == nil || v.equals(c.measured) && v.equals(c.value) {
		return
	}
	c.measured = v
	c.version++
	if len(c.motions) == 0 || c.device.ReadOnly {
		c.value = v // nothing moves it: it is where it is
		c.device.told = v
	}
}

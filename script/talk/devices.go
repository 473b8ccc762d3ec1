package talk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mybot/script"
	"mybot/strictjson"
)

// maxDeviceBytes and maxDevices limit the file of devices.
const (
	maxDeviceBytes = 1 << 20
	maxDevices     = 1000
)

var kinds = []string{"joint", "wheel", "led", "sensor"}

// ReadDevices reads the devices of a conversation: a list such as
// [{"name":"headPan","unit":"deg","min":-91,"max":91,"kind":"joint"}]. The error
// says what is wrong and what would be right.
func ReadDevices(data []byte) ([]script.Device, error) {
	if err := strictjson.Check(data, maxDeviceBytes); err != nil {
		return nil, err
	}
	list, ok := strictjson.OpenList(bytes.TrimSpace(data))
	if !ok {
		return nil, fmt.Errorf("it must be a list of devices in [ ]")
	}
	var devices []script.Device
	names := map[string]bool{}
	for value, ok := list.Next(); ok; value, ok = list.Next() {
		where := fmt.Sprintf("[%d]", len(devices))
		d, err := readDevice(value, where)
		switch {
		case err != nil:
			return nil, err
		case names[d.Name]:
			return nil, fmt.Errorf("%s.name is %q, which another device has; names must differ", where, d.Name)
		case len(devices) == maxDevices:
			return nil, fmt.Errorf("there are more than %d devices", maxDevices)
		}
		names[d.Name] = true
		devices = append(devices, d)
	}
	return devices, nil
}

// readDevice reads one device.
func readDevice(value json.RawMessage, where string) (script.Device, error) {
	var first error
	o := strictjson.NewObject(value, where, func(f strictjson.Fault) {
		if first == nil {
			first = f
		}
	})
	d := script.Device{FollowsAtOnce: true}
	d.Name = readText(o, "name", "the name of a device, such as \"headPan\"", true)
	d.Unit = readText(o, "unit", "a unit in quotes, such as \"deg\"", false)
	low, hasLow := readNumber(o, "min")
	high, hasHigh := readNumber(o, "max")
	d.Kind = readText(o, "kind", "\""+strings.Join(kinds, "\", \"")+"\"", true)
	o.End()
	if first != nil {
		return d, first
	}
	return d, checkDevice(&d, where, low, high, hasLow, hasHigh)
}

// checkDevice completes a device, and returns what is wrong with it.
func checkDevice(d *script.Device, where string, low, high float64, hasLow, hasHigh bool) error {
	for part := range strings.SplitSeq(d.Name, ".") {
		if !script.IsName(part) {
			return fmt.Errorf("%s.name is %q; a name has letters, digits and _, and is no word of the language", where, clip(d.Name))
		}
	}
	switch d.Kind {
	case "joint", "led", "sensor":
	case "wheel":
		if hasLow || hasHigh {
			return fmt.Errorf("%s: a wheel has no range; leave min and max out", where)
		}
	default:
		return fmt.Errorf("%s.kind is %q; it must be joint, wheel, led or sensor", where, clip(d.Kind))
	}
	d.Moves = d.Kind == "joint" || d.Kind == "wheel"
	switch {
	case hasLow != hasHigh:
		return fmt.Errorf("%s: a range has both min and max", where)
	case hasLow && low >= high:
		return fmt.Errorf("%s: min is %v and max is %v; min must be less than max", where, low, high)
	case hasLow:
		d.Min, d.Max = low, high
	case d.Kind == "led":
		d.Min, d.Max = 0, 1
	}
	return nil
}

func readText(o *strictjson.Object, key, want string, needed bool) string {
	value := o.Take(key)
	if value == nil {
		if needed {
			o.Reject(key, want)
		}
		return ""
	}
	text, ok := strictjson.Unquote(value)
	if !ok {
		o.Reject(key, want)
	}
	return text
}

func readNumber(o *strictjson.Object, key string) (float64, bool) {
	value := o.Take(key)
	if value == nil {
		return 0, false
	}
	var f float64
	if !strictjson.IsNumber(value) || json.Unmarshal(value, &f) != nil {
		o.Reject(key, "a number")
	}
	return f, true
}

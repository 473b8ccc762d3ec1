package talk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
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
//
// Unlike other files, it may have fields that are not known here. Such lists come from other
// programs, which describe more of a device than a conversation needs, and nothing moves
// because of a field that is misspelt.
func ReadDevices(data []byte) ([]script.Device, error) {
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
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
	d.Kind = cmp.Or(readText(o, "kind", "\""+strings.Join(kinds, "\", \"")+"\"", false), "sensor")
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
		hasLow, hasHigh = false, false // it turns without end, whatever the list says
	default:
		return fmt.Errorf("%s.kind is %q; it must be joint, wheel, led or sensor", where, clip(d.Kind))
	}
	d.Moves = d.Kind == "joint" || d.Kind == "wheel"
	if !hasLow {
		low = math.Inf(-1)
	}
	if !hasHigh {
		high = math.Inf(1)
	}
	switch {
	case low >= high:
		return fmt.Errorf("%s: min is %v and max is %v; min must be less than max", where, low, high)
	case hasLow || hasHigh:
		d.Min, d.Max = low, high
	case d.Kind == "led":
		d.Min, d.Max = 0, 1
	}
	return nil
}

func readText(o *strictjson.Object, key, want string, needed bool) string {
	if !o.Has(key) {
		if needed {
			o.Reject(key, want)
		}
		return ""
	}
	text, ok := strictjson.Unquote(o.Take(key))
	if !ok {
		o.Reject(key, want)
	}
	return text
}

func readNumber(o *strictjson.Object, key string) (float64, bool) {
	if !o.Has(key) {
		return 0, false
	}
	value := o.Take(key)
	var f float64
	if !strictjson.IsNumber(value) || json.Unmarshal(value, &f) != nil {
		o.Reject(key, "a number")
	}
	return f, true
}

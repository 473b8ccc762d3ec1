package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"mybot/robot"
	"mybot/strictjson"
)

// The limits of the values in a line.
const (
	// MaxNumber is the largest number of a drive line and of a ping, in 32 bits
	// signed, for small microcontrollers.
	MaxNumber = math.MaxInt32
	maxMillis = 1<<53 - 1 // the largest whole number that every JSON library represents exactly

	maxSpeed  = 100.0 // m/s, rad/s
	maxTurn   = 3.15  // rad, of a head
	maxAngle  = 1e6   // rad; a gyroscope may accumulate turns
	maxTravel = 1e8   // m
	maxRange  = 1e6   // mm
	maxSonars = 64
	maxBeams  = 4096
	maxLidars = 4
	maxScan   = 2000 // ms, longest duration of a scan
	maxJoints = 12
	MaxRows   = 20 // lines of a display

	MaxName    = 40   // letters of a name in a fault, and of a language
	maxJoint   = 64   // letters of a joint's name
	maxProgram = 60   // letters of the name of a base's program
	maxText    = 1000 // letters of a text for people
)

// DecodeToBase decodes a line from Mybot. If checked, the line must have a
// checksum. A fault is a *LineError. Keys that this version does not know are
// ignored, and a message of an unknown kind is Unknown.
func DecodeToBase(line []byte, checked bool) (ToBase, error) {
	m, fault := decodeLine(line, MaxLine, checked, (*reader).toBase)
	if fault != nil {
		return nil, fault
	}
	return m.(ToBase), nil
}

// DecodeFromBase decodes a line from a base, as DecodeToBase does.
func DecodeFromBase(line []byte, checked bool) (FromBase, error) {
	m, fault := decodeLine(line, MaxLongLine, checked, (*reader).fromBase)
	if fault != nil {
		return nil, fault
	}
	return m.(FromBase), nil
}

func decodeLine(line []byte, maxBytes int, checked bool, read func(*reader, string) Message) (Message, *LineError) {
	content, fault := openLine(line, maxBytes, checked)
	if fault != nil {
		return nil, fault
	}
	r := &reader{}
	r.Object = strictjson.NewObject(content, "", func(f strictjson.Fault) {
		if r.fault == nil {
			r.fault = &f
		}
	})
	kind := r.text("t", "the kind of line", 1, MaxName)
	if r.fault == nil {
		m := read(r, kind)
		if r.fault == nil {
			if len(line) > MaxLine && kind != (Scan{}).kind() && kind != (Describe{}).kind() {
				return nil, tooLong(line, MaxLine)
			}
			return m, nil
		}
	}
	return nil, newLineError(line, "%v", *r.fault)
}

// checksumLength is the length of ~ and four hex digits.
const checksumLength = 5

// cutChecksum removes the checksum of a line, which must be right, and must be
// present if checked.
func cutChecksum(line []byte, checked bool) ([]byte, *LineError) {
	at := len(line) - checksumLength
	if at < 0 || line[at] != '~' {
		if checked {
			return nil, newLineError(line, "it has no checksum; on a serial port each line must end with ~ and four hex digits")
		}
		return line, nil
	}
	stated, err := strconv.ParseUint(string(line[at+1:]), 16, 16)
	if err != nil {
		return nil, newLineError(line, "its checksum is %q; it must be four hex digits", line[at+1:])
	}
	if right := Checksum(line[:at]); uint16(stated) != right {
		return nil, newLineError(line, "its checksum is %04X, but that of the line is %04X: the line was damaged on its way, or the base computes another checksum than CRC-16/CCITT-FALSE", stated, right)
	}
	return line[:at], nil
}

// openLine returns the JSON of a line: one object.
func openLine(line []byte, maxBytes int, checked bool) ([]byte, *LineError) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) > maxBytes {
		return nil, tooLong(line, maxBytes)
	}
	content, fault := cutChecksum(line, checked)
	if fault != nil {
		return nil, fault
	}
	content = bytes.TrimSpace(content)
	if len(content) == 0 || content[0] != '{' {
		return nil, newLineError(line, "it does not begin with a brace; each line must be one JSON object")
	}
	var syntax *strictjson.SyntaxError
	switch err := strictjson.Check(content, maxBytes); {
	case err == nil:
		return content, nil
	case !errors.As(err, &syntax):
		return nil, newLineError(line, "%v", err)
	case syntax.Defect == strictjson.Incomplete:
		return nil, newLineError(line, "it ends before its closing brace")
	case syntax.Defect == strictjson.Trailing:
		return nil, newLineError(line, "column %d: there is something behind the closing brace; it must end there", syntax.Column)
	default:
		return nil, newLineError(line, "column %d: it is not JSON: %v", syntax.Column, syntax.Err)
	}
}

// A reader takes the fields of one line and records the first fault.
type reader struct {
	*strictjson.Object
	fault *strictjson.Fault
}

func (r *reader) toBase(kind string) Message {
	switch kind {
	case Hello{}.kind():
		return Hello{Versions: readIntegers[int](r, "v", 1, 16, 1, 1000, "a version")}
	case Drive{}.kind():
		return Drive{
			Number: r.integer("n", 1, MaxNumber),
			Until:  r.millis("until"),
			Twist:  robot.Twist{Linear: r.Number("v", -maxSpeed, maxSpeed), Angular: r.Number("w", -maxSpeed, maxSpeed)},
		}
	case Look{}.kind():
		return Look{robot.HeadAngles{Pan: r.Number("pan", -maxTurn, maxTurn), Tilt: r.Number("tilt", -maxTurn, maxTurn)}}
	case Joints{}.kind():
		return Joints{At: r.positions("at", true)}
	case Say{}.kind():
		return Say{ID: r.integer("id", 1, MaxNumber), Text: r.text("text", "what is said", 1, maxText), Lang: r.optionalText("lang", "a language like en", MaxName)}
	case Show{}.kind():
		return Show{Lines: r.texts("lines", MaxRows, maxText)}
	case Panic{}.kind():
		return Panic{}
	case Clear{}.kind():
		return Clear{}
	case Ping{}.kind():
		return Ping{ID: r.integer("id", 1, MaxNumber)}
	}
	return Unknown{Kind: kind}
}

func (r *reader) fromBase(kind string) Message {
	switch kind {
	case Describe{}.kind():
		return Describe{Version: int(r.integer("protocol", 1, 1000)), Base: r.text("base", "the program's name and version", 1, maxProgram), Robot: r.description("robot")}
	case Reading{}.kind():
		reading := Reading{At: r.millis("ms"), Totals: r.totals()}
		if r.Has("got") {
			reading.Got = r.integer("got", 0, MaxNumber)
		}
		reading.Senses = r.senses()
		return reading
	case More{}.kind():
		return More{At: r.millis("ms"), Senses: r.senses()}
	case Scan{}.kind():
		return Scan{
			At: r.millis("ms"), Lidar: int(r.integer("lidar", 0, maxLidars-1)), Lasts: r.integer("lasts", 0, maxScan),
			Ranges: readIntegers[int](r, "mm", 1, maxBeams, OutOfOrder, maxRange, millimetres),
		}
	case Said{}.kind():
		return Said{ID: r.integer("id", 1, MaxNumber)}
	case Pong{}.kind():
		return Pong{ID: r.integer("id", 1, MaxNumber), At: r.millis("ms")}
	case Error{}.kind():
		return Error{Text: r.text("text", "a sentence", 1, maxText)}
	case Log{}.kind():
		return Log{Level: r.level(), Text: r.text("text", "a sentence", 1, maxText)}
	}
	return Unknown{Kind: kind}
}

const millimetres = "a range in whole millimetres, 0 for nothing within reach, -1 for no measurement"

// totals reads the travel of a reading in one of its three forms.
func (r *reader) totals() (t Totals) {
	var forms []string
	for _, form := range []string{"wheels", "ticks", "odom"} {
		if r.Contains(form) {
			forms = append(forms, form)
		}
	}
	if len(forms) != 1 {
		has := "none of them"
		if len(forms) > 1 {
			has = strings.Join(forms, " and ")
		}
		r.reject("", "the reading", "must have one of wheels, ticks and odom, and has "+has)
		return nil
	}
	switch form := forms[0]; form {
	case "wheels":
		m := r.numbers(form, 2, maxTravel, "m that each wheel has rolled since power-on")
		return WheelTotals{Left: m[0], Right: m[1]}
	case "ticks":
		n := readIntegers[int64](r, form, 2, 2, math.MinInt32, math.MaxUint32, "a count of 32 bits, with or without a sign")
		if len(n) < 2 {
			return nil
		}
		return TickTotals{Left: int32(n[0]), Right: int32(n[1])}
	default:
		p := r.numbers(form, 3, maxTravel, "x and y in m and the direction in rad")
		return PoseTotals{X: p[0], Y: p[1], Theta: p[2]}
	}
}

func (r *reader) senses() Senses {
	s := Senses{
		Yaw:     r.optional("yaw", -maxAngle, maxAngle),
		Compass: r.optional("compass", -maxAngle, maxAngle),
		Bump:    r.optionalBool("bump"),
		OK:      r.optionalBool("ok"),
		EStop:   r.optionalBool("estop"),
		Joints:  r.positions("joints", false),
	}
	if r.Has("ranges") {
		s.Ranges = readIntegers[int](r, "ranges", 0, maxSonars, OutOfOrder, maxRange, millimetres)
	}
	if r.Has("head") {
		a := r.numbers("head", 2, maxTurn, "pan and tilt in rad")
		s.Head = &robot.HeadAngles{Pan: a[0], Tilt: a[1]}
	}
	if r.Has("battery") {
		b := &reader{Object: r.Object.Object("battery")}
		s.Battery = &Battery{Volts: b.optional("v", 0, 1000), Amperes: b.optional("a", -1000, 1000), Charge: b.optional("charge", 0, 1), Charging: b.optionalBool("charging")}
	}
	if r.Has("refuses") {
		s.Refuses = new(r.text("refuses", "a sentence, or empty when the base would drive", 0, maxText))
	}
	return s
}

// reject records a fault of a field, or of an element of it: the element "[3]" of
// the field "mm", or the element "" itself.
func (r *reader) reject(key, element, predicate string) {
	r.Explain(key+element, "%s", predicate)
}

func (r *reader) integer(key string, low, high int64) int64 {
	want := fmt.Sprintf("a whole number between %d and %d", low, high)
	value := r.Take(key)
	if value == nil {
		r.Explain(key, "is missing; it must be %s", want)
		return 0
	}
	n, ok := wholeNumber(value, low, high)
	if !ok {
		r.Reject(key, want)
	}
	return n
}

// wholeNumber returns the value as a whole number, if it is one within the bounds.
func wholeNumber(value []byte, low, high int64) (int64, bool) {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < low || n > high {
		return 0, false
	}
	return n, true
}

func (r *reader) millis(key string) Millis { return Millis(r.integer(key, 0, maxMillis)) }

// readIntegers reads a list of whole numbers; element describes one of them.
func readIntegers[T int | int64](r *reader, key string, minLength, maxLength int, low, high int64, element string) []T {
	want := fmt.Sprintf("a list of %d to %d whole numbers", minLength, maxLength)
	if minLength == maxLength {
		want = fmt.Sprintf("a list of %d whole numbers", minLength)
	}
	list, ok := r.list(key, want)
	if !ok {
		return nil
	}
	numbers := []T{}
	for value, more := list.Next(); more; value, more = list.Next() {
		if len(numbers) == maxLength {
			r.reject(key, "", fmt.Sprintf("has more than %d entries; it must be %s", maxLength, want))
			return nil
		}
		n, ok := wholeNumber(value, low, high)
		if !ok {
			r.reject(key, fmt.Sprintf("[%d]", len(numbers)), fmt.Sprintf("is %s; it must be %s, between %d and %d", strictjson.Clip(string(value), MaxName), element, low, high))
			return nil
		}
		numbers = append(numbers, T(n))
	}
	if len(numbers) < minLength {
		r.reject(key, "", fmt.Sprintf("has %d entries; it must be %s", len(numbers), want))
		return nil
	}
	return numbers
}

func (r *reader) list(key, want string) (strictjson.Elements, bool) {
	value := r.Take(key)
	if value == nil {
		r.Explain(key, "is missing; it must be %s", want)
		return strictjson.Elements{}, false
	}
	list, ok := strictjson.OpenList(value)
	if !ok {
		r.Reject(key, want)
	}
	return list, ok
}

// numbers reads a list of the given length, with no number beyond max in absolute
// value. The result has that length even after a fault.
func (r *reader) numbers(key string, length int, max float64, what string) []float64 {
	numbers := make([]float64, length)
	value := r.Take(key)
	right := value != nil && strictjson.Numbers(value, numbers)
	for _, x := range numbers {
		right = right && math.Abs(x) <= max
	}
	if !right {
		r.Reject(key, fmt.Sprintf("a list of %d numbers between %g and %g: %s", length, -max, max, what))
	}
	return numbers
}

func (r *reader) optional(key string, low, high float64) *float64 {
	if !r.Has(key) {
		return nil
	}
	return new(r.Number(key, low, high))
}

func (r *reader) optionalBool(key string) *bool {
	if !r.Has(key) {
		return nil
	}
	return new(r.Bool(key))
}

// text reads a text of one line.
func (r *reader) text(key, what string, minLetters, maxLetters int) string {
	want := fmt.Sprintf("%s, of %d to %d letters in one line", what, minLetters, maxLetters)
	return r.Text(key, want, func(s string) bool { return isLine(s, minLetters, maxLetters) })
}

func (r *reader) optionalText(key, what string, maxLetters int) string {
	if !r.Has(key) {
		return ""
	}
	return r.text(key, what, 1, maxLetters)
}

func isLine(s string, minLetters, maxLetters int) bool {
	n := utf8.RuneCountInString(s)
	return n >= minLetters && n <= maxLetters && !strings.ContainsFunc(s, robot.Steers)
}

func (r *reader) level() string {
	return r.Text("level", "debug, info, warn or error", func(s string) bool {
		return s == "debug" || s == "info" || s == "warn" || s == "error"
	})
}

func (r *reader) texts(key string, maxLength, maxLetters int) []string {
	want := fmt.Sprintf("a list of at most %d texts of one line", maxLength)
	list, ok := r.list(key, want)
	if !ok {
		return nil
	}
	texts := []string{}
	for value, more := list.Next(); more; value, more = list.Next() {
		s, ok := strictjson.Unquote(value)
		if !ok || !isLine(s, 0, maxLetters) || len(texts) == maxLength {
			r.Reject(key, want)
			return nil
		}
		texts = append(texts, s)
	}
	return texts
}

// positions reads an object of numbers: positions of joints by name.
func (r *reader) positions(key string, needed bool) map[string]float64 {
	if !needed && !r.Has(key) {
		return nil
	}
	want := fmt.Sprintf("an object of at most %d joints, each with its position in rad or m", maxJoints)
	value := r.Take(key)
	if value == nil {
		r.Explain(key, "is missing; it must be %s", want)
		return nil
	}
	members, ok := strictjson.OpenObject(value)
	if !ok {
		r.Reject(key, want)
		return nil
	}
	at := map[string]float64{}
	for name, value, more := members.Next(); more; name, value, more = members.Next() {
		x, ok := strictjson.Number(value)
		_, twice := at[name]
		switch {
		case twice:
			r.Explain(key+"."+name, "comes twice; it must come once")
			return nil
		case !ok || math.Abs(x) > maxAngle || !isLine(name, 1, maxJoint) || len(at) == maxJoints:
			r.Reject(key, want)
			return nil
		}
		at[name] = x
	}
	return at
}

// description returns the robot's description as in the line;
// robot.ParseDescription parses it.
func (r *reader) description(key string) json.RawMessage {
	if !r.Has(key) {
		return nil
	}
	value := r.Take(key)
	if _, ok := strictjson.OpenObject(value); !ok {
		r.Reject(key, "the description of the robot, an object in braces")
		return nil
	}
	return append(json.RawMessage{}, value...)
}

package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mybot/robot"
)

// Protocol is the WebSocket subprotocol and the version that hello names.
const Protocol = "mybot.v1"

// MaxFrame is the largest frame that is read, in bytes.
const MaxFrame = 32 << 10

// mostFields is more than any command has.
const mostFields = 12

// maxWholeNumber is the largest whole number that a page can count to exactly.
const maxWholeNumber = 1<<53 - 1

// mostPlace is how many letters the name of a place may have.
const mostPlace = 60

// farthest is how far from zero a coordinate in map may be, in m, as in the
// files of a map folder.
const farthest = 100_000

// mostReason is how many letters a request's reason may have.
const mostReason = 80

// MaxValid is how long a drive sample may ask to live.
const MaxValid = 500 * time.Millisecond

// The commands a page can send, as in protocol.md.
type (
	hello struct{ Protocol, Tab, Name, Build string }
	Clock struct {
		T1  float64  // s, the page's monotonic time
		RTT *float64 // ms, median; nil = not known
	}
	drive struct {
		Lease, DriveEpoch, Seq uint64
		T                      float64       // s, the page's monotonic time
		V, W                   float64       // m/s, rad/s, the wish at the axle
		Valid                  time.Duration // how long it counts without a successor
		Path                   *robot.Follow // the same sample with the virtual robot's way; nil = it has none
	}
	stop    struct{ ID uint64 } // 0 = no answer is wanted
	unstop  struct{ ID, Lease uint64 }
	control struct {
		ID     uint64
		Action string // one of actions
		To     int    // of give and keep: who has asked
		Reason string // of request; may be empty
	}
	rename struct {
		ID   uint64
		Name string
	}
	// An Navigate is plan, goto, goal or pose. A plan has no lease.
	Navigate struct {
		ID, Lease uint64
		Command   robot.Command // Plan, GoTo, Pause, Resume, Cancel, GoAround or SetPose
	}
	world struct {
		ID, Lease uint64
		Change    WorldChange
	}
	ack struct{ N uint64 }
	// An rtc offers a channel of datagrams.
	rtc struct {
		ID    uint64
		Offer string
	}
	// A bend changes the network between the pages and a simulated robot.
	bend struct {
		ID, Lease uint64
		Profile   string
	}
)

// Twist returns the motion that the sample asks for.
func (d drive) Twist() robot.Twist { return robot.Twist{Linear: d.V, Angular: d.W} }

// IsNeutral tells whether the hand asks for standstill.
func (d drive) IsNeutral() bool { return d.Twist().IsZero() }

// A FrameError says what is wrong with a frame, for the person at the page. ID
// and Seq tell which command it was, as far as that could be read.
type FrameError struct {
	ID, Seq *uint64
	Reason  string
}

func (e *FrameError) Error() string { return e.Reason }

// IDOf returns the id of a command that is answered by it; 0 = it is not.
func IDOf(request any) uint64 {
	switch cmd := request.(type) {
	case unstop:
		return cmd.ID
	case control:
		return cmd.ID
	case rename:
		return cmd.ID
	case Navigate:
		return cmd.ID
	case world:
		return cmd.ID
	case rtc:
		return cmd.ID
	case bend:
		return cmd.ID
	case motion:
		return cmd.ID
	case Job:
		return cmd.ID
	case Look:
		return cmd.ID
	}
	return 0
}

// Decode reads one frame into a command: hello, clock, drive, stop, unstop,
// control, rename, errand, world, rtc, bend, motion, job, look or ack. Anything that protocol.md does not
// describe is a *FrameError.
func Decode(frame []byte) (any, error) {
	var buffer [mostFields]field
	r := newReader("frame", frame, buffer[:0])
	if kind := r.text("type", `the kind of command, for example "drive"`); r.fault == "" {
		r.kind = kind
	}
	request := r.request()
	r.rejectUnknown()
	if r.fault != "" {
		return nil, &FrameError{ID: r.peek("id", 1), Seq: r.peek("seq", 0), Reason: r.fault}
	}
	return request, nil
}

// DecodeNavigate reads the body of a request that asks for plan, goto, goal or
// pose, which is the kind: what a frame has, but for type and id. The error is
// a sentence.
func DecodeNavigate(kind string, body []byte) (Order, error) {
	r := newReader(kind, body, nil)
	var o Order
	o.Lease, o.Command = r.navigate()
	if r.rejectUnknown(); r.fault != "" {
		return Order{}, bodyError(r)
	}
	return o, nil
}

// bodyError returns what is wrong with the body of a request.
func bodyError(r *reader) error {
	example, ok := map[string]string{
		"goal": `{"lease":3,"action":"pause"}`, "pose": `{"lease":3,"pose":[4.5,7.3,1.57]}`, "queue": `{"lease":3,"commands":[{"id":1,"v":0.3,"w":0,"valid":2}]}`,
	}[r.kind]
	if !ok {
		example = `{"lease":3,"goal":[12.1,3.35,0]}`
	}
	return &FrameError{Reason: strings.NewReplacer("The frame", "The body", ackExample, example).Replace(r.fault)}
}

// newReader returns a reader of the fields of a frame of the kind.
func newReader(kind string, frame []byte, fields []field) *reader {
	r := &reader{kind: kind}
	switch {
	case len(frame) > MaxFrame:
		r.fault = fmt.Sprintf("The frame has %d bytes; it should have at most %d.", len(frame), MaxFrame)
	case !utf8.Valid(frame):
		r.fault = "The frame is not UTF-8; it should be one JSON object in UTF-8."
	case !json.Valid(frame):
		r.fault = notJSON(frame)
	default:
		r.fields, r.fault = split(frame, fields)
	}
	return r
}

func (r *reader) request() any {
	switch r.kind {
	case "hello":
		return hello{
			Protocol: r.text("protocol", `the protocol's name, "`+Protocol+`"`),
			Tab:      r.text("tab", "the tab's random word"),
			Name:     r.name("name", false),
			Build:    r.text("build", `the build of the page, for example "0.1.0"`),
		}
	case "clock":
		return Clock{T1: r.number("t1", "the page's time in s"), RTT: r.roundTrip("rtt_ms")}
	case "drive":
		d := drive{
			Lease:      r.wholeNumber("lease", 0),
			DriveEpoch: r.wholeNumber("hold", 0),
			Seq:        r.wholeNumber("seq", 0),
			T:          r.number("t", "the page's time in s"),
			V:          r.number("v", "a speed in m/s, for example 0.3"),
			W:          r.number("w", "a turning speed in rad/s, for example -0.2"),
			Valid:      r.valid("valid"),
		}
		d.Path = r.path(d)
		return d
	case "stop":
		return stop{ID: r.id(false)}
	case "unstop":
		return unstop{ID: r.id(true), Lease: r.wholeNumber("lease", 0)}
	case "control":
		return r.control()
	case "rename":
		return rename{ID: r.id(true), Name: r.name("name", true)}
	case "plan", "goto", "goal", "pose":
		e := Navigate{ID: r.id(true)}
		e.Lease, e.Command = r.navigate()
		return e
	case "world":
		return world{ID: r.id(true), Lease: r.wholeNumber("lease", 0), Change: r.worldChange()}
	case "rtc":
		return rtc{ID: r.id(true), Offer: r.document("offer", maxOffer, "a session description of WebRTC")}
	case "link":
		return bend{
			ID: r.id(true), Lease: r.wholeNumber("lease", 0),
			Profile: r.text("profile", `a network, for example "kaist-davis", or "`+straight+`"`),
		}
	case "motion":
		return r.motion()
	case "job":
		return r.job()
	case "look":
		return r.look()
	case "ack":
		return ack{N: r.wholeNumber("n", 0)}
	}
	if r.fault == "" {
		r.fault = `"type" is ` + strconv.Quote(clip(r.kind)) + "; it should be hello, clock, drive, stop, unstop, control, rename, plan, goto, goal, pose, world, rtc, link, motion, job, look or ack."
	}
	return nil
}

func (r *reader) control() control {
	c := control{ID: r.id(true)}
	switch c.Action = r.text("action", actions); c.Action {
	case "take", "release", "cancel", "accept", "decline", "here":
	case "request":
		c.Reason = r.line("reason", mostReason)
	case "give", "keep":
		c.To = int(r.wholeNumber("to", 1))
	default:
		r.reject("action", "is "+strconv.Quote(clip(c.Action)), actions)
	}
	return c
}

// actions are what a control command may ask for.
const actions = "take, release, request, cancel, give, keep, accept, decline or here"

// navigate reads what is in plan, goto, goal and pose beside the id.
func (r *reader) navigate() (lease uint64, cmd robot.Command) {
	if r.kind != "plan" {
		lease = r.wholeNumber("lease", 0)
	}
	switch r.kind {
	case "plan":
		cmd = robot.Plan{Goal: r.pose("goal")}
	case "goto":
		cmd = robot.GoTo{Goal: r.pose("goal"), Name: r.line("name", mostPlace)}
	case "goal":
		cmd = r.goalAction()
	default:
		cmd = robot.SetPose{Pose: r.pose("pose")}
	}
	return lease, cmd
}

// goalAction reads what a goal command asks for.
func (r *reader) goalAction() robot.Command {
	const actions = "pause, resume, cancel or around"
	action := r.text("action", actions)
	switch action {
	case "pause":
		return robot.Pause{}
	case "resume":
		return robot.Resume{}
	case "cancel":
		return robot.Cancel{}
	case "around":
		return robot.GoAround{}
	}
	r.reject("action", "is "+strconv.Quote(clip(action)), actions)
	return nil
}

// worldChange reads what a world command asks for.
func (r *reader) worldChange() WorldChange {
	const changes = "put, move, remove, door or carry"
	switch action := r.text("action", changes); action {
	case "put":
		return PutThing{Kind: r.thingKind("kind"), At: r.point("at"), Radius: r.radius("radius")}
	case "move":
		return MoveThing{Thing: int(r.wholeNumber("thing", 1)), At: r.point("at")}
	case "remove":
		return RemoveThing{Thing: int(r.wholeNumber("thing", 1))}
	case "door":
		return SetDoor{Door: int(r.wholeNumber("door", 0)), Closed: r.boolean("closed")}
	case "carry":
		return Carry{Pose: r.pose("pose")}
	default:
		r.reject("action", "is "+strconv.Quote(clip(action)), changes)
		return nil
	}
}

// mostHist is how many earlier samples a drive sample may bring along.
const mostHist = 8

// path reads the virtual robot that a drive sample may have, and the samples
// before it; nil = it has none.
func (r *reader) path(d drive) *robot.Follow {
	if r.find("vr") == nil {
		if r.find("hist") != nil {
			r.reject("hist", "is there without vr", `beside "vr", or left out`)
		}
		return nil
	}
	const should = "[x, y, heading, linear, angular, s] in m, rad, m/s and rad/s"
	var vr [6]float64
	r.list("vr", vr[:], should)
	r.checkCoordinates("vr", vr[:2], should)
	f := followSample(vr[:])
	f.Lease, f.Hold, f.Seq, f.T, f.Want, f.Valid = d.Lease, d.DriveEpoch, d.Seq, d.T, d.Twist(), d.Valid
	f.Hist = r.history("hist", &f)
	return &f
}

// followSample returns the sample of a virtual robot: its pose, twist and arc.
func followSample(vr []float64) robot.Follow {
	return robot.Follow{
		Pose:  robot.Pose{X: vr[0], Y: vr[1], Theta: robot.WrapAngle(vr[2])},
		Twist: robot.Twist{Linear: vr[3], Angular: vr[4]}, S: vr[5],
	}
}

// history reads the samples before f, which may be left out.
func (r *reader) history(name string, f *robot.Follow) []robot.Follow {
	field := r.find(name)
	if field == nil {
		return nil
	}
	const should = "a list of at most 8 samples, each [seq, t, v, w, x, y, heading, linear, angular, s]"
	var hist []robot.Follow
	rest := field.value
	for len(rest) > 0 {
		var x [10]float64
		sample, after, ok := next(rest)
		switch rest = after; {
		case !ok || sample != nil && (len(hist) == mostHist || !numbersIn(sample, x[:])):
			r.reject(name, "is "+clip(string(field.value)), should)
			return nil
		case sample == nil:
			return hist
		case x[0] != math.Trunc(x[0]) || x[0] < 0 || x[0] > maxWholeNumber:
			r.reject(name, fmt.Sprintf("has the seq %g", x[0]), should)
			return nil
		}
		h := followSample(x[4:])
		h.Lease, h.Hold, h.Seq, h.T, h.Valid = f.Lease, f.Hold, uint64(x[0]), x[1], f.Valid
		h.Want = robot.Twist{Linear: x[2], Angular: x[3]}
		r.checkCoordinates(name, x[4:6], should)
		hist = append(hist, h)
	}
	return hist
}

// notJSON says where a frame stops being JSON.
func notJSON(frame []byte) string {
	var syntax *json.SyntaxError
	var value json.RawMessage
	if err := json.Unmarshal(frame, &value); errors.As(err, &syntax) {
		return fmt.Sprintf("The frame is not JSON (byte %d: %s); it should be one JSON object.", syntax.Offset, syntax)
	}
	return "The frame is not JSON; it should be one JSON object."
}

// A reader takes the fields of one command out of a frame. The first fault
// stays; what is read after it means nothing.
type reader struct {
	kind   string
	fields []field
	fault  string
}

// find returns the field and marks it as known; nil = it is not there.
func (r *reader) find(name string) *field {
	for i := range r.fields {
		if r.fields[i].name == name {
			r.fields[i].known = true
			return &r.fields[i]
		}
	}
	return nil
}

// reject keeps the fault of a field: what it is, and what would be right.
func (r *reader) reject(name, is, should string) {
	if r.fault == "" {
		r.fault = fmt.Sprintf("%s: %q %s; it should be %s.", r.kind, name, is, should)
	}
}

// require returns the field's value; nil, with the fault kept, when it is missing.
func (r *reader) require(name, should string) []byte {
	f := r.find(name)
	if f == nil {
		r.reject(name, "is missing", should)
		return nil
	}
	return f.value
}

// rejectUnknown faults a field that the command does not have.
func (r *reader) rejectUnknown() {
	for _, f := range r.fields {
		if !f.known && r.fault == "" {
			r.fault = fmt.Sprintf("%s: %q is not a field of it; it should be left out.", r.kind, clip(f.name))
		}
	}
}

// text reads a string of 1 to 64 letters, digits and the like.
func (r *reader) text(name, should string) string {
	value := r.require(name, should)
	if value == nil {
		return ""
	}
	s, ok := unquote(value)
	if !ok || s == "" || utf8.RuneCountInString(s) > 64 || strings.ContainsFunc(s, unprintable) {
		r.reject(name, "is "+clip(string(value)), should)
		return ""
	}
	return s
}

// name reads the name of a person.
func (r *reader) name(name string, must bool) string {
	f := r.find(name)
	if f == nil && !must {
		return ""
	}
	const should = `a name of 1 to 24 letters, for example "Jin"`
	value := r.require(name, should)
	if value == nil {
		return ""
	}
	s, ok := unquote(value)
	if !ok || !IsName(s) {
		r.reject(name, "is "+clip(string(value)), should)
		return ""
	}
	return s
}

// line reads a line of at most so many letters that may be left out.
func (r *reader) line(name string, maxLetters int) string {
	f := r.find(name)
	if f == nil {
		return ""
	}
	s, ok := unquote(f.value)
	if !ok || !IsLine(s, maxLetters) {
		r.reject(name, "is "+clip(string(f.value)), fmt.Sprintf("one line of at most %d letters", maxLetters))
		return ""
	}
	return strings.TrimSpace(s)
}

// document reads a text of several lines and at most so many bytes.
func (r *reader) document(name string, maxBytes int, should string) string {
	value := r.require(name, should)
	if value == nil {
		return ""
	}
	s, ok := unquote(value)
	if !ok || s == "" || len(s) > maxBytes {
		r.reject(name, "is "+clip(string(value)), fmt.Sprintf("%s of at most %d bytes", should, maxBytes))
		return ""
	}
	return s
}

// IsLine tells whether people can be shown the text in one line.
func IsLine(s string, maxLetters int) bool {
	return utf8.RuneCountInString(s) <= maxLetters && !strings.ContainsFunc(s, unprintable)
}

// unprintable letters are those that hide, turn or break a line of text, and
// the one that stands for text that was broken on its way.
func unprintable(c rune) bool { return !unicode.IsPrint(c) || c == utf8.RuneError }

// number reads a finite number.
func (r *reader) number(name, should string) float64 {
	value := r.require(name, should)
	if value == nil {
		return 0
	}
	if !numeric(value) {
		r.reject(name, "is "+clip(string(value)), should)
		return 0
	}
	x, err := strconv.ParseFloat(string(value), 64)
	if err != nil { // beyond the largest float
		r.reject(name, "is "+clip(string(value))+", which is not a finite number", should)
		return 0
	}
	return x
}

// wholeNumber reads a whole number from least on.
func (r *reader) wholeNumber(name string, lowest uint64) uint64 {
	should := "a whole number from " + strconv.FormatUint(lowest, 10) + " on"
	value := r.require(name, should)
	if value == nil {
		return 0
	}
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil || n < lowest || n > maxWholeNumber {
		r.reject(name, "is "+clip(string(value)), should)
		return 0
	}
	return n
}

// list reads a list of so many finite numbers.
func (r *reader) list(name string, into []float64, should string) {
	value := r.require(name, should)
	if value == nil {
		return
	}
	if !numbersIn(value, into) {
		r.reject(name, "is "+clip(string(value)), should)
	}
}

// point reads a place in map.
func (r *reader) point(name string) robot.Point {
	const should = "[x, y] in m, each between -100000 and 100000"
	var p [2]float64
	r.list(name, p[:], should)
	r.checkCoordinates(name, p[:], should)
	return robot.Point{X: p[0], Y: p[1]}
}

// pose reads a pose in map; any heading is turned into (-pi, pi].
func (r *reader) pose(name string) robot.Pose {
	const should = "[x, y, heading] in m and rad, x and y each between -100000 and 100000"
	var p [3]float64
	r.list(name, p[:], should)
	r.checkCoordinates(name, p[:2], should)
	return robot.Pose{X: p[0], Y: p[1], Theta: robot.WrapAngle(p[2])}
}

// checkCoordinates faults coordinates that are on no map.
func (r *reader) checkCoordinates(name string, xy []float64, should string) {
	for _, x := range xy {
		if r.fault == "" && math.Abs(x) > farthest {
			r.reject(name, fmt.Sprintf("has the coordinate %g", x), should)
		}
	}
}

// radius reads how large a thing is.
func (r *reader) radius(name string) float64 {
	should := fmt.Sprintf("a radius in m between %g and %g", leastRadius, mostRadius)
	x := r.number(name, should)
	if r.fault == "" && (x < leastRadius || x > mostRadius) {
		r.reject(name, fmt.Sprintf("is %g", x), should)
	}
	return x
}

// thingKind reads what a thing is.
func (r *reader) thingKind(name string) ThingKind {
	const should = "obstacle or magnet"
	kind := ThingKind(r.text(name, should))
	if kind != Obstacle && kind != Magnet {
		r.reject(name, "is "+strconv.Quote(clip(string(kind))), should)
	}
	return kind
}

// boolean reads true or false.
func (r *reader) boolean(name string) bool {
	const should = "true or false"
	value := string(r.require(name, should))
	if value != "true" && value != "false" && value != "" {
		r.reject(name, "is "+clip(value), should)
	}
	return value == "true"
}

// id reads the number by which the page knows the answer; 0 = it wants none.
func (r *reader) id(must bool) uint64 {
	if !must && r.find("id") == nil {
		return 0
	}
	return r.wholeNumber("id", 1)
}

// valid reads how long a sample lives; DriveValid when it does not say.
func (r *reader) valid(name string) time.Duration {
	if r.find(name) == nil {
		return robot.DriveValid
	}
	const should = "a time in s above 0 and at most 0.5"
	s := r.number(name, should)
	d := time.Duration(s * float64(time.Second))
	if r.fault == "" && (s > MaxValid.Seconds() || d <= 0) {
		r.reject(name, "is "+strconv.FormatFloat(s, 'g', -1, 64), should)
	}
	return d
}

// noteRoundTrip reads a time in ms that may be null.
func (r *reader) roundTrip(name string) *float64 {
	const should = "a time in ms from 0 on, or null"
	value := r.require(name, should)
	if value == nil || string(value) == "null" {
		return nil
	}
	ms := r.number(name, should)
	if ms < 0 {
		r.reject(name, "is "+clip(string(value)), should)
	}
	return &ms
}

// peek reads a whole number out of a frame that is refused; nil when it
// cannot be read.
func (r *reader) peek(name string, lowest uint64) *uint64 {
	quiet := reader{fields: r.fields}
	n := quiet.wholeNumber(name, lowest)
	if quiet.fault != "" {
		return nil
	}
	return &n
}

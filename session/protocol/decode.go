package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session/lease"
	"mybot/strictjson"
)

// Protocol is the WebSocket subprotocol and the version that hello names.
const Protocol = "mybot.v1"

// MaxFrame is the size of the largest frame that is read, in bytes.
const MaxFrame = 32 << 10

// maxFields is more than any request has.
const maxFields = 12

// maxWholeNumber is the largest whole number that JavaScript represents exactly.
const maxWholeNumber = 1<<53 - 1

// MaxPlaceName is the longest name of a place, in letters.
const MaxPlaceName = 60

// maxCoordinate is the largest distance of a coordinate from zero in map, in m, as
// in the files of a map folder.
const maxCoordinate = 100_000

// maxReason is the longest reason of a request for control, in letters.
const maxReason = 80

// maxOffer is the longest offer of a data channel, in bytes.
const maxOffer = 8 << 10

// Bounds of the radius of a thing in the world, in m.
const (
	minRadius = 0.05
	maxRadius = 2.0
)

// MaxValid is the longest validity that a drive sample may ask for.
const MaxValid = 500 * time.Millisecond

// A FrameError says what is wrong with a frame, or with the body of an HTTP
// request, in a sentence for the user. ID and Seq identify the request, as far as
// they could be read.
type FrameError struct {
	ID, Seq *uint64
	Reason  string
}

func (e *FrameError) Error() string { return e.Reason }

// Decode reads one frame from a client into one of the requests: Hello, Clock,
// Drive and so on. Anything that protocol.md does not describe is a *FrameError.
func Decode(frame []byte) (request any, err error) {
	var buffer [maxFields]field
	r := newReader("frame", frame, buffer[:0])
	if kind := r.readText("type", `the kind of command, for example "drive"`); r.fault == "" {
		r.kind = kind
	}
	request = r.readRequest()
	r.rejectUnknown()
	if r.fault != "" {
		return nil, &FrameError{ID: r.peekWholeNumber("id", 1), Seq: r.peekWholeNumber("seq", 0), Reason: r.fault}
	}
	return request, nil
}

// DecodeNavigate reads the body of an HTTP request of the given kind, plan, goto,
// goal or pose. It has the fields of a frame except type and id.
func DecodeNavigate(kind string, body []byte) (Navigate, error) {
	r := newReader(kind, body, nil)
	var n Navigate
	n.Lease, n.Command = r.readNavigation()
	if r.rejectUnknown(); r.fault != "" {
		return Navigate{}, bodyError(r)
	}
	return n, nil
}

// bodyError returns what is wrong with the body of an HTTP request.
func bodyError(r *reader) error {
	example, ok := map[string]string{
		"goal": `{"lease":3,"action":"pause"}`, "pose": `{"lease":3,"pose":[4.5,7.3,1.57]}`, "joints": `{"lease":3,"at":{"shoulder":1.2}}`, "queue": `{"lease":3,"commands":[{"id":1,"v":0.3,"w":0,"valid":2}]}`,
	}[r.kind]
	if !ok {
		example = `{"lease":3,"goal":[12.1,3.35,0]}`
	}
	return &FrameError{Reason: strings.NewReplacer("The frame", "The body", ackExample, example).Replace(r.fault)}
}

// readRequest reads the fields of the request's kind.
func (r *reader) readRequest() any {
	switch r.kind {
	case "hello":
		return Hello{
			Protocol: r.readText("protocol", `the protocol's name, "`+Protocol+`"`),
			Tab:      r.readText("tab", "the tab's random word"),
			Name:     r.readName("name", false),
			Build:    r.readText("build", `the build of the page, for example "0.1.0"`),
		}
	case "clock":
		return Clock{T1: r.readNumber("t1", "the page's time in s"), RTT: r.roundTrip("rtt_ms")}
	case "drive":
		d := Drive{
			Lease:      r.wholeNumber("lease", 0),
			DriveEpoch: r.wholeNumber("hold", 0),
			Seq:        r.wholeNumber("seq", 0),
			T:          r.readNumber("t", "the page's time in s"),
			V:          r.readNumber("v", "a speed in m/s, for example 0.3"),
			W:          r.readNumber("w", "a turning speed in rad/s, for example -0.2"),
			Valid:      r.readValidity("valid"),
		}
		d.Path = r.readPath(d)
		return d
	case "stop":
		return Stop{ID: r.readID(false)}
	case "unstop":
		return Unstop{ID: r.readID(true), Lease: r.wholeNumber("lease", 0)}
	case "control":
		return r.readControl()
	case "rename":
		return Rename{ID: r.readID(true), Name: r.readName("name", true)}
	case "plan", "goto", "goal", "pose":
		e := Navigate{ID: r.readID(true)}
		e.Lease, e.Command = r.readNavigation()
		return e
	case "world":
		return World{ID: r.readID(true), Lease: r.wholeNumber("lease", 0), Change: r.worldChange()}
	case "rtc":
		return RTC{ID: r.readID(true), Offer: r.readDocument("offer", maxOffer, "a session description of WebRTC")}
	case "link":
		return Link{
			ID: r.readID(true), Lease: r.wholeNumber("lease", 0),
			Profile: r.readText("profile", `a network, for example "kaist-davis", or "`+LinkOff+`"`),
		}
	case "motion":
		return r.readMotion()
	case "job":
		return r.readJob()
	case "look":
		return r.readLook()
	case "joints":
		return MoveJoints{ID: r.readID(true), Lease: r.wholeNumber("lease", 0), Loan: r.readLoan(), MoveJoints: r.readPositions("at")}
	case "part":
		return r.readPart()
	case "watch":
		return r.readWatch()
	case "ack":
		return Ack{N: r.wholeNumber("n", 0)}
	}
	if r.fault == "" {
		r.fault = `"type" is ` + strconv.Quote(Clip(r.kind)) + "; it should be hello, clock, drive, stop, unstop, control, rename, plan, goto, goal, pose, world, rtc, link, motion, job, look, joints, part, watch or ack."
	}
	return nil
}

// readControl reads a control request.
func (r *reader) readControl() Control {
	c := Control{ID: r.readID(true)}
	switch c.Action = r.readText("action", controlActions); c.Action {
	case "take", "release", "cancel", "accept", "decline", "here":
	case "request":
		c.Reason = r.readLine("reason", maxReason)
	case "give", "keep":
		c.To = int(r.wholeNumber("to", 1))
	default:
		r.rejectField("action", "is "+strconv.Quote(Clip(c.Action)), controlActions)
	}
	return c
}

// controlActions are what a control request may ask for.
const controlActions = "take, release, request, cancel, give, keep, accept, decline or here"

// readNavigation reads the fields of plan, goto, goal and pose except the id.
func (r *reader) readNavigation() (lease uint64, cmd robot.Command) {
	if r.kind != "plan" {
		lease = r.wholeNumber("lease", 0)
	}
	switch r.kind {
	case "plan":
		cmd = robot.Plan{Goal: r.readPose("goal")}
	case "goto":
		cmd = robot.GoTo{Goal: r.readPose("goal"), Name: r.readLine("name", MaxPlaceName)}
	case "goal":
		cmd = r.goalAction()
	default:
		cmd = robot.SetPose{Pose: r.readPose("pose")}
	}
	return lease, cmd
}

// goalAction reads what a goal request asks for.
func (r *reader) goalAction() robot.Command {
	const actions = "pause, resume, cancel or around"
	action := r.readText("action", actions)
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
	r.rejectField("action", "is "+strconv.Quote(Clip(action)), actions)
	return nil
}

// worldChange reads what a world request asks for.
func (r *reader) worldChange() WorldChange {
	const changes = "put, move, remove, door, carry, ok or battery"
	switch action := r.readText("action", changes); action {
	case "put":
		return PutThing{Kind: r.thingKind("kind"), At: r.readPoint("at"), Radius: r.readRadius("radius")}
	case "move":
		return MoveThing{Thing: int(r.wholeNumber("thing", 1)), At: r.readPoint("at")}
	case "remove":
		return RemoveThing{Thing: int(r.wholeNumber("thing", 1))}
	case "door":
		return SetDoor{Door: int(r.wholeNumber("door", 0)), Closed: r.readBoolean("closed")}
	case "carry":
		return Carry{Pose: r.readPose("pose")}
	case "ok":
		return PressOK{}
	case "battery":
		return SetCharge{Charge: r.readCharge("charge")}
	default:
		r.rejectField("action", "is "+strconv.Quote(Clip(action)), changes)
		return nil
	}
}

// maxHistory is how many earlier samples a drive sample may include.
const maxHistory = 8

// readPath reads the virtual robot's pose in a drive sample, and the samples before
// it; nil = the sample has none.
func (r *reader) readPath(d Drive) *robot.Follow {
	if r.findField("vr") == nil {
		if r.findField("hist") != nil {
			r.rejectField("hist", "is there without vr", `beside "vr", or left out`)
		}
		return nil
	}
	const should = "[x, y, heading, linear, angular, s] in m, rad, m/s and rad/s"
	var vr [6]float64
	r.readNumbers("vr", vr[:], should)
	r.checkCoordinates("vr", vr[:2], should)
	f := followSample(vr[:])
	f.Lease, f.Hold, f.Seq, f.T, f.Want, f.Valid = d.Lease, d.DriveEpoch, d.Seq, d.T, d.Twist(), d.Valid
	f.Hist = r.readHistory("hist", &f)
	return &f
}

// followSample returns the sample of a virtual robot: its pose, twist and arc.
func followSample(vr []float64) robot.Follow {
	return robot.Follow{
		Pose:  robot.Pose{X: vr[0], Y: vr[1], Theta: robot.WrapAngle(vr[2])},
		Twist: robot.Twist{Linear: vr[3], Angular: vr[4]}, S: vr[5],
	}
}

// readHistory reads the optional samples before f.
func (r *reader) readHistory(name string, f *robot.Follow) []robot.Follow {
	field := r.findField(name)
	if field == nil {
		return nil
	}
	const should = "a list of at most 8 samples, each [seq, t, v, w, x, y, heading, linear, angular, s]"
	var hist []robot.Follow
	samples, ok := strictjson.OpenList(field.value)
	if !ok {
		r.rejectField(name, "is "+Clip(string(field.value)), should)
		return nil
	}
	for {
		var x [10]float64
		sample, ok := samples.Next()
		switch {
		case !ok:
			return hist
		case len(hist) == maxHistory || !strictjson.Numbers(sample, x[:]):
			r.rejectField(name, "is "+Clip(string(field.value)), should)
			return nil
		case x[0] != math.Trunc(x[0]) || x[0] < 0 || x[0] > maxWholeNumber:
			r.rejectField(name, fmt.Sprintf("has the seq %g", x[0]), should)
			return nil
		}
		h := followSample(x[4:])
		h.Lease, h.Hold, h.Seq, h.T, h.Valid = f.Lease, f.Hold, uint64(x[0]), x[1], f.Valid
		h.Want = robot.Twist{Linear: x[2], Angular: x[3]}
		r.checkCoordinates(name, x[4:6], should)
		hist = append(hist, h)
	}
}

// readRadius reads the radius of a thing.
func (r *reader) readRadius(name string) float64 {
	should := fmt.Sprintf("a radius in m between %g and %g", minRadius, maxRadius)
	x := r.readNumber(name, should)
	if r.fault == "" && (x < minRadius || x > maxRadius) {
		r.rejectField(name, fmt.Sprintf("is %g", x), should)
	}
	return x
}

// readCharge reads the charge of the battery.
func (r *reader) readCharge(name string) float64 {
	const should = "a charge between 0 (empty) and 1 (full)"
	x := r.readNumber(name, should)
	if r.fault == "" && (x < 0 || x > 1) {
		r.rejectField(name, fmt.Sprintf("is %g", x), should)
	}
	return x
}

// thingKind reads the kind of a thing.
func (r *reader) thingKind(name string) ThingKind {
	const should = "obstacle or magnet"
	kind := ThingKind(r.readText(name, should))
	if kind != Obstacle && kind != Magnet {
		r.rejectField(name, "is "+strconv.Quote(Clip(string(kind))), should)
	}
	return kind
}

// readValidity reads how long a sample is valid; DriveValid by default.
func (r *reader) readValidity(name string) time.Duration {
	if r.findField(name) == nil {
		return robot.DriveValid
	}
	const should = "a time in s above 0 and at most 0.5"
	s := r.readNumber(name, should)
	d := time.Duration(s * float64(time.Second))
	if r.fault == "" && (s > MaxValid.Seconds() || d <= 0) {
		r.rejectField(name, "is "+strconv.FormatFloat(s, 'g', -1, 64), should)
	}
	return d
}

// roundTrip reads a round-trip time in ms, which may be null.
func (r *reader) roundTrip(name string) *float64 {
	const should = "a time in ms from 0 to 3600000 (an hour), or null"
	value := r.requireField(name, should)
	if value == nil || string(value) == "null" {
		return nil
	}
	ms := r.readNumber(name, should)
	if ms < 0 || ms > 3_600_000 {
		r.rejectField(name, "is "+Clip(string(value)), should)
	}
	return &ms
}

// readName reads the name of a user.
func (r *reader) readName(name string, must bool) string {
	f := r.findField(name)
	if f == nil && !must {
		return ""
	}
	const should = `a name of 1 to 24 letters, for example "Jin"`
	value := r.requireField(name, should)
	if value == nil {
		return ""
	}
	s, ok := strictjson.Unquote(value)
	if !ok || !IsName(s) {
		r.rejectField(name, "is "+Clip(string(value)), should)
		return ""
	}
	return s
}

// jobActions are what a job request may ask for.
const jobActions = "run, change, pause, resume, skip, retry, end or ok"

// readJob reads a job request.
func (r *reader) readJob() Job {
	j := Job{ID: r.readID(true), Lease: r.wholeNumber("lease", 0)}
	switch action := r.readText("action", jobActions); action {
	case "run":
		j.Command = robot.RunJob{}
		name, steps := r.requireField("name", "the name of the job"), r.requireField("steps", someSteps)
		if r.findField("job") != nil {
			j.Job.ID = r.readText("job", "the id of the job, or left out")
		}
		if r.fault == "" {
			id := j.Job.ID
			var err error
			j.Job, err = jobs.Parse(encodeValue(map[string]json.RawMessage{"name": name, "steps": steps}))
			r.rejectJob(err)
			j.Job.ID = id
		}
	case "change":
		j.Command = robot.ChangeRun{}
		if steps := r.requireField("steps", someSteps); steps != nil {
			var err error
			j.Job.Steps, err = jobs.ParseSteps(steps)
			r.rejectJob(err)
		}
	case "pause":
		j.Command = robot.PauseRun{}
	case "resume":
		j.Command = robot.ResumeRun{}
	case "skip":
		j.Command = robot.SkipStep{Nth: r.stepNumber()}
	case "retry":
		j.Command = robot.RetryStep{Nth: r.stepNumber()}
	case "end":
		j.Command = robot.EndRun{}
	case "ok":
		ok := robot.OK{}
		if r.findField("message") != nil {
			ok.Message = r.wholeNumber("message", 1)
		}
		j.Command = ok
	default:
		r.rejectField("action", "is "+Clip(fmt.Sprintf("%q", action)), jobActions)
	}
	return j
}

// stepNumber reads the index of a step and converts it to a number from 1; 0 = the
// current step.
func (r *reader) stepNumber() int {
	if r.findField("step") == nil {
		return 0
	}
	return int(r.wholeNumber("step", 0)) + 1
}

// someSteps describes valid steps of a job.
const someSteps = "a list of 1 to 100 steps"

// rejectJob records what is wrong with the definition of a job.
func (r *reader) rejectJob(err error) {
	var faults jobs.Faults
	switch {
	case r.fault != "" || err == nil:
	case errors.As(err, &faults):
		r.fault = faults.Sentence()
	default:
		r.fault = err.Error()
	}
}

// readLook reads a look request.
func (r *reader) readLook() Look {
	return Look{ID: r.readID(true), Lease: r.wholeNumber("lease", 0), Loan: r.readLoan(), Look: robot.Look{HeadAngles: robot.HeadAngles{
		Pan:  r.readNumber("pan", "an angle in rad, for example 0.5"),
		Tilt: r.readNumber("tilt", "an angle in rad, for example -0.2"),
	}}}
}

// readLoan reads the number of a loan, which only a borrower's commands have.
func (r *reader) readLoan() uint64 {
	if r.findField("loan") == nil {
		return 0
	}
	return r.wholeNumber("loan", 1)
}

// partActions are what a part request may ask for.
const partActions = "ask, lend, deny, take or give"

// readPart reads a part request.
func (r *reader) readPart() Part {
	p := Part{ID: r.readID(true), Lease: r.wholeNumber("lease", 0)}
	switch p.Action = r.readText("action", partActions); p.Action {
	case "ask", "take", "give":
	case "lend", "deny":
		p.To = int(r.wholeNumber("to", 1))
	default:
		r.rejectField("action", "is "+strconv.Quote(Clip(p.Action)), partActions)
	}
	const parts = "head, voice or arm"
	p.Part = lease.Part(r.readText("part", parts))
	if p.Part != lease.Head && p.Part != lease.Voice && p.Part != lease.Arm {
		r.rejectField("part", "is "+strconv.Quote(Clip(string(p.Part))), parts)
	}
	return p
}

// motionActions are what a motion request may ask for.
const motionActions = "play, stop, rename or delete"

// readMotion reads a motion request.
func (r *reader) readMotion() Motion {
	m := Motion{ID: r.readID(true), Lease: r.wholeNumber("lease", 0)}
	switch m.Action = r.readText("action", motionActions); m.Action {
	case "stop":
		return m
	case "play", "delete":
	case "rename":
		const should = "a name of 1 to 60 letters"
		r.requireField("name", should)
		if m.Name = r.readLine("name", MaxPlaceName); m.Name == "" {
			r.rejectField("name", "is empty", should)
		}
		m.Was = r.readLine("was", MaxPlaceName)
	default:
		r.rejectField("action", "is "+Clip(fmt.Sprintf("%q", m.Action)), motionActions)
	}
	m.Motion = r.wholeNumber("motion", 1)
	return m
}

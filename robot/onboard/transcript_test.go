package onboard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/robottest"
)

// TestTranscripts plays the stories of testdata/*.txt: lines at the margin are
// what happens, indented lines are what the robot answered, recorded with
// -update.
//
//	start X Y DEG          where the robot stands, with nothing around
//	wall X1 Y1 X2 Y2       a wall
//	post X Y R             a round post
//	drive V W              one order by hand, m/s and deg/s
//	hold V W D             the same order at 20 Hz for the duration D
//	press V W D            a driver with a virtual robot, for the duration D; V W 0 0 lets go
//	link DELAY             how long its samples take
//	stall D                nothing crosses for the duration D; what was sent meanwhile comes at its end
//	again                  the page takes up the robot's hold number and pose
//	wait D                 time without orders
//	tick N                 N readings
//	stop WHO, release, halt REASON, look PAN TILT, pose X Y DEG
//	map, detour D          the robot gets a planner, which knows a way round that goes D to the side; 0 = none
//	plan X Y DEG, goto X Y DEG NAME, pause REASON, resume, cancel REASON, around, yield REASON (halts the goal too)
//	queue ID AFTER V W D   a drive in the queue, m/s and deg/s for D, AFTER a time
//	queue ID AFTER goto X Y DEG
//	trust OK|UNSURE|LOST, jump X Y DEG (of the estimate), gone (the last post)
//	bump on|off            the bumper
//	silence D              no readings for D
//	deaf N                 sonar N is out of order
//	ready N NAME           prepares a job without steps under a number; the step lines behind it add to it:
//	step MOVE X Y PLACE, step VOICE D D... (sentences; "screen" = not by the robot's own voice), step MESSAGE D|ok TEXT, step WAIT D ok
//	else stop|skip|retry D what happens when the last of its steps fails
//	run N, change N, pausejob REASON, resumejob, skip REASON, retry, end REASON, ok WHO, spoken
//	switch on|off          the OK switch
func TestTranscripts(t *testing.T) {
	robottest.Transcripts(t, play)
}

// story is a transcript while it is played.
type story struct {
	*plant
	floor *floor // nil = no map
	out   strings.Builder
	ended int // answers of the queue that were written
	jobs  jobStory
}

// virtual returns the page with its virtual robot, which begins where the robot
// stands.
func (s *story) virtual() *page {
	if s.page == nil {
		s.page = newPage(s.desc, s.centre(), s.now)
	}
	return s.page
}

func (s *story) believed() *believed { return s.core.loc.(*believed) }

func pose(x [4]float64) robot.Pose {
	return robot.Pose{X: x[0], Y: x[1], Theta: robot.Radians(x[2])}
}

func play(script string) (string, error) {
	s := story{plant: newPlant(robot.Pose{})}
	for n, line := range strings.Split(strings.TrimSuffix(script, "\n"), "\n") {
		if strings.HasPrefix(line, "    ") {
			continue
		}
		fmt.Fprintln(&s.out, line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := s.do(strings.Fields(line)); err != nil {
			return "", fmt.Errorf("line %d: %q: %w", n+1, line, err)
		}
	}
	return s.out.String(), nil
}

func (s *story) do(words []string) error {
	verb, rest := words[0], words[1:]
	var x [4]float64
	var d time.Duration
	for i, w := range rest {
		if v, err := strconv.ParseFloat(w, 64); err == nil && i < len(x) {
			x[i] = v
		} else if v, err := time.ParseDuration(w); err == nil {
			d = v
		}
	}
	text := strings.Join(rest, " ")
	twist := robot.Twist{Linear: x[0], Angular: robot.Radians(x[1])}
	switch verb {
	case "start":
		s.plant = newPlant(robot.Pose{X: x[0], Y: x[1], Theta: robot.Radians(x[2])})
		s.ended = 0
	case "wall":
		s.walls = append(s.walls, wall(x[0], x[1], x[2], x[3]))
	case "post":
		s.posts = append(s.posts, post{robot.Point{X: x[0], Y: x[1]}, x[2]})
	case "drive":
		s.answer(s.core.Do(s.now, robot.Drive{Twist: twist}))
	case "hold":
		s.answer(s.drive(twist.Linear, twist.Angular, d))
		s.tell()
	case "press":
		s.virtual().want = twist
		s.wait(d)
		s.tell()
	case "link":
		s.virtual().delay = d
	case "stall":
		s.virtual().stalled = s.now.Add(d)
	case "again":
		s.virtual().again(s.state.Estimate.Pose)
	case "wait":
		s.wait(d)
		s.tell()
	case "tick":
		for range int(x[0]) {
			s.tick()
		}
		s.tell()
	case "stop":
		s.answer(s.core.Do(s.now, robot.Stop{By: text}))
	case "release":
		s.answer(s.core.Do(s.now, robot.ClearStop{}))
	case "halt":
		s.answer(s.core.Do(s.now, robot.Halt{Reason: text}))
	case "look":
		s.answer(s.core.Do(s.now, robot.Look{HeadAngles: robot.HeadAngles{Pan: robot.Radians(x[0]), Tilt: robot.Radians(x[1])}}))
	case "pose":
		s.answer(s.core.Do(s.now, robot.SetPose{Pose: robot.Pose{X: x[0], Y: x[1], Theta: robot.Radians(x[2])}}))
	case "bump":
		s.pressed = text == "on"
	case "silence":
		for range int(d / (20 * time.Millisecond)) {
			s.roll(robot.Twist{})
		}
	case "map":
		s.floor = &floor{}
		s.core.usePlanner(s.floor)
	case "detour":
		s.floor.aside = x[0]
	case "plan":
		s.answer(s.core.Do(s.now, robot.Plan{Goal: pose(x)}))
	case "goto":
		s.answer(s.core.Do(s.now, robot.GoTo{Goal: pose(x), Name: strings.Join(rest[3:], " ")}))
	case "pause":
		s.answer(s.core.Do(s.now, robot.Pause{Reason: text}))
	case "resume":
		s.answer(s.core.Do(s.now, robot.Resume{}))
	case "cancel":
		s.answer(s.core.Do(s.now, robot.Cancel{Reason: text}))
	case "around":
		s.answer(s.core.Do(s.now, robot.GoAround{}))
	case "yield":
		s.answer(s.core.Do(s.now, robot.Halt{Reason: text, Goal: true}))
	case "queue":
		return s.enqueue(rest)
	case "trust":
		s.believed().trust = map[string]robot.Trust{"OK": robot.TrustOK, "UNSURE": robot.TrustUnsure, "LOST": robot.TrustLost}[text]
	case "jump":
		s.believed().pose = pose(x)
	case "gone":
		s.posts = s.posts[:len(s.posts)-1]
	case "deaf":
		s.deaf = append(s.deaf, int(x[0]))
	default:
		return s.doJob(verb, rest, d)
	}
	return nil
}

// enqueue gives an order with a start time: the words after "queue".
func (s *story) enqueue(words []string) error {
	id, err := strconv.ParseUint(words[0], 10, 64)
	if err != nil {
		return err
	}
	o := robot.Enqueue{ID: id}
	if o.After, err = time.ParseDuration(words[1]); err != nil {
		return err
	}
	var x [4]float64
	for i, w := range words[2:] {
		x[i], _ = strconv.ParseFloat(w, 64) // a word is 0
	}
	if words[2] == "goto" {
		o.Command = robot.GoTo{Goal: pose([4]float64(append(x[1:], 0)))}
	} else {
		d, err := time.ParseDuration(words[4])
		if err != nil {
			return err
		}
		o.Command = robot.Drive{Twist: robot.Twist{Linear: x[0], Angular: robot.Radians(x[1])}, Valid: d}
	}
	s.answer(s.core.Do(s.now, o))
	return nil
}

func (s *story) answer(r robot.Result) {
	fmt.Fprintf(&s.out, "    %s\n", strings.TrimSpace(fmt.Sprint(r.Word, " ", r.Reason)))
	if r.Route != nil {
		fmt.Fprintf(&s.out, "    route %d, %.1f m, %.0f s\n", r.Route.Number, r.Route.Length, r.Route.Time)
	}
}

// tell writes what the page would show.
func (s *story) tell() {
	p, v := s.state.Estimate.Pose, s.state.Twist
	fmt.Fprintf(&s.out, "    %.2fs %s at (%.2f, %.2f) %.0f deg, %.2f m/s %.0f deg/s",
		s.now.Sub(epoch).Seconds(), s.state.Mode, zero(p.X), zero(p.Y), zero(robot.Degrees(p.Theta)), zero(v.Linear), zero(robot.Degrees(v.Angular)))
	if g := s.state.Guard; g.Active {
		fmt.Fprintf(&s.out, ", guard %.2f m/s", g.Limit)
	}
	if n := s.state.Nearest; n.Sonar >= 0 {
		fmt.Fprintf(&s.out, ", nearest %.2f m by sonar %d", n.Distance, n.Sonar)
	}
	fmt.Fprintln(&s.out)
	if st := s.state.Stop; st != nil {
		fmt.Fprintf(&s.out, "    stopped by %s at %s\n", st.By, st.At.Format("15:04:05"))
	}
	if g := s.state.Goal; g != nil {
		fmt.Fprintf(&s.out, "    goal %d %s %s on route %d, %.1f m done, %.1f m to go", g.Number, g.Name, g.Phase, g.Route.Number, g.Done, g.Left)
		if g.Blocked != nil {
			fmt.Fprintf(&s.out, ", waits %.0f s for what is at (%.1f, %.1f)", g.Blocked.Waited, zero(g.Blocked.At.X), zero(g.Blocked.At.Y))
		}
		if g.Phase == robot.GoalEnded {
			fmt.Fprintf(&s.out, ", %.2f m off", g.Off)
		}
		fmt.Fprintln(&s.out)
		if g.Result != (robot.Result{}) {
			s.answer(g.Result)
		}
	}
	if q := s.state.Queue; q != nil {
		if !q.Idle() {
			fmt.Fprintf(&s.out, "    queue: %d carried out, %d wait\n", q.Running, q.Waiting)
		}
		for _, a := range q.Answers[s.ended:] {
			fmt.Fprintf(&s.out, "    order %d: ", a.ID)
			fmt.Fprintln(&s.out, strings.TrimSpace(fmt.Sprint(a.Word, " ", a.Reason)))
		}
		s.ended = len(q.Answers)
	}
	s.tellJob()
	if p := s.state.Play; p.Policy == "track" {
		fmt.Fprintf(&s.out, "    track, %.2f s buffered of %.2f s, rate %.2f, %.0f cm off", p.Lead, p.Jitter, zero(p.Rate), 100*p.Error)
		if p.Stalled {
			fmt.Fprint(&s.out, ", stalled")
		}
		fmt.Fprintln(&s.out)
	}
	if h := s.state.Held; h != nil {
		fmt.Fprintf(&s.out, "    held %d at (%.2f, %.2f): %s\n", h.Hold, zero(h.Pose.X), zero(h.Pose.Y), h.Reason)
	}
	if p := s.page; p != nil {
		fmt.Fprintf(&s.out, "    the virtual robot at (%.2f, %.2f) %.0f deg, %.2f m/s%s\n", zero(p.centre().X), zero(p.centre().Y),
			zero(robot.Degrees(p.motion.Axle.Theta)), zero(p.motion.Twist.Linear), p.told())
	}
	if r := s.state.Drive.Result; r.Word != robot.Success {
		s.answer(r)
	}
}

// zero keeps a small negative number from being written as -0.
func zero(x float64) float64 {
	if math.Abs(x) < 0.005 {
		return 0
	}
	return x
}

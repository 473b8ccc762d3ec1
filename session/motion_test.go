package session

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
	"mybot/session/lease"
)

// A fakeMotionStore keeps motions in memory, or fails with err.
type fakeMotionStore struct {
	kept   []playout.Motion
	owners []string
	err    error
}

func (f *fakeMotionStore) List() []KeptMotion {
	all := []KeptMotion{}
	for i, m := range slices.Backward(f.kept) {
		k := KeptMotion{N: uint64(i + 1), Name: m.Name, Made: m.Made, Length: m.Length(), Duration: m.Duration(), Start: m.Points[0].Pose}
		if i < len(f.owners) {
			k.Owner = f.owners[i]
		}
		all = append(all, k)
	}
	return all
}

func (f *fakeMotionStore) Add(m playout.Motion, owner string) (uint64, error) {
	if f.err != nil {
		return 0, f.err
	}
	f.kept, f.owners = append(f.kept, m), append(f.owners, owner)
	return uint64(len(f.kept)), nil
}

func (f *fakeMotionStore) Get(n uint64) (playout.Motion, error) {
	if n > uint64(len(f.kept)) {
		return playout.Motion{}, robot.Refusal{Word: robot.Error, Reason: fmt.Sprintf("There is no motion %d.", n)}
	}
	return f.kept[n-1], f.err
}

func (f *fakeMotionStore) Rename(n uint64, _, name string) error {
	f.kept[n-1].Name = name
	return f.err
}

func (f *fakeMotionStore) Delete(n uint64) error {
	f.kept = slices.Delete(f.kept, int(n-1), int(n))
	return f.err
}

// newStoreTable is a table whose motions are stored.
func newStoreTable(t testing.TB) (*table, *fakeMotionStore) {
	tb, store := newTable(t), &fakeMotionStore{}
	tb.hub.cfg.Motions, tb.hub.coordinator.motions = store, store
	return tb, store
}

// write does the queued work of the store.
func (tb *table) write() {
	for len(tb.hub.motionRequests) > 0 {
		s := <-tb.hub.motionRequests
		s.runOn(tb.hub.cfg.Motions)
		tb.hub.post(s)
	}
	tb.hub.step(tb.now)
}

// lead drives a virtual robot ahead in a straight line, for the given number of
// samples 50 ms apart.
func (p *page) lead(from float64, samples int) (x float64) {
	send := func(t, v, x float64) {
		p.seq++
		p.say(`{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":%g,"v":%g,"w":0,"valid":0.25,"vr":[%g,2,0,%g,0,%g]}`, p.lease, p.hold, p.seq, t, v, x, v, x-from)
		p.pass(50 * time.Millisecond)
	}
	began := p.now.Sub(p.hub.start).Seconds()
	send(began, 0, from)
	for i := range samples {
		x = from + 0.02*float64(i+1)
		send(began+0.05*float64(i+1), 0.4, x)
	}
	send(began+0.05*float64(samples+1), 0, x)
	return x
}

// kept is a motion that the store has from the start.
func kept(name string) playout.Motion {
	m := playout.Motion{Name: name, Made: time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)}
	for i := range 20 {
		m.Points = append(m.Points, playout.Waypoint{T: 0.1 * float64(i), Pose: robot.Pose{X: 0.03 * float64(i)}})
	}
	return m
}

func TestADriveIsKeptAsAMotionWhenTheDriverHasPaused(t *testing.T) {
	tb, store := newStoreTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	ana.hear()
	x := ana.lead(1, 30)
	tb.pass(time.Second) // a short rest
	x = ana.lead(x, 30)
	tb.pass(motionPause - 100*time.Millisecond)
	tb.write()
	if len(store.kept) != 0 {
		t.Fatal("the drive was over too early")
	}
	jin.hear()
	tb.pass(200 * time.Millisecond)
	tb.write()
	if len(store.kept) != 1 {
		t.Fatalf("%d motions are kept", len(store.kept))
	}
	m := store.kept[0]
	first, last := m.Points[0], m.Points[len(m.Points)-1]
	if m.Name != "Ana's drive" || first.T != 0 || first.Pose.X != 1 || math.Abs(last.Pose.X-x) > 1e-9 || math.Abs(m.Length()-1.2) > 1e-9 || m.Duration() < 3 {
		t.Errorf("%q is %.3f m in %.2f s, from %v to %v", m.Name, m.Length(), m.Duration(), first, last)
	}
	var told []any
	for _, e := range jin.hear() {
		if e["kind"] == "motions" {
			told = e["motions"].([]any)
		}
	}
	if len(told) != 1 || told[0].(map[string]any)["name"] != "Ana's drive" {
		t.Errorf("Jin hears of %v", told)
	}
	if bo := tb.connect("Bo"); true {
		bo.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
		if heard := kinds(bo.hear()); !strings.Contains(heard, "event:motions") {
			t.Errorf("who comes later hears %s", heard)
		}
	}
}

func TestWhatEndsADriveEndsItsMotion(t *testing.T) {
	tb, store := newStoreTable(t)
	ana := tb.join("Ana")
	ana.lead(1, 60)
	tb.hub.Stop("Jin", Identity{})
	tb.hub.step(tb.now)
	tb.write()
	if len(store.kept) != 1 {
		t.Errorf("%d motions are kept after a stop", len(store.kept))
	}
	ana.hear()
	ana.say(`{"type":"unstop","id":1,"lease":%d}`, ana.lease)
	ana.hear()
	ana.lead(2, 0) // a key that moves nothing
	tb.pass(2 * motionPause)
	tb.write()
	if len(store.kept) != 1 {
		t.Errorf("%d motions are kept, one moves nothing", len(store.kept))
	}
}

func TestADriveOfLessThanAMetreIsNotKept(t *testing.T) {
	for samples, want := range map[int]int{45: 0, 55: 1} {
		tb, store := newStoreTable(t)
		ana := tb.join("Ana")
		ana.lead(2, samples)
		tb.pass(2 * motionPause)
		tb.write()
		if len(store.kept) != want {
			t.Errorf("%d motions are kept of %.1f m", len(store.kept), 0.02*float64(samples))
		}
	}
}

func TestADriveIsNamedByTheRoomsItLeadsThrough(t *testing.T) {
	room := func(name string, x0, x1 float64) robot.Room {
		return robot.Room{Name: name, Outline: []robot.Point{{X: x0}, {X: x1}, {X: x1, Y: 4}, {X: x0, Y: 4}}}
	}
	plan := &robot.Floorplan{Rooms: []robot.Room{room("Lounge", 0, 3), room("Corridor", 3, 6), room("", 6, 9), room(strings.Repeat("x", 40), 9, 12), room(strings.Repeat("y", 40), 12, 15)}}
	for _, c := range []struct {
		poses []float64 // x, m
		want  string
	}{
		{[]float64{4, 2}, "Corridor to Lounge"},
		{[]float64{1, 2}, "In Lounge"},
		{[]float64{5, 7, 5}, "In Corridor"},
		{[]float64{1, 4, 2}, "Lounge and back"},
		{[]float64{1, 7}, "Ana's drive"},
		{[]float64{-1, 1}, "Ana's drive"},
		{[]float64{10, 13}, "Ana's drive"},
	} {
		tb, store := newStoreTable(t)
		tb.hub.coordinator.floorplan = func() *robot.Floorplan { return plan }
		m := playout.Motion{Name: "Ana's drive"}
		for i, x := range c.poses {
			m.Points = append(m.Points, playout.Waypoint{T: float64(i), Pose: robot.Pose{X: x, Y: 2}})
		}
		tb.hub.coordinator.storeDrive(&m)
		tb.write()
		if len(store.kept) != 1 || store.kept[0].Name != c.want {
			t.Errorf("%v: kept as %v, want %q", c.poses, store.List(), c.want)
		}
	}
}

func TestADriveThatBeginsElsewhereIsAnotherMotion(t *testing.T) {
	tb, store := newStoreTable(t)
	ana := tb.join("Ana")
	x := ana.lead(1, 60)
	tb.pass(time.Second)
	ana.lead(x+1, 60) // it was sent there
	tb.pass(2 * motionPause)
	tb.write()
	if len(store.kept) != 2 || math.Abs(store.kept[0].Length()-1.2) > 1e-9 || math.Abs(store.kept[1].Length()-1.2) > 1e-9 {
		t.Errorf("%+v", store.List())
	}
}

func TestADirectDriveIsKeptAsTheRobotsOwnPath(t *testing.T) {
	tb, store := newStoreTable(t)
	tb.join("Ana")
	for i := range 150 {
		x := 0.01 * float64(i)
		tb.hub.latest.Store(&robot.State{
			Time: tb.now, Estimate: robot.Estimate{Pose: robot.Pose{X: x}}, Twist: robot.Twist{Linear: 0.5},
			Play: robot.Play{Policy: string(playout.Direct)},
		})
		tb.pass(20 * time.Millisecond)
	}
	tb.hub.latest.Store(&robot.State{Time: tb.now})
	tb.pass(2 * motionPause)
	tb.write()
	if len(store.kept) != 1 {
		t.Fatalf("%d motions are kept", len(store.kept))
	}
	if m := store.kept[0]; len(m.Points) != 15 || math.Abs(m.Length()-1.4) > 1e-9 || !m.Points[0].Twist.IsZero() {
		t.Errorf("%d points, %.3f m, it begins with %v", len(m.Points), m.Length(), m.Points[0].Twist)
	}
}

func TestAMotionEndsAfterTenMinutes(t *testing.T) {
	var r recorder
	at := time.Unix(0, 0)
	sample := func(s float64) robot.Follow {
		f := robot.Follow{Lease: 1, Hold: 1, T: s, Pose: robot.Pose{X: s}}
		if s > 0 {
			f.Want.Linear, f.Twist.Linear = 0.3, 0.3
		}
		return f
	}
	for s := 0.0; s < 700; s += 0.5 {
		if m := r.addSample(sample(s), driver{name: "Ana"}, at.Add(time.Duration(s*1e9))); m != nil {
			t.Fatal("it ended while it was driven")
		}
	}
	if m := r.finishMotion(); m == nil || m.Duration() != 600 || CheckMotion(*m) != "" {
		t.Errorf("%+v", m.Duration())
	}
}

func TestSamplesThatWereLostAreTakenFromThoseAfterThem(t *testing.T) {
	var r recorder
	at := time.Unix(0, 0)
	follow := func(n int, hist ...robot.Follow) robot.Follow {
		f := robot.Follow{Lease: 1, Hold: 1, Seq: uint64(n), T: float64(n), Pose: robot.Pose{X: float64(n)}, Hist: hist}
		if n > 0 {
			f.Want.Linear = 0.3
		}
		return f
	}
	r.addSample(follow(0), driver{name: "Ana"}, at)
	r.addSample(follow(3, follow(0), follow(1), follow(2)), driver{name: "Ana"}, at)
	r.addSample(follow(1), driver{name: "Ana"}, at) // late
	m := r.finishMotion()
	if m == nil || len(m.Points) != 4 {
		t.Fatalf("%+v", m)
	}
	for i, w := range m.Points {
		if w.T != float64(i) || w.Pose.X != float64(i) {
			t.Errorf("point %d is %+v", i, w)
		}
	}
}

func TestAMotionIsPlayedAgain(t *testing.T) {
	tb, store := newStoreTable(t)
	store.kept = append(store.kept, kept("Round the table"))
	ana, jin := tb.join("Ana"), tb.join("Jin")
	ana.hear()
	ana.say(`{"type":"motion","id":5,"lease":%d,"action":"play","motion":1}`, ana.lease)
	if told := ana.results(); told != nil {
		t.Fatalf("answered before it was read: %v", told)
	}
	before := ana.hold
	tb.write()
	replays := func() (all []robot.Replay) {
		for _, cmd := range tb.robot.did {
			if r, ok := cmd.(robot.Replay); ok {
				all = append(all, r)
			}
		}
		return all
	}
	if told := ana.results(); !slices.Equal(told, []string{"SUCCESS"}) {
		t.Errorf("the answer is %v", told)
	}
	if did := replays(); len(did) != 1 || did[0].Hold != before+1 || did[0].Lease != ana.lease || did[0].Number != 1 || !reflect.DeepEqual(did[0].Points, store.kept[0].Points) {
		t.Errorf("the robot is asked for %+v", did)
	}
	if ana.hold != before+1 {
		t.Errorf("a hand goes on under the number %d", ana.hold)
	}
	playing := robot.State{Time: tb.now, Play: robot.Play{Policy: "playback", Motion: 1}}
	tb.robot.take()
	tb.hub.coordinator.ordersPending = false
	tb.hub.coordinator.observeState(playing, false)

	t.Run("a hand of before does not end it", func(t *testing.T) {
		ana.hold--
		ana.press(0, 0)
		ana.hold++
		if did := tb.robot.take(); did != nil {
			t.Errorf("the robot does %q", did)
		}
	})
	t.Run("a hand that begins ends it", func(t *testing.T) {
		ana.hear()
		jin.hear()
		ana.press(0, 0)
		if did := tb.robot.take(); !slices.Equal(did, []string{"halt: The robot has stopped where Ana took over. Let go and press again."}) {
			t.Errorf("the robot does %q", did)
		}
		if told := jin.logs(); !slices.Equal(told, []string{"drive: Round the table is over. Ana drives."}) {
			t.Errorf("Jin reads %q", told)
		}
		if ana.hear(); ana.hold != before+2 {
			t.Errorf("the number is %d", ana.hold)
		}
		ana.press(0, 0)
		if did := tb.robot.take(); !slices.Equal(did, []string{"drive 0 0 for 250ms"}) {
			t.Errorf("the robot does %q", did)
		}
	})
}

func TestEveryUserReadsHowAMotionEnded(t *testing.T) {
	for _, tc := range []struct {
		how  string
		ends func(tb *table, ana *page)
		want string
	}{
		{"by itself", func(tb *table, _ *page) {
			tb.hub.coordinator.observeState(robot.State{Time: tb.now}, false)
		}, "drive: Round the table is over. It was replayed to its end."},
		{"something stood in the way", func(tb *table, ana *page) {
			tb.hub.coordinator.observeState(robot.State{Time: tb.now, Held: &robot.Held{Lease: ana.lease, Hold: ana.hold, Reason: "Something is in the way.", At: tb.now}}, false)
		}, "drive: Round the table is over. Something is in the way."},
		{"STOP", func(tb *table, _ *page) {
			tb.hub.Stop("Jin", Identity{})
			tb.hub.step(tb.now)
			tb.hub.coordinator.observeState(robot.State{Time: tb.now, Stop: &robot.StopState{By: "Jin"}}, false)
		}, "drive: Round the table is over. It stopped before its end."},
		{"the holder", func(_ *table, ana *page) {
			ana.say(`{"type":"motion","id":6,"lease":%d,"action":"stop"}`, ana.lease)
		}, "drive: Round the table is over. Ana ended it."},
	} {
		t.Run(tc.how, func(t *testing.T) {
			tb, store := newStoreTable(t)
			store.kept = append(store.kept, kept("Round the table"))
			ana := tb.join("Ana")
			ana.say(`{"type":"motion","id":5,"lease":%d,"action":"play","motion":1}`, ana.lease)
			tb.write()
			ana.hear()
			tb.hub.coordinator.ordersPending = false
			tb.hub.coordinator.observeState(robot.State{Time: tb.now, Play: robot.Play{Policy: "playback", Motion: 1}}, false)
			tc.ends(tb, ana)
			if told := ana.logs(); !slices.Contains(told, tc.want) {
				t.Errorf("Ana reads %q", told)
			}
			tb.hub.coordinator.observeState(robot.State{Time: tb.now}, false)
			if told := ana.logs(); told != nil {
				t.Errorf("and then %q", told)
			}
		})
	}
}

func TestOnlyTheHolderHasMotionsPlayedAndChanged(t *testing.T) {
	tb, store := newStoreTable(t)
	store.kept = append(store.kept, kept("Round the table"))
	ana, jin := tb.join("Ana"), tb.join("Jin")
	ana.hear()
	jin.hear()
	tb.robot.take()
	for _, tc := range []struct {
		who    *page
		frame  string
		before func()
		want   string
	}{
		{jin, `"action":"play","motion":1`, nil, "ERROR Ana has control. You can watch and stop the robot."},
		{jin, `"action":"delete","motion":1`, nil, "ERROR Ana has control. You can watch and stop the robot."},
		{ana, `"action":"play","motion":9`, nil, "ERROR There is no motion 9."},
		{ana, `"action":"rename","motion":1,"name":"Door to door"`, nil, "SUCCESS"},
		{ana, `"action":"stop"`, nil, "SUCCESS"},
		{ana, `"action":"play","motion":1`, func() { tb.hub.Stop("Jin", Identity{}); tb.hub.step(tb.now) }, "PANIC Stopped by Jin. Ana can release it."},
		{ana, `"action":"delete","motion":1`, nil, "SUCCESS"},
		{ana, `"action":"delete","motion":1`, func() {
			store.kept, store.err = []playout.Motion{kept("x")}, robot.Refusal{Word: robot.Error, Reason: "The disk is full."}
		}, "ERROR The disk is full."},
	} {
		if tc.before != nil {
			tc.before()
		}
		tc.who.hear()
		tc.who.say(`{"type":"motion","id":5,"lease":%d,%s}`, tc.who.lease, tc.frame)
		tb.write()
		if told := tc.who.results(); !slices.Equal(told, []string{tc.want}) {
			t.Errorf("%s: %q", tc.frame, told)
		}
	}
	for _, line := range tb.robot.take() {
		if strings.Contains(line, "Replay") {
			t.Error("the robot plays something")
		}
	}
}

func TestAMotionIsNotPlayedForWhoHasLostControlMeanwhile(t *testing.T) {
	tb, store := newStoreTable(t)
	store.kept = append(store.kept, kept("Round the table"))
	ana := tb.join("Ana")
	ana.hear()
	ana.say(`{"type":"motion","id":5,"lease":%d,"action":"play","motion":1}`, ana.lease)
	ana.say(`{"type":"control","id":6,"action":"release"}`)
	tb.stand()
	tb.write()
	if told := ana.results(); !slices.Contains(told, "INTERRUPTED Nobody has control.") {
		t.Errorf("the answers are %q", told)
	}
	if did := tb.robot.take(); slices.Contains(did, "robot.Replay") {
		t.Errorf("the robot does %q", did)
	}
}

func TestAMotionThatCannotBeKeptIsToldWhy(t *testing.T) {
	long, endless, still, nameless, blank, twoLines := kept("a"), kept("a"), kept("a"), kept(""), kept("\u200d"), kept("a\nb")
	long.Points[19].T, endless.Points[19].T = 601, 1e308
	still.Points = still.Points[:2]
	for want, m := range map[string]playout.Motion{
		"": kept("Round the table"),
		"The motion lasts 601 s; it should last at most 600 s.":                       long,
		"The motion lasts 1e+308 s; it should last at most 600 s.":                    endless,
		"Nothing moves in this motion.":                                               still,
		`The motion's name is ""; it should be one line of 1 to 60 letters.`:          nameless,
		"The motion's name is \"\\u200d\"; it should be one line of 1 to 60 letters.": blank,
		"The motion's name is \"a\\nb\"; it should be one line of 1 to 60 letters.":   twoLines,
	} {
		if got := CheckMotion(m); got != want {
			t.Errorf("%q, should be %q", got, want)
		}
	}
}

func TestADriveIsDeletedByItsDriverOrAnAdminAlone(t *testing.T) {
	for _, tc := range []struct {
		role  Role
		grant string
		want  string
	}{
		{Operator, "g2", "ERROR Only the person who recorded this motion and admins may delete it."},
		{Operator, "g1", "SUCCESS"},
		{Admin, "g2", "SUCCESS"},
		{Operator, "", "SUCCESS"},
	} {
		tb, store := newStoreTable(t)
		ana := tb.connectAs(Identity{Browser: "Ana", Role: Operator, Grant: "g1"})
		ana.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","name":"Ana","build":"0.1.0"}`)
		ana.hear()
		ana.lead(1, 60)
		ana.user.Leave()
		tb.hub.step(tb.now)
		tb.pass(2 * lease.Grace)
		tb.stand()
		tb.write()
		if !slices.Equal(store.owners, []string{"g1"}) {
			t.Fatalf("the drive is that of %q, want g1", store.owners)
		}
		bob := tb.connectAs(Identity{Browser: "Bob", Role: tc.role, Grant: tc.grant})
		bob.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","name":"Bob","build":"0.1.0"}`)
		bob.hear()
		bob.say(`{"type":"motion","id":5,"lease":%d,"action":"delete","motion":1}`, bob.lease)
		tb.write()
		if told := bob.results(); !slices.Equal(told, []string{tc.want}) {
			t.Errorf("%s %q: %q, want %q", tc.role, tc.grant, told, tc.want)
		}
	}
}

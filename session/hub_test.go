package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/session/protocol/protocoltest"
)

// A connection is a page in a synctest bubble. It receives nothing before read.
type connection struct {
	*User
	sending sync.Mutex // Receive must be called by one goroutine at a time
	cancel  context.CancelFunc
	ended   chan struct{}
	err     error // that ended it

	reading sync.Mutex
	frames  []string // not states
	states  int
}

func (c *connection) Receive(frame []byte) {
	c.sending.Lock()
	defer c.sending.Unlock()
	c.User.Receive(frame)
}

func join(t *testing.T, h *Hub, browser string) *connection {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	u, err := h.Join(ctx, Identity{Browser: browser, Role: Operator})
	if err != nil {
		t.Fatal(err)
	}
	return &connection{User: u, cancel: cancel, ended: make(chan struct{})}
}

// read has the connection read until it ends, and acknowledges the states.
func (c *connection) read() *connection {
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	go func() {
		defer close(c.ended)
		defer c.Leave()
		for {
			frame, err := c.Next(ctx)
			if err != nil {
				c.err = err
				return
			}
			if bytes.HasPrefix(frame, []byte(`{"type":"state"`)) {
				c.reading.Lock()
				c.states++
				c.reading.Unlock()
				var m struct{ N uint64 }
				if err := json.Unmarshal(frame, &m); err != nil {
					panic(err)
				}
				c.Receive(fmt.Appendf(nil, `{"type":"ack","n":%d}`, m.N))
				continue
			}
			c.reading.Lock()
			c.frames = append(c.frames, string(frame))
			c.reading.Unlock()
		}
	}()
	return c
}

func (c *connection) hello(tab string) *connection {
	c.Receive(fmt.Appendf(nil, `{"type":"hello","protocol":"mybot.v1","tab":%q,"build":"0.1.0"}`, tab))
	return c
}

// seen returns the number of states received once all goroutines are blocked.
func (c *connection) seen() int {
	synctest.Wait()
	c.reading.Lock()
	defer c.reading.Unlock()
	return c.states
}

// all returns the frames received once all goroutines are blocked.
func (c *connection) all() []string {
	synctest.Wait()
	c.reading.Lock()
	defer c.reading.Unlock()
	return slices.Clone(c.frames)
}

// heard reports whether a frame that contains part was received.
func (c *connection) heard(part string) bool {
	return slices.ContainsFunc(c.all(), func(f string) bool { return strings.Contains(f, part) })
}

// run runs a hub in a synctest bubble until the test ends.
func run(t *testing.T, cfg Config, test func(t *testing.T, h *Hub)) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(cfg)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- h.Run(ctx) }()
		test(t, h)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
	})
}

func TestStatesGoOutTenTimesASecondAndAtOnceOnAChange(t *testing.T) {
	run(t, testConfig(&fakeRobot{}), func(t *testing.T, h *Hub) {
		ana := join(t, h, "ana").read().hello("t")
		synctest.Wait()
		s := robot.State{Mode: robot.ModeReady}
		for range 500 { // 10 s of a 50 Hz robot
			h.Publish(s)
			time.Sleep(20 * time.Millisecond)
		}
		synctest.Wait()
		if ana.seen() < 99 || ana.seen() > 101 {
			t.Errorf("%d states in 10 s", ana.seen())
		}
		before := ana.seen()
		s.Mode = robot.ModeManual
		h.Publish(s)
		synctest.Wait()
		if ana.seen() != before+1 {
			t.Error("a change of mode had to wait")
		}
		h.Stop("the form", Identity{})
		h.Publish(s)
		synctest.Wait()
		if ana.seen() != before+2 {
			t.Error("a stop had to wait")
		}
		h.Publish(s)
		time.Sleep(statePeriod)
		synctest.Wait()
		if ana.seen() != before+3 {
			t.Error("the last state of a robot that falls silent was not shown")
		}
		if s := h.Stats(); s.StatesSent != uint64(ana.seen()) || s.StatesSkipped != 0 || s.Users != 1 || s.Epoch != 1 {
			t.Errorf("%+v", s)
		}
		ana.cancel()
		<-ana.ended
	})
}

func TestAStuckReaderDelaysNoOtherUser(t *testing.T) {
	run(t, testConfig(&fakeRobot{}), func(t *testing.T, h *Hub) {
		stuck := join(t, h, "stuck").hello("t")
		ana := join(t, h, "ana").read().hello("t")
		synctest.Wait()
		for i := range 1000 {
			h.Publish(robot.State{Mode: robot.ModeReady})
			at := time.Now()
			ana.Receive(fmt.Appendf(nil, `{"type":"rename","id":%d,"name":"Ana"}`, i+1))
			synctest.Wait()
			if !ana.heard(fmt.Sprintf(`"id":%d,`, i+1)) || time.Since(at) > 0 {
				t.Fatalf("answer %d had to wait", i+1)
			}
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if ana.seen() < 999 {
			t.Errorf("Ana saw %d states of 1000", ana.seen())
		}
		select {
		case <-stuck.Done():
		default:
			t.Error("a page that reads no events is still connected")
		}
		if frame, err := stuck.Next(t.Context()); err != nil || !strings.Contains(string(frame), `"bye"`) {
			t.Errorf("it was told %s, %v", frame, err)
		}
		if _, err := stuck.Next(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("then %v", err)
		}
		stuck.Leave()
		ana.cancel()
		<-ana.ended
	})
}

func TestASlowReaderGetsTheNewestState(t *testing.T) {
	run(t, testConfig(&fakeRobot{}), func(t *testing.T, h *Hub) {
		slow := join(t, h, "slow").hello("t")
		synctest.Wait()
		var seen []int
		take := func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			for {
				frame, err := slow.Next(ctx)
				if err != nil {
					return
				}
				var m struct {
					Type string
					N    int
				}
				if err := json.Unmarshal(frame, &m); err != nil {
					t.Fatal(err)
				}
				if m.Type == "state" {
					seen = append(seen, m.N)
				}
			}
		}
		for n := 1; n <= 30; n++ { // reads one state in five, acknowledges none
			h.Publish(robot.State{})
			time.Sleep(100 * time.Millisecond)
			if n%5 == 0 {
				take()
			}
		}
		if !slices.Equal(seen, []int{5, 10, 15, 20, 25, 30}) {
			t.Errorf("it saw the states %v", seen)
		}
		if got := h.Stats().StatesSkipped; got != 24 {
			t.Errorf("%d states were counted as skipped", got)
		}
		slow.Leave()
	})
}

func TestAStopReachesTheRobotWhileTheHubHangs(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana, jin := join(t, h, "ana").read().hello("t"), join(t, h, "jin").read().hello("t")
		synctest.Wait()
		f.hang.Lock()
		ana.Receive([]byte(`{"type":"drive","lease":1,"hold":2,"seq":1,"t":1,"v":0,"w":0}`))
		time.Sleep(10 * time.Millisecond) // now the hub waits for the robot's Do
		at := time.Now()
		jin.Receive([]byte(`{"type":"stop","id":1}`))
		if f.stopped() != "Guest 2" || time.Since(at) > 0 {
			t.Errorf("stopped by %q after %v", f.stopped(), time.Since(at))
		}
		h.Stop("the form", Identity{})
		for range 2 * maxCommands {
			ana.Receive([]byte(`{"type":"drive","lease":1,"hold":2,"seq":2,"t":1,"v":0.3,"w":0}`))
		}
		ana.Receive([]byte(`{"type":"stop","id":2}`))
		if time.Since(at) > 0 || len(f.stops) != 3 {
			t.Errorf("%d stops after %v", len(f.stops), time.Since(at))
		}
		f.hang.Unlock()
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		if !jin.heard(`"type":"result","id":1,"word":"SUCCESS"`) || !ana.heard(`"type":"result","id":2,"word":"SUCCESS"`) || !ana.heard(`"kind":"stop"`) {
			t.Errorf("Ana heard %v, Jin %v", ana.all(), jin.all())
		}
		for _, line := range f.take() {
			if strings.Contains(line, "0.3") {
				t.Error(line)
			}
		}
		ana.cancel()
		jin.cancel()
		<-ana.ended
		<-jin.ended
	})
}

func TestARobotThatHangsDelaysNoUserForLong(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana := join(t, h, "ana").read().hello("t")
		synctest.Wait()
		f.hang.Lock()
		at := time.Now()
		ana.Receive([]byte(`{"type":"drive","lease":1,"hold":2,"seq":1,"t":1,"v":0,"w":0}`))
		ana.Receive([]byte(`{"type":"rename","id":1,"name":"Ana"}`))
		for !ana.heard(`"id":1,"word":"SUCCESS"`) {
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			if time.Since(at) > 2*robotWait {
				t.Fatal("no answer came")
			}
		}
		if !ana.heard(`"seq":1,"word":"BUSY"`) {
			t.Errorf("Ana heard %v", ana.all())
		}
		f.hang.Unlock()
		ana.cancel()
		<-ana.ended
	})
}

func TestAFloodDelaysNeitherOthersNorTheStop(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana, loud := join(t, h, "ana").read().hello("t"), join(t, h, "loud").read().hello("t")
		synctest.Wait()
		long := []byte(`{"type":"rename","id":1,"name":"` + strings.Repeat("x", 30000) + `"}`)
		for range flood/2 - 10 {
			loud.Receive([]byte(`{"type":"drive","lease":1,"hold":2,"seq":2,"t":1,"v":0.3,"w":0}`))
			loud.Receive(long)
		}
		loud.Receive([]byte(`{"type":"stop","id":1}`))
		if f.stopped() != "Guest 2" {
			t.Fatal("the flood drowned its own stop")
		}
		ana.Receive([]byte(`{"type":"unstop","id":5,"lease":1}`))
		synctest.Wait()
		if !ana.heard(`"id":5,"word":"SUCCESS"`) {
			t.Errorf("Ana heard %v", ana.all())
		}
		told := 0
		for _, frame := range loud.all() {
			if strings.Contains(frame, "sends too much") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("it was told %d times in one second that it sends too much", told)
		}
		time.Sleep(time.Second)
		loud.Receive([]byte(`{"type":"rename","id":77,"name":"Jin"}`))
		synctest.Wait()
		if !loud.heard(`"id":77,"word":"SUCCESS"`) {
			t.Error("it is not heard again after a quiet second")
		}

		for range 10 * flood { // more than any user should have to read
			loud.Receive([]byte(`{"type":"ack","n":1}`))
		}
		loud.Receive([]byte(`{"type":"stop","id":2}`))
		if f.stopped() != "Jin" {
			t.Error("the flood drowned its own stop")
		}
		select {
		case <-loud.Done():
		default:
			t.Error("who sends far too much is still connected")
		}
		ana.cancel()
		<-ana.ended
		<-loud.ended
	})
}

func TestANameIsWrittenDownWithoutDelayingAnyUser(t *testing.T) {
	names := &fakeNames{kept: map[string]string{"jin": "Jin"}}
	cfg := testConfig(&fakeRobot{})
	cfg.Names = names
	run(t, cfg, func(t *testing.T, h *Hub) {
		ana, jin := join(t, h, "ana").read().hello("t"), join(t, h, "jin").read().hello("t")
		names.hang.Lock()
		ana.Receive([]byte(`{"type":"rename","id":1,"name":"Ana"}`))
		time.Sleep(10 * time.Millisecond)
		jin.Receive([]byte(`{"type":"control","id":2,"action":"release"}`))
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		if !jin.heard(`"id":2,`) || ana.heard(`"id":1,"word"`) {
			t.Errorf("Ana heard %v, Jin %v", ana.all(), jin.all())
		}
		names.hang.Unlock()
		time.Sleep(2 * rowSoon)
		if !ana.heard(`"name":"Jin"`) {
			t.Error("the name that was kept is not known")
		}
		if !ana.heard(`"id":1,"word":"SUCCESS"`) || !jin.heard(`"name":"Ana"`) || names.NameOf("ana") != "Ana" {
			t.Errorf("Ana heard %v, Jin %v", ana.all(), jin.all())
		}

		names.mu.Lock()
		names.err = errDisk
		names.mu.Unlock()
		time.Sleep(time.Second) // she has just been renamed
		ana.Receive([]byte(`{"type":"rename","id":3,"name":"Zoe"}`))
		time.Sleep(rowSoon)
		synctest.Wait()
		if !ana.heard(`"id":3,"word":"ERROR","reason":"The name could not be saved. It stays as it was."`) || jin.heard("Zoe") {
			t.Errorf("Ana heard %v", ana.all())
		}
		ana.cancel()
		jin.cancel()
		<-ana.ended
		<-jin.ended
	})
}

func TestAtTheEndTheRobotHaltsAndEveryUserHearsBye(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeRobot{}
		h := NewHub(testConfig(f))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- h.Run(ctx) }()
		ana, stranger := join(t, h, "ana").read().hello("t"), join(t, h, "zoe").read()
		stuck := join(t, h, "stuck").hello("t")
		synctest.Wait()
		f.take()
		at := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
		if took := time.Since(at); took != byeWait {
			t.Errorf("it waited %v for a connection that is stuck", took)
		}
		equal(t, "the robot", f.take(), "halt and pause: The robot is shutting down.")
		const bye = `{"type":"bye","reason":"The robot is shutting down.","again":true}`
		for _, c := range []*connection{ana, stranger} {
			<-c.ended
			if c.all()[len(c.all())-1] != bye || !errors.Is(c.err, ErrClosed) {
				t.Errorf("it heard %v, %v", c.all(), c.err)
			}
		}
		<-stuck.Done()
		stuck.Leave()
		if _, err := h.Join(t.Context(), Identity{Browser: "late", Role: Operator}); !errors.Is(err, ErrClosed) {
			t.Errorf("Join = %v", err)
		}
		ana.Receive([]byte(`{"type":"stop"}`))
		if f.stopped() == "" {
			t.Error("a stop did not reach the robot any more")
		}
	})
}

func TestTheEndOfItsContextIsTheEndOfAConnection(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana := join(t, h, "ana").hello("t")
		synctest.Wait()
		f.take()
		ana.cancel()
		synctest.Wait()
		equal(t, "the robot", f.take(), "halt: Guest 1 left.")
		if _, err := ana.Next(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("Next = %v", err)
		}
		if h.Stats().Users != 0 {
			t.Error("it is still counted")
		}
	})
}

func TestAConnectionNeedsAnIdentityAndAPlace(t *testing.T) {
	tb := newTable(t)
	if _, err := tb.hub.joinAt(Identity{}, tb.now); err == nil || !strings.Contains(err.Error(), "cookie") {
		t.Errorf("join without a cookie = %v", err)
	}
	var last *page
	for range maxUsers {
		last = tb.connect("b")
	}
	if _, err := tb.hub.joinAt(Identity{Browser: "b", Role: Operator}, tb.now); err == nil {
		t.Error("there is room without end")
	}
	last.user.Leave()
	tb.connect("b")
}

func TestObserversLeavePlacesForThoseWhoMayDrive(t *testing.T) {
	tb := newTable(t)
	for n := 0; ; n++ {
		if _, err := tb.hub.joinAt(Identity{Browser: fmt.Sprint(n), Role: Observer, Grant: fmt.Sprint(n)}, tb.now); err != nil {
			if n != maxUsers-reservedUsers || !strings.Contains(err.Error(), "pages are connected; close one of them") {
				t.Errorf("after %d pages of observers: %v", n, err)
			}
			break
		}
	}
	if _, err := tb.hub.joinAt(Identity{Browser: "ana", Role: Operator}, tb.now); err != nil {
		t.Errorf("an operator is told: %v", err)
	}
}

// A device costs nothing to the bearer of a share link: each browser without a cookie is one.
func TestObserversOfOneLinkLeavePlacesForThoseOfOthers(t *testing.T) {
	tb := newTable(t)
	join := func(link, device string) (*User, error) {
		return tb.hub.joinAt(Identity{Browser: link + device, Role: Observer, Grant: link + device, Link: link}, tb.now)
	}
	takeAll := func(link string) (n int) {
		for ; ; n++ {
			if _, err := join(link, fmt.Sprint(n)); err != nil {
				if !strings.Contains(err.Error(), fmt.Sprintf("your link has %d pages open; close one of them", n)) {
					t.Errorf("page %d of the link %s is refused with: %v", n+1, link, err)
				}
				return n
			}
		}
	}
	const places = maxUsers - reservedUsers
	if got := takeAll("a"); got != places/2 {
		t.Errorf("one link has %d pages, want half of %d", got, places)
	}
	if got := takeAll("b"); got != places/4 {
		t.Errorf("the next link has %d pages, want half of the rest, %d", got, places/4)
	}
	last, err := join("c", "1")
	if err != nil {
		t.Fatalf("the first page of a third link is refused: %v", err)
	}
	last.Leave()
	last.Leave()
	if n := tb.hub.observers.Count("c"); n != 0 {
		t.Errorf("a link whose page was closed twice has %d", n)
	}
}

// An observer may send any frame: unless it is a stop, nothing about the robot
// changes.
func TestRandomFramesFromAnObserverChangeNothing(t *testing.T) {
	frames := 100_000
	if testing.Short() {
		frames = 10_000
	}
	changeNothing(t, frames)
}

func TestSoakAMillionFramesFromAnObserverChangeNothing(t *testing.T) {
	if os.Getenv("MYBOT_LONG") == "" {
		t.Skip("a soak test; MYBOT_LONG=1 runs it")
	}
	changeNothing(t, 1_000_000)
}

// changeNothing has an observer send many frames, each a valid one with small
// changes.
func changeNothing(t *testing.T, frames int) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.join("Zoe")
	ana.press(0, 0)
	tb.robot.take()
	examples := protocoltest.Examples(t, "protocol/protocol.md", "## Page to robot", "## Robot to page")
	rng := rand.New(rand.NewPCG(1, 2))
	want := tb.hub.coordinator.lease
	hold := tb.hub.coordinator.gate.Epoch()
	enter := func() *page { return tb.connectAs(Identity{Browser: "Jin", Role: Observer}) }
	observer := enter()
	for i := range frames {
		if observer.user.person == nil {
			observer.user.Leave()
			observer = enter()
			observer.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
		}
		frame := []byte(examples[rng.IntN(len(examples))])
		for range rng.IntN(4) {
			switch at := rng.IntN(len(frame)); rng.IntN(4) {
			case 0:
				frame[at] = byte(rng.IntN(256))
			case 1:
				frame = append(frame[:at], frame[min(len(frame)-1, at+rng.IntN(8)):]...)
			case 2:
				frame = slices.Insert(frame, at, []byte(`":,{}[]0123456789eE+-."take"nul\u0000`)[rng.IntN(30):][:3]...)
			case 3:
				frame = bytes.Replace(frame, []byte("4"), []byte("1"), 1)
			}
		}
		if bytes.Contains(frame, []byte(`stop"`)) && !bytes.Contains(frame, []byte("unstop")) {
			continue
		}
		tb.now = tb.now.Add(5 * time.Millisecond) // within the budget
		observer.user.receiveAt(frame, tb.now)
		if i%16 == 0 {
			tb.hub.step(tb.now)
			observer.frames()
			ana.frames()
		}
	}
	tb.hub.step(tb.now)
	did := slices.DeleteFunc(tb.robot.take(), func(cmd string) bool { return cmd == "robot.WatchValues" }) // observers watch; script tests that this has no effect
	equal(t, "the robot", did)
	if got := tb.hub.coordinator; !reflect.DeepEqual(got.lease, want) || got.gate.Epoch() != hold || got.stopped != nil || len(tb.robot.stops) > 0 {
		t.Errorf("lease %+v, hold %d, stopped %v, stops %v", got.lease, got.gate.Epoch(), got.stopped, tb.robot.stops)
	}
	ana.press(0.3, 0)
	equal(t, "the robot, for the one who drives", tb.robot.take(), "drive 0.3 0 for 250ms")
	if refused := tb.hub.Stats().Refusals; refused < uint64(frames)/4 {
		t.Errorf("only %d frames were refused", refused)
	}
}

func TestTheLogNeverHearsATick(t *testing.T) {
	var log bytes.Buffer
	cfg := testConfig(&fakeRobot{})
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	run(t, cfg, func(t *testing.T, h *Hub) {
		ana := join(t, h, "ana").read().hello("t")
		synctest.Wait()
		before := log.Len()
		for i := range 100 {
			h.Publish(robot.State{Battery: robot.Battery{Charge: 1}})
			ana.Receive(fmt.Appendf(nil, `{"type":"drive","lease":1,"hold":2,"seq":%d,"t":1,"v":0,"w":0}`, i))
			time.Sleep(20 * time.Millisecond)
		}
		synctest.Wait()
		if log.Len() != before || before == 0 {
			t.Error(log.String())
		}
		ana.cancel()
		<-ana.ended
	})
}

// crowd returns a hub with n welcomed users.
func crowd(b *testing.B, n int) (*table, []*page) {
	tb := newTable(b)
	pages := make([]*page, n)
	for i := range pages {
		pages[i] = tb.connect(fmt.Sprint("browser ", i))
		pages[i].user.receiveAt([]byte(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`), tb.now)
		tb.hub.step(tb.now)
		for _, p := range pages[:i+1] {
			p.frames()
		}
	}
	return tb, pages
}

// BenchmarkPublishToThousand measures one state on its way to 1000 users who all
// keep up: encoded once, taken by every write pump, acknowledged.
func BenchmarkPublishToThousand(b *testing.B) {
	tb, pages := crowd(b, 1000)
	s := robot.State{Mode: robot.ModeReady, Ranges: make([]float64, 12)}
	b.ReportAllocs()
	for b.Loop() {
		tb.now = tb.now.Add(statePeriod)
		tb.hub.Publish(s)
		tb.hub.step(tb.now)
		for _, p := range pages {
			p.frames()
			p.user.out.acknowledgeState(tb.hub.stateNumber)
		}
	}
}

// BenchmarkPublish measures what the control loop spends on a tick.
func BenchmarkPublish(b *testing.B) {
	tb := newTable(b)
	s := robot.State{Mode: robot.ModeReady, Ranges: make([]float64, 12)}
	b.ReportAllocs()
	for b.Loop() {
		tb.hub.Publish(s)
	}
}

// BenchmarkDrive measures one drive sample from its frame to the robot.
func BenchmarkDrive(b *testing.B) {
	tb := newTable(b)
	ana := tb.join("Ana")
	frame := []byte(`{"type":"drive","lease":1,"hold":2,"seq":0000000,"t":12.35,"v":0,"w":0,"valid":0.25}`)
	at := bytes.Index(frame, []byte("0000000"))
	frame[at-1] = ':'
	b.ReportAllocs()
	for n := 1_000_000; b.Loop(); n++ {
		copy(frame[at:], fmt.Sprint(n))
		tb.now = tb.now.Add(10 * time.Millisecond)
		ana.user.receiveAt(frame, tb.now)
		tb.hub.step(tb.now)
		tb.robot.did = tb.robot.did[:0]
	}
}

func TestAnObserverWhoseLinkIsUnknownIsToldOfTheDevice(t *testing.T) {
	tb := newTable(t)
	device := Identity{Browser: "old", Role: Observer, Grant: "old"}
	for n := 0; ; n++ {
		if _, err := tb.hub.joinAt(device, tb.now); err != nil {
			if want := fmt.Sprintf("this device has %d pages open; close one of them", n); !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			return
		}
	}
}

package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/session/lease"
)

// control sends a control request and returns the answer.
func (p *page) control(action string, rest ...any) string {
	p.t.Helper()
	extra := ""
	if len(rest) > 0 {
		extra = fmt.Sprintf(rest[0].(string), rest[1:]...)
	}
	p.say(`{"type":"control","id":1,"action":%q%s}`, action, extra)
	for _, m := range p.keep() {
		if m["type"] == "result" && m["id"] == 1.0 {
			return strings.TrimSpace(fmt.Sprint(m["word"], " ", m["reason"]))
		}
	}
	p.t.Fatalf("%s: no answer", action)
	return ""
}

// keep takes the queued frames and remembers the last lease event.
func (p *page) keep() []map[string]any {
	p.t.Helper()
	heard := p.hear()
	for _, m := range heard {
		if m["kind"] == "lease" {
			p.news = m
		}
	}
	return heard
}

// told checks the last lease event of the page.
func (p *page) told(reason string, holder *page) map[string]any {
	p.t.Helper()
	p.keep()
	who := 0
	if holder != nil {
		who = holder.you
	}
	if p.news["reason"] != reason || p.holder != who {
		p.t.Errorf("%s was told %v, and %d has control; want %q and %d", p.browser, p.news["reason"], p.holder, reason, who)
	}
	return p.news
}

// moves reports whether pressing a key on the page moves the robot.
func (p *page) moves() bool {
	p.t.Helper()
	p.keep()
	p.robot.take()
	p.press(0, 0)
	p.press(0.3, 0)
	p.press(0, 0)
	moved := slices.Contains(p.robot.take(), "drive 0.3 0 for 250ms")
	p.stand()
	return moved
}

func answer(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestControlIsAskedForAndGiven(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.robot.take()
	answer(t, "Jin", jin.control("request", `,"reason":"A spill at the door."`), "SUCCESS")
	card := ana.told("Jin asks for control: A spill at the door.", ana)["requests"].([]any)[0].(map[string]any)
	if card["id"] != float64(jin.you) || card["reason"] != "A spill at the door." || card["left"] != 30.0 {
		t.Errorf("the card is %v", card)
	}
	equal(t, "the robot, which goes on", tb.robot.take())
	tb.pass(100 * time.Millisecond)
	asks := false
	for _, m := range jin.keep() {
		if m["kind"] == "people" {
			asks = m["people"].([]any)[1].(map[string]any)["asks"].(bool)
		}
	}
	if !asks {
		t.Error("the row does not say that Jin asks")
	}

	answer(t, "Jin, who cannot give it to himself", jin.control("give", `,"to":%d`, jin.you), "ERROR You do not have control. Ana has control.")
	answer(t, "Ana", ana.control("give", `,"to":%d`, jin.you), "SUCCESS")
	equal(t, "the robot", tb.robot.take(), "halt and pause: Ana gave control to Jin.")
	if to := jin.told("Ana gave control to Jin. Control passes to Jin when the robot has stopped.", ana)["passing"].(map[string]any)["to"]; to != float64(jin.you) {
		t.Errorf("control passes to %v", to)
	}
	ana.press(0, 0)
	jin.press(0, 0)
	equal(t, "nobody moves it meanwhile", tb.robot.take())
	answer(t, "Ana", ana.control("release"), "BUSY Control passes to Jin when the robot has stopped.")
	answer(t, "Ana", ana.control("give", `,"to":%d`, jin.you), "BUSY Control passes to Jin when the robot has stopped.")
	answer(t, "Jin", jin.control("release"), "ERROR You do not have control. Ana has control.")
	tb.stand()
	epoch := ana.lease
	if news := ana.told("Ana gave control to Jin.", jin); news["requests"] != nil || news["passing"] != nil || ana.lease != epoch+1 {
		t.Errorf("Ana heard %v", news)
	}
	if !jin.moves() || ana.moves() {
		t.Error("the wrong one can drive")
	}
}

func TestARobotThatDoesNotStandPassesOnBlocked(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	ana.press(0, 0)
	ana.press(0.3, 0)
	jin.control("request")
	ana.control("give", `,"to":%d`, jin.you)
	rolls := func() {
		tb.hub.coordinator.observeState(robot.State{Twist: robot.Twist{Linear: 0.011}, Battery: robot.Battery{Charge: 1}}, false)
		tb.hub.step(tb.now)
	}
	rolls()
	tb.pass(lease.StandTimeout - 1)
	if jin.keep(); jin.holder != ana.you {
		t.Fatal("control passed while the robot rolls")
	}
	tb.pass(1)
	jin.told("Ana gave control to Jin. The robot is still moving; it takes commands once it has stopped.", jin)
	jin.press(0, 0)
	jin.press(0.3, 0)
	equal(t, "Jin", jin.results(), "INTERRUPTED Control is changing hands; the robot must stop first. Let go and press again.")
	rolls()
	if jin.press(0, 0); len(jin.results()) > 0 {
		t.Error("equal refusals were told twice")
	}
	tb.stand()
	if !jin.moves() {
		t.Error("it stands, and Jin still cannot drive")
	}
}

func TestAStateFromBeforeTheLastOrderDoesNotCountAsStandstill(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.press(0, 0)
	tb.hub.Publish(robot.State{}) // measured before the robot received the command to move
	ana.press(0.3, 0)
	ana.control("release")
	if ana.keep(); ana.holder != ana.you {
		t.Fatal("control was free before the robot stood")
	}
	tb.hub.Publish(robot.State{})
	tb.hub.step(tb.now)
	if ana.keep(); ana.holder != 0 {
		t.Error("the robot stands and control is not free")
	}
}

func TestSilenceKeepsControl(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	tb.pass(lease.IdleAfter - lease.AnswerTimeout + 1)
	ana.press(0, 0)
	answer(t, "Jin", jin.control("request"), "SUCCESS")
	answer(t, "Jin", jin.control("request"), "BUSY You have asked already. Wait for the answer, or cancel.")
	tb.pass(lease.AnswerTimeout - 1)
	ana.told("Jin asks for control.", ana)
	tb.pass(1)
	ana.told("Ana did not answer and keeps control.", ana)
	answer(t, "Jin, who asks at once", jin.control("request"), "BUSY You asked a moment ago. Ask again in 30 s.")
	tb.pass(lease.AskAgainAfter - 1)
	answer(t, "Jin, a moment too early", jin.control("request"), "BUSY You asked a moment ago. Ask again in 1 s.")
	tb.pass(1)
	answer(t, "Jin", jin.control("request"), "SUCCESS")
	answer(t, "Ana", ana.control("keep", `,"to":%d`, jin.you), "SUCCESS")
	jin.told("Ana keeps control.", ana)
	answer(t, "Ana", ana.control("keep", `,"to":%d`, jin.you), "ERROR This person is no longer asking for control.")
	answer(t, "Jin", jin.control("cancel"), "ERROR You are not asking for control. Ana has control.")
	tb.pass(lease.AskAgainAfter)
	jin.control("request")
	answer(t, "Jin", jin.control("cancel"), "SUCCESS")
	ana.told("Jin no longer asks for control.", ana)
	answer(t, "Ana", ana.control("request"), "BUSY You have control already.")
}

func TestAnIdleHoldersControlIsOfferedToWhoAsked(t *testing.T) {
	begin := func(t *testing.T) (tb *table, ana, jin *page) {
		tb = newTable(t)
		ana, jin = tb.join("Ana"), tb.join("Jin")
		tb.pass(lease.IdleAfter - lease.AnswerTimeout)
		jin.control("request")
		ana.say(`{"type":"clock","t1":1,"rtt_ms":null}`) // is no input
		tb.pass(lease.AnswerTimeout)
		offer := jin.told("Ana has been idle. Control is offered to Jin.", ana)["offer"].(map[string]any)
		if offer["id"] != float64(jin.you) || offer["left"] != 10.0 {
			t.Errorf("the offer is %v", offer)
		}
		return tb, ana, jin
	}
	t.Run("who accepts it", func(t *testing.T) {
		_, ana, jin := begin(t)
		answer(t, "Jin", jin.control("accept"), "SUCCESS")
		ana.told("Jin accepted control.", jin)
		if !jin.moves() {
			t.Error("Jin cannot drive")
		}
	})
	t.Run("who declines it", func(t *testing.T) {
		_, ana, jin := begin(t)
		answer(t, "Jin", jin.control("decline"), "SUCCESS")
		ana.told("Jin declined control.", ana)
		answer(t, "Jin", jin.control("decline"), "ERROR Control is no longer offered to you. Ana has control.")
	})
	t.Run("who lets it pass", func(t *testing.T) {
		tb, ana, jin := begin(t)
		tb.pass(lease.OfferTimeout)
		ana.told("Jin did not accept control.", ana)
		answer(t, "Jin", jin.control("accept"), "ERROR Control is no longer offered to you. Ana has control.")
	})
	for name, input := range map[string]string{
		"drives":   `{"type":"drive","lease":1,"hold":2,"seq":1,"t":1,"v":0,"w":0}`,
		"stops":    `{"type":"stop"}`,
		"answers":  `{"type":"control","id":1,"action":"cancel"}`,
		"a rename": `{"type":"rename","id":1,"name":"Ana"}`,
	} {
		t.Run("but the holder comes back: "+name, func(t *testing.T) {
			_, ana, jin := begin(t)
			ana.say("%s", input)
			jin.told("Ana is active again and keeps control.", ana)
			answer(t, "Jin", jin.control("accept"), "ERROR Control is no longer offered to you. Ana has control.")
		})
	}
}

func TestControlThatItsHolderLeftGoesRoundInOrder(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	oda := tb.joinAs("Oda", Observer)
	kim, lee := tb.join("Kim"), tb.join("Lee")
	ana.user.Leave()
	tb.pass(lease.Grace - 1)
	answer(t, "Kim, in the grace", kim.control("take"), "BUSY Ana has control. It can be taken when nobody has it.")
	tb.pass(1)
	kim.told("Control is offered to Jin.", nil)
	answer(t, "Kim", kim.control("take"), "BUSY Control is offered to Jin. It becomes free if nobody accepts it.")
	answer(t, "Kim", kim.control("request"), "BUSY Nobody has control. Take it.")
	jin.control("decline")
	lee.told("Control is offered to Kim.", nil)
	kim.user.Leave()
	tb.hub.step(tb.now)
	lee.told("Control is offered to Lee.", nil)
	tb.pass(lease.OfferTimeout)
	oda.told("Nobody has control.", nil)
	tb.pass(time.Hour)
	if jin.keep(); jin.holder != 0 {
		t.Error("control was given silently")
	}
	answer(t, "Jin", jin.control("take"), "SUCCESS")

	t.Run("and who it is offered to may take it", func(t *testing.T) {
		jin.user.Leave()
		tb.pass(lease.Grace)
		answer(t, "Lee", lee.control("take"), "SUCCESS")
		oda.told("Lee has control.", lee)
	})
}

func TestAnAdminTakesControlAtOnce(t *testing.T) {
	tb := newTable(t)
	ana, boss := tb.join("Ana"), tb.joinAs("Boss", Admin)
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.robot.take()
	answer(t, "the admin", boss.control("take"), "SUCCESS")
	equal(t, "the robot", tb.robot.take(), "halt and pause: Boss, an admin, took control.")
	answer(t, "the admin, who is about to have it", boss.control("take"), "SUCCESS")
	answer(t, "Ana", ana.control("take"), "BUSY Control passes to Boss when the robot has stopped.")
	answer(t, "Ana", ana.control("request"), "BUSY Control is changing hands. Ask again in a moment.")
	tb.stand()
	ana.told("Boss, an admin, took control.", boss)
	if ana.moves() || !boss.moves() {
		t.Error("the wrong one can drive")
	}
	answer(t, "the admin", boss.control("release"), "SUCCESS")
	ana.press(0.3, 0)
	equal(t, "Ana, with what she heard long ago", ana.results()[1:], "INTERRUPTED Nobody has control.")
}

func TestObserversNeverHaveControl(t *testing.T) {
	tb := newTable(t)
	oda := tb.joinAs("Oda", Observer)
	if oda.holder != 0 {
		t.Fatal("the first one here is an observer and has control")
	}
	for _, action := range []string{"take", "release", "request", "cancel", "accept", "decline"} {
		answer(t, action, oda.control(action), "ERROR You are here as an observer. You can watch and stop the robot, not drive it.")
	}
	answer(t, "here, where Oda is", oda.control("here"), "SUCCESS")
	ana := tb.join("Ana")
	if ana.holder != ana.you {
		t.Error("the first one who may drive does not")
	}
	answer(t, "give", oda.control("give", `,"to":%d`, ana.you), "ERROR You are here as an observer. You can watch and stop the robot, not drive it.")
	ana.user.Leave()
	tb.pass(lease.Grace)
	if logs := oda.logs(); len(logs) < 2 || !slices.Equal(logs[len(logs)-2:], []string{"person: Ana left. Control will be free in 10 s.", "control: Ana left. Nobody has control."}) {
		t.Errorf("the log says %q", logs)
	}

	t.Run("nor who comes back as one", func(t *testing.T) {
		ana := tb.join("Ana")
		if ana.holder != ana.you {
			t.Fatal("Ana has no control")
		}
		ana.user.Leave()
		tb.pass(time.Second)
		if again := tb.joinAs("Ana", Observer); again.you != ana.you || again.holder != 0 {
			t.Errorf("%d has control", again.holder)
		}
		if heard := oda.hear(); !slices.ContainsFunc(heard, func(m map[string]any) bool {
			return m["kind"] == "lease" && m["reason"] == "Ana may no longer drive." && m["holder"] == nil
		}) {
			t.Errorf("Oda heard %v", heard)
		}
	})
	t.Run("nor does a stranger come in", func(t *testing.T) {
		for _, role := range []Role{Stranger, Admin + 1, -1} {
			if _, err := tb.hub.joinAt(Identity{Browser: "x", Role: role}, tb.now); err == nil || !strings.Contains(err.Error(), "pair this device") {
				t.Errorf("%v: %v", role, err)
			}
		}
	})
}

// tab opens another tab of the same browser.
func (tb *table) tab(browser, tab string) (*page, map[string]any) {
	tb.t.Helper()
	p := tb.connect(browser)
	p.say(`{"type":"hello","protocol":"mybot.v1","tab":%q,"build":"0.1.0"}`, tab)
	return p, p.hear()[0]
}

func TestASecondTabWatchesUntilThePersonMovesThere(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	jin := tb.join("Jin")
	two, welcome := tb.tab("Ana", "two")
	if welcome["elsewhere"] != "This robot is open in another tab." || two.you != ana.you || len(welcome["people"].([]any)) != 2 {
		t.Errorf("the second tab is welcomed with %v", welcome)
	}
	const refused = "ERROR This robot is open in another tab. Use it here first."
	two.press(0, 0)
	two.say(`{"type":"unstop","id":1,"lease":1}`)
	two.say(`{"type":"rename","id":2,"name":"Eve"}`)
	two.say(`{"type":"clock","t1":1,"rtt_ms":null}`)
	two.say(`{"type":"control","id":3,"action":"release"}`)
	two.say(`{"type":"hello","protocol":"mybot.v1","tab":"two","build":"0.1.0"}`)
	equal(t, "the second tab", two.results(), refused, refused, refused, refused, "ERROR hello: it was sent already; it should be sent once per connection.")
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.robot.take()

	two.say(`{"type":"stop","id":1}`)
	if s := tb.hub.coordinator.stopped; s == nil || s.by != "Ana" || s.id != ana.you {
		t.Errorf("stopped by %+v", s)
	}
	ana.say(`{"type":"unstop","id":1,"lease":1}`)
	ana.press(0, 0)
	if ana.hear(); ana.hold == 0 {
		t.Fatal()
	}
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.robot.take()

	answer(t, "the second tab", two.control("here"), "SUCCESS")
	equal(t, "the robot", tb.robot.take(), "halt and pause: Ana continues in another tab.")
	if tb.stand(); two.told("Ana continues in another tab.", ana)["epoch"] != 2.0 {
		t.Errorf("two heard %v", two.news)
	}
	var again map[string]any
	for _, m := range ana.hear() {
		if m["type"] == "welcome" {
			again = m
		}
	}
	if again["elsewhere"] != "This robot is open in another tab." {
		t.Errorf("the first tab heard %v", again)
	}
	if ana.moves() || !two.moves() {
		t.Error("the wrong tab can drive")
	}
	if who := tb.hub.coordinator.people.row; len(who) != 2 || who[0].id != ana.you {
		t.Error("the place in line was lost")
	}
	ana.user.Leave() // the first tab, which now observes
	tb.pass(time.Second)
	if jin.told("Ana continues in another tab.", ana); tb.hub.coordinator.lease.Holder != ana.you || len(tb.hub.coordinator.people.standby) != 0 {
		t.Error("a tab that only watched took control with it")
	}

	t.Run("and finds control when the first one was closed a moment ago", func(t *testing.T) {
		three, _ := tb.tab("Ana", "three")
		two.user.Leave()
		tb.pass(lease.Grace - 1)
		answer(t, "the third tab", three.control("here"), "SUCCESS")
		tb.pass(time.Minute)
		if three.keep(); three.holder != three.you || three.you != ana.you || !three.moves() {
			t.Errorf("%d has control", three.holder)
		}
		three.user.Leave()
		tb.hub.step(tb.now)
		four, welcome := tb.tab("Ana", "four")
		if welcome["elsewhere"] != nil || four.holder != ana.you {
			t.Errorf("a browser that came back is welcomed with %v", welcome)
		}
	})
}

func TestWhoIsSentAwayStopsFirst(t *testing.T) {
	tb := newTable(t)
	ana := tb.connectAs(Identity{Browser: "Ana", Role: Operator, Grant: "g1", Name: "Ana"})
	ana.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
	ana.hear()
	jin := tb.join("Jin")
	aside := tb.connectAs(Identity{Browser: "Ana", Role: Operator, Grant: "g1"})
	aside.say(`{"type":"hello","protocol":"mybot.v1","tab":"u","build":"0.1.0"}`)
	new := tb.connectAs(Identity{Browser: "Eve", Role: Operator, Grant: "g1"})
	ana.press(0, 0)
	ana.press(0.3, 0)
	tb.robot.take()
	ana.seq++
	ana.user.receiveAt(fmt.Appendf(nil, `{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":1,"v":0.4,"w":0}`, ana.lease, ana.hold, ana.seq), tb.now)
	tb.hub.Revoke("")
	tb.hub.Revoke("g1")
	tb.hub.step(tb.now)
	equal(t, "the robot", tb.robot.take(), "halt and pause: Ana may no longer drive.")
	for _, p := range []*page{ana, aside, new} {
		if reason, again := p.bye(); reason != "Your access to this robot has been revoked." || again {
			t.Errorf("%q, %v", reason, again)
		}
	}
	tb.stand()
	jin.told("Control is offered to Jin.", nil)
	if _, err := tb.hub.joinAt(Identity{Browser: "Ana", Role: Operator, Grant: "g1"}, tb.now); err == nil || !strings.Contains(err.Error(), "revoked") {
		t.Errorf("join = %v", err)
	}
	if r := tb.hub.Command(t.Context(), Identity{Browser: "Ana", Role: Operator, Grant: "g1"}, Order{Command: robot.Halt{}}); r.Word != robot.Error {
		t.Errorf("a command gave %+v", r)
	}
	if len(tb.hub.coordinator.people.standby) > 0 || len(tb.hub.pendingUsers) > 0 {
		t.Error("somebody is still there")
	}
}

func TestCommandsFromOutsideThePagesGoThroughTheSameGate(t *testing.T) {
	f := &fakeRobot{}
	run(t, testConfig(f), func(t *testing.T, h *Hub) {
		ana, jin := Identity{Browser: "ana", Role: Operator}, Identity{Browser: "jin", Role: Observer, Remote: "10.0.0.7"}
		page := join(t, h, "ana").read().hello("t")
		synctest.Wait()
		f.take()
		do := func(by Identity, o Order, want robot.Word, reason string) {
			t.Helper()
			if r := h.Command(t.Context(), by, o); r.Word != want || !strings.Contains(r.Reason, reason) {
				t.Errorf("%+v gave %+v, want %s %q", o, r, want, reason)
			}
		}
		at := func(seq uint64, v float64) Order {
			return Order{Lease: 1, DriveEpoch: 2, Seq: seq, Command: robot.Drive{Twist: robot.Twist{Linear: v}}}
		}
		do(ana, at(1, 0.3), robot.Interrupted, "begins with a neutral sample")
		do(ana, at(2, 0), robot.Success, "")
		do(ana, at(3, 0.3), robot.Success, "")
		do(ana, at(3, 0.3), robot.Error, "does not count up")
		equal(t, "the robot", f.take(), "drive 0 0 for 250ms", "drive 0.3 0 for 250ms")
		do(ana, Order{Lease: 0, DriveEpoch: 2, Seq: 9, Command: robot.Drive{}}, robot.Interrupted, "Control changed")
		do(ana, Order{Lease: 1, DriveEpoch: 1, Seq: 9, Command: robot.Drive{}}, robot.Interrupted, "has stopped following")
		do(ana, Order{Lease: 1, DriveEpoch: 2, Seq: 9, Command: robot.Drive{Valid: time.Second}}, robot.Error, "at most 500ms")
		do(ana, Order{Command: robot.Replay{}}, robot.NA, "cannot be ordered here")
		do(ana, Order{Command: robot.Halt{}}, robot.Success, "")
		equal(t, "the robot", f.take(), "halt: Guest 1 halted the robot.")
		do(jin, Order{Command: robot.Halt{}}, robot.Error, "You are not connected")
		do(Identity{Browser: "zoe"}, Order{Command: robot.Stop{}}, robot.Error, "not paired")

		f.hang.Lock() // the hub waits for the robot's Do
		page.Receive([]byte(`{"type":"drive","lease":1,"hold":3,"seq":1,"t":1,"v":0,"w":0}`))
		do(jin, Order{Command: robot.Stop{}}, robot.Success, "")
		if f.stopped() != "a program at 10.0.0.7" {
			t.Errorf("stopped by %q", f.stopped())
		}
		f.hang.Unlock()
		do(jin, Order{Lease: 1, Command: robot.ClearStop{}}, robot.Error, "not connected")
		do(ana, Order{Lease: 1, Command: robot.ClearStop{}}, robot.Success, "")
		watcher := join(t, h, "kim").read().hello("t")
		synctest.Wait()
		kim := Identity{Browser: "kim", Role: Operator}
		do(kim, Order{Lease: 1, Command: robot.ClearStop{}}, robot.Error, "Only the person who has control")
		do(kim, Order{Command: robot.Halt{}}, robot.Error, "Guest 1 has control.")
		do(kim, Order{Lease: 1, DriveEpoch: 9, Command: robot.Drive{}}, robot.Error, "Guest 1 has control.")
		for _, c := range []*connection{page, watcher} {
			c.cancel()
			<-c.ended
		}
	})
}

func TestOrdersThatWaitAreBoundedAndAnsweredAtTheEnd(t *testing.T) {
	tb := newTable(t)
	ana := Identity{Browser: "ana", Role: Operator}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range maxOrders / 2 { // the other half is for others
		if r := tb.hub.Command(over, ana, Order{Command: robot.Halt{}}); r.Word != robot.Interrupted {
			t.Fatalf("%+v", r)
		}
	}
	if r := tb.hub.Command(over, ana, Order{Command: robot.Halt{}}); r.Word != robot.Busy {
		t.Errorf("one more gave %+v", r)
	}
	waiting := order{Order: Order{Command: robot.Halt{}}, by: ana, answer: make(chan outcome, 1)}
	tb.robot.onHalt = func() { tb.hub.post(waiting) } // while the hub ends
	tb.hub.shutDown()
	if r := <-waiting.answer; r.Word != robot.Busy {
		t.Errorf("at the end an order gave %+v", r)
	}
	if r := tb.hub.Command(over, ana, Order{Command: robot.Halt{}}); r.Word != robot.Busy {
		t.Errorf("afterwards an order gave %+v", r)
	}
}

func TestOneUserWithManyOrdersLeavesRoomForThoseOfOthersAndDelaysNoStop(t *testing.T) {
	tb := newTable(t)
	ana, jin := Identity{Browser: "ana", Role: Operator, Grant: "g1"}, Identity{Browser: "jin", Role: Operator, Grant: "g2"}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	send := func(by Identity) robot.Result { return tb.hub.Command(over, by, Order{Command: robot.Halt{}}) }
	for range maxOrders + 1 { // while the hub is busy
		send(jin)
	}
	if r := send(jin); r.Word != robot.Busy {
		t.Errorf("one too many gave %+v", r)
	}
	if r := send(ana); r.Word != robot.Interrupted { // her ctx has ended
		t.Errorf("an order of another user gave %+v", r)
	}
	if r := tb.hub.Command(over, ana, Order{Command: robot.Stop{}}); !r.Done() || tb.robot.stopped() == "" {
		t.Errorf("STOP gave %+v; the robot is stopped by %q", r, tb.robot.stopped())
	}
	tb.hub.step(tb.now)
	if r := send(jin); r.Word != robot.Interrupted {
		t.Errorf("when the hub has handled them an order gave %+v", r)
	}
}

// entries records what the hub logs.
type entries struct{ lines []string }

func (e *entries) AppendEntry(at time.Time, kind, who, text string) {
	e.lines = append(e.lines, fmt.Sprintf("%s %s | %s | %s", at.Format("05"), kind, who, text))
}

func TestWhoCouldDoWhatIsRecorded(t *testing.T) {
	tb := newTable(t)
	var kept entries
	tb.hub.coordinator.audit = &kept
	ana, jin := tb.join("Ana"), tb.join("Jin")
	tb.joinAs("Oda", Observer).say(`{"type":"stop"}`)
	ana.say(`{"type":"unstop","id":1,"lease":1}`)
	ana.say(`{"type":"rename","id":1,"name":"Anna"}`)
	tb.hub.alarm.raiseStop(tb.robot, stopSignal{by: "the form", at: tb.now, from: Identity{Grant: "5f3c", Remote: "10.0.0.7"}})
	tb.hub.step(tb.now)
	jin.control("request", `,"reason":"Lunch."`)
	ana.control("give", `,"to":%d`, jin.you)
	jin.user.Leave()
	tb.pass(lease.Grace)
	equal(t, "the record", kept.lines,
		`00 role | "Ana" (1, this computer) | "Ana" is here as operator.`,
		`00 lease | "Ana" (1, this computer) | Ana has control. (epoch 1)`,
		`00 role | "Jin" (2, this computer) | "Jin" is here as operator.`,
		`00 role | "Oda" (3, this computer) | "Oda" is here as observer.`,
		`00 stop | "Oda" (3, this computer) | Stopped by "Oda".`,
		`00 stop | "Ana" (1, this computer) | Ana released the stop.`,
		`00 settings | "Ana" (1, this computer) | "Ana" is now called "Anna".`,
		`00 stop | "the form" (device 5f3c at 10.0.0.7) | Stopped by "the form".`,
		`00 lease | "Jin" (2, this computer) | Jin asks for control: Lunch. (epoch 1)`,
		`00 lease | "Jin" (2, this computer) | Anna gave control to Jin. (epoch 2)`,
		`00 lease | "Jin" (2, this computer) | Jin left. Control will be free in 10 s.`,
		"10 lease | robot | Jin left. Nobody has control. (epoch 3)",
		`10 lease | "Anna" (1, this computer) | Control is offered to Anna. (epoch 3)`,
	)
}

func TestAnOldNumberIsRefusedWithItsHolder(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	refusals := func(p *page) (got []string) {
		for _, m := range p.hear() {
			if m["type"] == "result" {
				got = append(got, fmt.Sprint(m["word"], " ", m["old"], " ", m["holder"]))
			}
		}
		return got
	}
	ana.control("release")
	jin.control("take")
	ana.say(`{"type":"drive","lease":1,"hold":2,"seq":1,"t":1,"v":0,"w":0}`)
	equal(t, "an old lease", refusals(ana), "INTERRUPTED lease 2")
	jin.say(`{"type":"drive","lease":3,"hold":3,"seq":1,"t":1,"v":0,"w":0}`)
	equal(t, "an old hold number", refusals(jin), "INTERRUPTED hold 2")
	ana.say(`{"type":"drive","lease":3,"hold":4,"seq":2,"t":1,"v":0,"w":0}`)
	equal(t, "numbers that are not old", refusals(ana), "ERROR <nil> <nil>")
	jin.control("release")
	ana.say(`{"type":"drive","lease":3,"hold":4,"seq":3,"t":1,"v":0,"w":0}`)
	equal(t, "nobody's lease", refusals(ana), "INTERRUPTED lease 0")
}

func TestAStuckReaderIsLetGo(t *testing.T) {
	run(t, testConfig(&fakeRobot{}), func(t *testing.T, h *Hub) {
		begin := time.Now()
		stuck := join(t, h, "stuck").hello("t")
		deaf := join(t, h, "deaf").hello("t") // reads, but neither draws nor acknowledges
		ana := join(t, h, "ana").read().hello("t")
		synctest.Wait()
		drain := func() {
			for {
				if _, _, ok := deaf.out.takeFrame(h.start); !ok {
					return
				}
			}
		}
		ended := map[*connection]time.Duration{}
		for range 300 { // 30 s
			h.Publish(robot.State{Mode: robot.ModeReady})
			time.Sleep(statePeriod)
			synctest.Wait()
			for _, c := range []*connection{stuck, deaf} {
				select {
				case <-c.Done():
					if ended[c] == 0 {
						ended[c] = time.Since(begin)
					}
				default:
				}
			}
			if ended[deaf] == 0 {
				drain()
			}
		}
		if e := ended[stuck]; e < stuckAfter || e > stuckAfter+time.Second {
			t.Errorf("a page that takes nothing was let go after %v", e)
		}
		if e := ended[deaf]; e < stuckAfter || e > stuckAfter+3*time.Second {
			t.Errorf("a page that acknowledges nothing was let go after %v", e)
		}
		if ana.seen() < 295 {
			t.Errorf("Ana saw %d states of 300", ana.seen())
		}
		if frame, err := stuck.Next(t.Context()); err != nil || string(frame) != `{"type":"bye","reason":"This page has not read anything for too long.","again":true}` {
			t.Errorf("it was told %s, %v", frame, err)
		}
		stuck.Leave()
		deaf.Leave()
		ana.cancel()
		<-ana.ended
	})
}

// An observer's stop overtakes everything that is queued, including the observer's
// own frames.
func TestAnObserversStopGoesBeforeAFullQueue(t *testing.T) {
	tb := newTable(t)
	ana, oda := tb.join("Ana"), tb.joinAs("Oda", Observer)
	ana.press(0, 0)
	tb.robot.take()
	for range 4 * maxCommands {
		ana.seq++
		ana.user.receiveAt(fmt.Appendf(nil, `{"type":"drive","lease":1,"hold":2,"seq":%d,"t":1,"v":0.3,"w":0}`, ana.seq), tb.now)
		oda.user.receiveAt([]byte(`{"type":"control","id":1,"action":"take"}`), tb.now)
	}
	oda.user.receiveAt([]byte(`{"type":"stop"}`), tb.now)
	if tb.robot.stopped() != "Oda" {
		t.Fatal("the stop waits")
	}
	equal(t, "nothing that waited was done before it", tb.robot.take())
	tb.hub.step(tb.now)
	equal(t, "nor after it", tb.robot.take())
}

package session

import (
	"fmt"
	"testing"
	"time"

	"mybot/session/lease"
	"mybot/session/protocol"
)

// newLendingTable is a table whose robot has a head and a voice; Ana has control.
func newLendingTable(t *testing.T) (tb *table, ana, ada *page) {
	tb = newTable(t)
	tb.hub.coordinator.welcomeTemplate.Robot.Head = &protocol.Head{}
	tb.hub.coordinator.welcomeTemplate.HasMicrophone = true
	ana, ada = tb.join("Ana"), tb.join("Ada")
	tb.robot.take()
	ana.hear()
	return tb, ana, ada
}

// part sends a part request and returns the answer.
func (p *page) part(action string, part lease.Part, to ...*page) []string {
	whom := ""
	if len(to) > 0 {
		whom = fmt.Sprintf(`,"to":%d`, to[0].you)
	}
	p.say(`{"type":"part","id":1,"lease":%d,"action":%q,"part":%q%s}`, p.lease, action, part, whom)
	return p.results()
}

// look turns the head under the number of a loan; 0 = as the holder of control.
func (p *page) look(loan uint64) []string {
	number := ""
	if loan != 0 {
		number = fmt.Sprintf(`,"loan":%d`, loan)
	}
	p.say(`{"type":"look","id":1,"lease":%d%s,"pan":0.5,"tilt":0}`, p.lease, number)
	return p.results()
}

// loans returns the last event about loans and requests, as "head 2 #1 | asks voice
// 3: reason".
func (p *page) loans() string {
	p.t.Helper()
	text := "nothing new"
	for _, m := range p.hear() {
		if m["kind"] != "parts" {
			continue
		}
		text = ""
		for _, x := range m["loans"].([]any) {
			o := x.(map[string]any)
			text += fmt.Sprintf("%v %v #%v | ", o["part"], o["id"], o["loan"])
		}
		for _, x := range m["requests"].([]any) {
			r := x.(map[string]any)
			text += fmt.Sprintf("asks %v %v | ", r["part"], r["id"])
		}
		text += m["reason"].(string)
	}
	return text
}

const lookOrder = "Look {HeadAngles:{Pan:0.5 Tilt:0}}"

func TestTheHolderLendsTheHeadAndKeepsControl(t *testing.T) {
	tb, ana, ada := newLendingTable(t)
	equal(t, "the head before", ada.look(0), "ERROR Ana has control. You can watch and stop the robot.")
	equal(t, "asking", ada.part("ask", lease.Head), "SUCCESS")
	if got := ana.loans(); got != "asks head 2 | Ada asks to look around." {
		t.Error(got)
	}
	equal(t, "lending", ana.part("lend", lease.Head, ada), "SUCCESS")
	if got := ada.loans(); got != "head 2 #1 | Ana lent the head to Ada." {
		t.Error(got)
	}
	equal(t, "looking", ada.look(1), "SUCCESS")
	equal(t, "the robot", tb.robot.take(), "robot.Lend", lookOrder)
	equal(t, "looking without the number", ada.look(0), "ERROR Ana has control. You can watch and stop the robot.")
	equal(t, "looking under another number", ada.look(2), "INTERRUPTED Ada has the head.")
	ada.press(0, 0)
	ada.press(0.3, 0)
	equal(t, "driving", ada.results(), "ERROR Ana has control. You can watch and stop the robot.")
	if ana.press(0, 0); len(ana.results()) > 0 {
		t.Error("who lends cannot drive")
	}
	late := tb.connectAs(Identity{Browser: "Oda", Role: Observer})
	late.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
	if got := late.loans(); got != "head 2 #1 | " {
		t.Errorf("who comes later hears %q", got)
	}
}

// Each row says how a loan of the head to Ada ends, and what answer she then gets.
func TestALoanOfTheHeadEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(tb *table, ana, ada *page)
		news string
		then string
		told []string // the robot
	}{
		{
			"by one press", func(_ *table, ana, _ *page) { ana.part("take", lease.Head) },
			"Ana took the head back.", "INTERRUPTED Ana has the head.",
			[]string{"robot.Lend"},
		},
		{
			"by the holder's own look", func(_ *table, ana, _ *page) { ana.look(0) },
			"Ana took the head back.", "INTERRUPTED Ana has the head.",
			[]string{"robot.Lend", lookOrder},
		},
		{"when the borrower gives it back", func(_ *table, _, ada *page) {
			ada.say(`{"type":"part","id":1,"lease":1,"action":"give","part":"head"}`)
		}, "Ada gave the head back.", "INTERRUPTED Ana has the head.", []string{"robot.Lend"}},
		{
			"when it is not used", func(tb *table, _, _ *page) { tb.pass(lease.UnusedAfter) },
			"Ada did not use the head for 60 s and no longer has it.", "INTERRUPTED Ana has the head.",
			[]string{"robot.Lend"},
		},
		{"when the borrower stays away", func(tb *table, _, ada *page) {
			ada.user.Leave()
			tb.pass(lease.Grace)
			*ada = *tb.join("Ada")
		}, "nothing new", "INTERRUPTED Ana has the head.", []string{"robot.Lend"}},
		{
			"by STOP", func(tb *table, _, _ *page) { tb.hub.Stop("Jin", Identity{}); tb.hub.step(tb.now) },
			"The robot was stopped. Nothing is lent any more.", "INTERRUPTED Ana has the head.",
			[]string{"robot.Lend"},
		},
		{"by handover", func(_ *table, ana, ada *page) {
			ada.control("request")
			ana.control("give", `,"to":%d`, ada.you)
		}, "Ana gave control to Ada. Nothing is lent any more.", "INTERRUPTED Control changed, and you have it. Try again.", []string{"halt and pause: Ana gave control to Ada.", "robot.Lend"}},
		{
			"when the holder frees control", func(_ *table, ana, _ *page) { ana.control("release") },
			"Ana released control. Nothing is lent any more.", "INTERRUPTED Nobody has the head.",
			[]string{"halt and pause: Ana released control.", "robot.Lend"},
		},
		{
			"when the holder stays away", func(tb *table, ana, _ *page) { ana.user.Leave(); tb.pass(lease.Grace) },
			"Ana left. Nobody has control. Nothing is lent any more.", "INTERRUPTED Nobody has the head.",
			[]string{"halt: Ana left.", "halt: Ana left. Nobody has control.", "robot.Lend"},
		},
		{"when it is lent to another", func(tb *table, ana, _ *page) {
			oda := tb.join("Oda")
			ana.part("lend", lease.Head, oda)
		}, "head 3 #2 | Ana lent the head to Oda.", "INTERRUPTED Oda has the head.", []string{"robot.Lend", "robot.Lend"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tb, ana, ada := newLendingTable(t)
			ana.part("lend", lease.Head, ada)
			ada.hear()
			tb.robot.take()
			sent := ada.lease // before
			c.end(tb, ana, ada)
			if got := ada.loans(); got != c.news {
				t.Errorf("Ada hears %q", got)
			}
			equal(t, "the robot", tb.robot.take(), c.told...)
			ada.lease = sent
			equal(t, "Ada, who still looks", ada.look(1), c.then)
			equal(t, "the robot", tb.robot.take())
		})
	}
}

func TestABorrowerWhoComesBackInTimeGoesOn(t *testing.T) {
	tb, ana, ada := newLendingTable(t)
	ana.part("lend", lease.Head, ada)
	ada.user.Leave()
	tb.pass(lease.Grace - 1)
	equal(t, "back", tb.join("Ada").look(1), "SUCCESS")
}

func TestWhoMayBorrowWhat(t *testing.T) {
	tb, ana, ada := newLendingTable(t)
	seer := tb.connectAs(Identity{Browser: "Sia", Role: Observer, Camera: true})
	seer.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","name":"Sia","build":"0.1.0"}`)
	seer.hear()
	oda := tb.joinAs("Oda", Observer)
	const noObserver = "ERROR Oda is here as an observer, and may borrow the head alone, with leave to see the camera."
	equal(t, "an observer who sees, the head", seer.part("ask", lease.Head), "SUCCESS")
	equal(t, "an observer who sees, the voice", seer.part("ask", lease.Voice), "ERROR Sia is here as an observer, and may borrow the head alone, with leave to see the camera.")
	equal(t, "an observer who does not see", oda.part("ask", lease.Head), noObserver)
	equal(t, "lending to such a one", ana.part("lend", lease.Head, oda), noObserver)
	equal(t, "an operator, the voice", ada.part("ask", lease.Voice), "SUCCESS")
	equal(t, "a part that is not there", ada.part("ask", lease.Arm), "NA This robot has nothing to lend: the arm is not there.")
	equal(t, "the holder", ana.part("ask", lease.Head), "ERROR You have control and need not ask.")
	tb.pass(time.Second)
	ana.hear()
	equal(t, "lending to oneself", ana.part("lend", lease.Head, ana), "ERROR You have control; nothing needs to be lent to you.")
	equal(t, "lending what is not one's own", ada.part("lend", lease.Head, seer), "ERROR Ana has control. You can watch and stop the robot.")
	equal(t, "taking what is not one's own", ada.part("take", lease.Head), "ERROR Ana has control. You can watch and stop the robot.")
	equal(t, "giving what is not one's own", ada.part("give", lease.Head), "ERROR You have not borrowed the head. Ana has the head.")
	equal(t, "no", ana.part("deny", lease.Voice, ada), "SUCCESS")
	equal(t, "no again", ana.part("deny", lease.Voice, ada), "ERROR This person is no longer asking for the voice.")
	if got := ada.loans(); got != "asks head 3 | Ana keeps the voice." {
		t.Error(got)
	}
	tb.pass(time.Second)
	equal(t, "lending", ana.part("lend", lease.Head, seer), "SUCCESS")
	equal(t, "asking for what is lent", ada.part("ask", lease.Head), "BUSY Sia has the head. Ask again later.")
	equal(t, "the observer looks", seer.look(1), "SUCCESS")
	tb.hub.Stop("Jin", Identity{})
	tb.hub.step(tb.now)
	equal(t, "lending a stopped robot", ana.part("lend", lease.Head, ada), "PANIC Stopped by Jin. Ana can release it.")
	equal(t, "asking for a part of it", ada.part("ask", lease.Head), "PANIC Stopped by Jin. Ana can release it.")
}

func TestAHolderWhoSaysNothingLendsNothing(t *testing.T) {
	tb, _, ada := newLendingTable(t)
	ada.part("ask", lease.Head)
	tb.pass(lease.AnswerTimeout - 1)
	if got := ada.loans(); got != "nothing new" {
		t.Error(got)
	}
	tb.pass(1)
	if got := ada.loans(); got != "Ana did not answer and keeps the head." {
		t.Error(got)
	}
	equal(t, "again at once", ada.part("ask", lease.Head), "BUSY You asked a moment ago. Ask again in 30 s.")
	equal(t, "the robot", tb.robot.take())
}

func TestAUserWhoMayNoLongerBorrowLosesThePart(t *testing.T) {
	tb := newTable(t)
	tb.hub.coordinator.welcomeTemplate.Robot.Head = &protocol.Head{}
	ana := tb.join("Ana")
	seer := tb.connectAs(Identity{Browser: "Sia", Role: Observer, Camera: true, Grant: "g"})
	seer.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","name":"Sia","build":"0.1.0"}`)
	seer.hear()
	ana.part("lend", lease.Head, seer)
	ana.hear()
	tb.hub.Revoke("g")
	tb.hub.step(tb.now)
	if got := ana.loans(); got != "Sia may no longer borrow." {
		t.Error(got)
	}
}

func TestARobotThatDoesNotAnswerIsToldOfALoanLater(t *testing.T) {
	tb, ana, ada := newLendingTable(t)
	tb.robot.hang.Lock()
	equal(t, "lending", ana.part("lend", lease.Head, ada), "BUSY The robot is too busy to take commands. Try again.")
	tb.robot.hang.Unlock()
	tb.stand()
	equal(t, "the robot, which has heard nothing of it", tb.robot.take())
	tb.pass(time.Second)
	ana.part("lend", lease.Head, ada)
	tb.robot.take()
	tb.robot.hang.Lock()
	ana.part("take", lease.Head)
	tb.robot.hang.Unlock()
	equal(t, "the robot", tb.robot.take())
	tb.stand()
	equal(t, "the robot", tb.robot.take(), "robot.Lend")
	equal(t, "Ada", ada.look(1), "INTERRUPTED Ana has the head.")
}

func TestALoanThatFailsLeavesThePagesNoOtherLoan(t *testing.T) {
	tb, ana, ada := newLendingTable(t)
	bob := tb.join("Bob")
	ana.part("lend", lease.Head, ada)
	bob.hear()
	tb.robot.hang.Lock()
	equal(t, "lending on", ana.part("lend", lease.Head, bob), "BUSY The robot is too busy to take commands. Try again.")
	tb.robot.hang.Unlock()
	equal(t, "the loan before", ada.look(1), "INTERRUPTED Ana has the head.")
	if got := bob.loans(); got != "Ana could not lend the head to Bob: the robot is too busy to take commands." {
		t.Error(got)
	}
}

func TestTheHolderLendsTheArm(t *testing.T) {
	tb, ana, ada := newLendingTable(t)
	tb.hub.coordinator.welcomeTemplate.Robot.Joints = []protocol.Joint{{Name: "shoulder"}}
	move := func(p *page, loan string) []string {
		p.say(`{"type":"joints","id":1,"lease":%d%s,"at":{"shoulder":1}}`, p.lease, loan)
		return p.results()
	}
	equal(t, "lending", ana.part("lend", lease.Arm, ada), "SUCCESS")
	equal(t, "the borrower", move(ada, `,"loan":1`), "SUCCESS")
	equal(t, "the robot", tb.robot.take(), "robot.Lend", "MoveJoints {At:map[shoulder:1]}")
	equal(t, "the holder, who takes it back", move(ana, ""), "SUCCESS")
	equal(t, "the robot", tb.robot.take(), "robot.Lend", "MoveJoints {At:map[shoulder:1]}")
	equal(t, "the borrower", move(ada, `,"loan":1`), "INTERRUPTED Ana has the arm.")
	equal(t, "the robot", tb.robot.take())
}

func TestTheRobotsScreenNamesWhoHasBorrowedWhat(t *testing.T) {
	tb, ana, ada := newLendingTable(t)
	c := &tb.hub.coordinator
	ana.part("lend", lease.Head, ada)
	ana.part("lend", lease.Voice, ada)
	if got, want := c.screenNow().Lent, (Lent{Head: "Ada", Voice: "Ada"}); got != want {
		t.Errorf("it names %+v, want %+v", got, want)
	}
	ana.part("take", lease.Head)
	if got, want := c.screenNow().Lent, (Lent{Voice: "Ada"}); got != want {
		t.Errorf("it names %+v, want %+v", got, want)
	}
}

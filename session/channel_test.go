package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mybot/link"
	"mybot/robot"
	"mybot/session/protocol"
	"mybot/session/protocol/protocoltest"
)

// sendCopy sends a frame on the page's datagram channel, and returns the answer
// that arrives there.
func (p *page) sendCopy(format string, args ...any) (answers []string) {
	p.user.receiveDatagramAt(fmt.Appendf(nil, format, args...), p.now, func(b []byte) { answers = append(answers, string(b)) })
	p.hub.step(p.now)
	return answers
}

// sample is a drive sample with the newest numbers that the page has received.
func (p *page) sample(seq int, v float64) string {
	return fmt.Sprintf(`{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":1,"v":%g,"w":0,"valid":0.25}`, p.lease, p.hold, seq, v)
}

func TestTheNewestSampleCountsWhicheverChannelItCameBy(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.say("%s", ana.sample(1, 0))
	tb.robot.take()
	for _, s := range []struct {
		name  string
		send  func(string)
		seq   int
		v     float64
		moves bool
	}{
		{"the channel is faster", func(f string) { ana.sendCopy("%s", f) }, 2, 0.2, true},
		{"the copy comes after it", func(f string) { ana.say("%s", f) }, 2, 0.2, false},
		{"the channel again", func(f string) { ana.sendCopy("%s", f) }, 4, 0.4, true},
		{"an old one, overtaken on the channel", func(f string) { ana.sendCopy("%s", f) }, 3, 0.3, false},
		{"an old one by the connection", func(f string) { ana.say("%s", f) }, 3, 0.3, false},
		{"the copy of the newest", func(f string) { ana.say("%s", f) }, 4, 0.4, false},
		{"what was lost on the channel", func(f string) { ana.say("%s", f) }, 5, 0.1, true},
		{"twice by the channel", func(f string) { ana.sendCopy("%s", f) }, 5, 0.1, false},
	} {
		tb.pass(10 * time.Millisecond)
		s.send(ana.sample(s.seq, s.v))
		did := tb.robot.take()
		switch {
		case s.moves:
			equal(t, s.name, did, fmt.Sprintf("drive %g 0 for 250ms", s.v))
		case len(did) > 0:
			t.Errorf("%s: the robot did %q", s.name, did)
		}
		if no := ana.results(); len(no) > 0 {
			t.Errorf("%s: it is answered %q", s.name, no)
		}
	}
}

func TestOfSamplesThatCameTogetherByBothChannelsTheNewestCounts(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.say("%s", ana.sample(1, 0))
	tb.robot.take()
	none := func([]byte) {}
	ana.user.receiveDatagramAt([]byte(ana.sample(3, 0.3)), tb.now, none)
	ana.user.receiveAt([]byte(ana.sample(2, 0.2)), tb.now)
	tb.hub.step(tb.now)
	equal(t, "the robot", tb.robot.take(), "drive 0.3 0 for 250ms")
}

func TestANewHoldNumberBeginsOnTheConnectionItself(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.say("%s", ana.sample(1, 0))
	ana.say("%s", ana.sample(2, 0.3))
	ana.say(`{"type":"stop"}`)
	ana.hear()
	ana.say(`{"type":"unstop","id":9,"lease":%d}`, ana.lease)
	ana.hear()
	tb.robot.take()
	// The neutral sample was lost on the channel, and its copy is still on its way
	// on the stream.
	ana.sendCopy("%s", ana.sample(4, 0.3))
	ana.sendCopy("%s", ana.sample(5, 0.3))
	if did, said := tb.robot.take(), ana.results(); len(did)+len(said) > 0 {
		t.Errorf("without a neutral sample the robot did %q and said %q", did, said)
	}
	ana.say("%s", ana.sample(3, 0))
	ana.sendCopy("%s", ana.sample(6, 0.3))
	equal(t, "after it", tb.robot.take(), "drive 0 0 for 250ms", "drive 0.3 0 for 250ms")
	if said := ana.results(); len(said) > 0 {
		t.Errorf("the page is told %q", said)
	}
}

func TestTheChannelKeepsAStreamAliveThatTheConnectionDoesNot(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.say("%s", ana.sample(1, 0))
	tb.robot.take()
	for i := range 60 { // 3 s
		ana.sendCopy("%s", ana.sample(2+i, 0.3))
		tb.pass(50 * time.Millisecond)
	}
	if did := tb.robot.take(); len(did) != 60 {
		t.Errorf("of 60 samples the robot did %q", did)
	}
	for i := range 60 { // the stream's backlog arrives in one burst
		ana.user.receiveAt([]byte(ana.sample(2+i, 0.3)), tb.now)
	}
	tb.hub.step(tb.now)
	if did, said := tb.robot.take(), ana.results(); len(did)+len(said) > 0 {
		t.Errorf("a burst of copies did %q and is answered %q", did, said)
	}
	tb.pass(time.Second) // both are silent
	equal(t, "silence", tb.robot.take(), "halt: The page stopped sending drive samples. Let go and press again.")
	ana.sendCopy("%s", ana.sample(62, 0.3))
	equal(t, "and then", ana.results(), "INTERRUPTED The robot has stopped following your driving. Let go and press again.")
}

func TestWhoMayNotDriveMayNotByTheChannelEither(t *testing.T) {
	tb := newTable(t)
	ana, jin := tb.join("Ana"), tb.join("Jin")
	ana.say("%s", ana.sample(1, 0))
	tb.robot.take()
	jin.lease, jin.hold = ana.lease, ana.hold
	jin.say("%s", jin.sample(1, 0))
	jin.sendCopy("%s", jin.sample(2, 0.4))
	if did := tb.robot.take(); len(did) > 0 {
		t.Errorf("the robot did %q for who watches", did)
	}
}

func TestAnyoneStopsByTheChannel(t *testing.T) {
	tb := newTable(t)
	tb.join("Ana")
	jin := tb.join("Jin")
	jin.sendCopy(`{"type":"stop"}`)
	if by := tb.robot.stopped(); by != "Jin" {
		t.Errorf("the robot was stopped by %q", by)
	}
}

func TestAStopByTheChannelIsAnsweredThereOnce(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	answers := ana.sendCopy(`{"type":"stop","id":7}`)
	equal(t, "by the channel", answers, `{"type":"result","id":7,"word":"SUCCESS","reason":""}`)
	if no := ana.results(); len(no) > 0 {
		t.Errorf("the connection answers it too: %q", no)
	}
}

func TestAStopFromOutsideIsThatOfTheBrowsersPerson(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.hub.Command(t.Context(), ana.user.identity, Order{Command: robot.Stop{}})
	tb.hub.step(tb.now)
	if s := tb.hub.coordinator.stopped; s == nil || s.id != ana.user.person.id || s.by != "Ana" {
		t.Errorf("the stop is told as %+v", s)
	}
}

func TestAStopByTheChannelPassesAFlood(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	for range 3 * framesPerSecond {
		ana.user.receiveDatagramAt([]byte(ana.sample(9, 0.4)), tb.now, func([]byte) {})
	}
	ana.sendCopy(`{"type":"stop"}`)
	if tb.robot.stopped() == "" {
		t.Error("the stop was lost in the flood")
	}
}

func TestTheChannelAnswersClocks(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	tb.pass(3 * time.Second)
	answers := ana.sendCopy(`{"type":"clock","t1":12.5,"rtt_ms":null}`)
	var m map[string]any
	if len(answers) != 1 || json.Unmarshal([]byte(answers[0]), &m) != nil || m["t1"] != 12.5 || m["t2"] != 3.0 {
		t.Errorf("the answers are %q", answers)
	}
	if said := ana.hear(); len(said) > 0 {
		t.Errorf("the connection says %v", said)
	}
}

func TestAcksByTheChannelKeepStatesComing(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.say("%s", ana.sample(1, 0))
	shown := 0
	for range 40 {
		tb.shows(nil, 0)
		tb.pass(100 * time.Millisecond)
		for _, m := range ana.hear() {
			if m["type"] == "state" {
				shown++
				ana.sendCopy(`{"type":"ack","n":%v}`, m["n"])
			}
		}
	}
	if shown < 38 {
		t.Errorf("%d of 40 states came", shown)
	}
}

func TestNothingElseIsTakenFromTheChannelAndNothingIsSaidOfIt(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.say("%s", ana.sample(1, 0))
	ana.hear()
	tb.robot.take()
	for _, frame := range append(protocoltest.Examples(t, "protocol/protocol.md", "## Page to robot", "## Robot to page"), "", "{", "null", strings.Repeat("x", protocol.MaxFrame+1)) {
		var m struct{ Type string }
		_ = json.Unmarshal([]byte(frame), &m) // "" for none
		if m.Type == "drive" || m.Type == "stop" || m.Type == "clock" || m.Type == "ack" {
			continue
		}
		before := tb.hub.Stats().Refusals
		if answers := ana.sendCopy("%s", frame); len(answers) > 0 {
			t.Errorf("%.60s is answered %q", frame, answers)
		}
		if did, said := tb.robot.take(), ana.hear(); len(did)+len(said) > 0 {
			t.Errorf("%.60s: the robot did %q and said %v", frame, did, said)
		}
		if tb.hub.Stats().Refusals == before {
			t.Errorf("%.60s was not counted as refused", frame)
		}
	}
}

func TestAnOfferIsAnsweredOnceByItsOwnId(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	ana.say(`{"type":"rtc","id":30,"offer":"v=0"}`)
	o, err := ana.user.Offer(t.Context())
	if err != nil || o.Description != "v=0" {
		t.Fatalf("%+v, %v", o, err)
	}
	ana.user.Answer(o, "v=0\r\nanswer", robot.Result{})
	ana.say(`{"type":"rtc","id":31,"offer":"v=0"}`) // at once
	tb.pass(time.Second)
	ana.say(`{"type":"rtc","id":32,"offer":"v=0"}`)
	tb.pass(time.Second)
	ana.say(`{"type":"rtc","id":33,"offer":"v=0"}`) // the last one has not been taken yet
	o, err = ana.user.Offer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ana.user.Answer(o, "", robot.Result{Word: robot.NA, Reason: "No port."})
	var answers []string
	for _, m := range ana.hear() {
		if m["type"] == "result" {
			answers = append(answers, fmt.Sprint(m["id"], m["word"], m["reason"], m["answer"]))
		}
	}
	equal(t, "the answers", answers,
		fmt.Sprint(30.0, "SUCCESS", "", "v=0\r\nanswer"),
		fmt.Sprint(31.0, "BUSY", "The last offer came less than a second ago. Try again in a moment.", nil),
		fmt.Sprint(33.0, "BUSY", "The last offer is not answered yet.", nil),
		fmt.Sprint(32.0, "NA", "No port.", nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ana.user.Offer(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("without an offer: %v", err)
	}
}

func TestAnOfferIsForThoseWhoMayDriveAndHaveSaidHello(t *testing.T) {
	tb := newTable(t)
	eve := tb.joinAs("Eve", Observer)
	eve.say(`{"type":"rtc","id":30,"offer":"v=0"}`)
	equal(t, "an observer", eve.results(), "ERROR You are here as an observer. A channel for driving is for those who may drive.")
	jin := tb.connect("Jin")
	jin.say(`{"type":"rtc","id":30,"offer":"v=0"}`)
	equal(t, "a page without hello", jin.results(), `ERROR The first frame should be a "hello".`)
	for _, p := range []*page{eve, jin} {
		if len(p.user.offers) > 0 {
			t.Errorf("the offer of %s waits", p.browser)
		}
	}
}

// links returns the network's impairments, as in the queued events.
func (p *page) links() (told []string) {
	for _, m := range p.hear() {
		if m["kind"] == "link" {
			told = append(told, fmt.Sprint(m["profile"], " ", m["name"]))
		}
	}
	return told
}

func TestTheHolderImpairsTheNetworkOfASimulatedRobot(t *testing.T) {
	tb := newTable(t)
	n := link.NewNetwork(link.Profile{}, 1)
	tb.hub.coordinator.network = n
	ana, jin := tb.join("Ana"), tb.connect("Jin")
	jin.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","name":"Jin","build":"0.1.0"}`)
	equal(t, "a welcome", jin.links(), "off ")
	ana.say(`{"type":"link","id":1,"lease":%d,"profile":"kaist-davis"}`, ana.lease)
	equal(t, "everybody", jin.links(), "rtt=310ms,jitter=40ms,loss=1% kaist-davis")
	equal(t, "Ana", ana.results(), "SUCCESS")
	if got := n.Profile().RoundTrip; got != 310*time.Millisecond {
		t.Errorf("the round trip is %v", got)
	}
	ana.say(`{"type":"link","id":2,"lease":%d,"profile":"kaist-davis"}`, ana.lease)
	ana.say(`{"type":"link","id":3,"lease":%d,"profile":"rtt=20ms,stall=0.2..0.8s"}`, ana.lease)
	equal(t, "only of a change", jin.links(), "rtt=20ms,stall=200ms..800ms,every=10s ")
	ana.say(`{"type":"link","id":4,"lease":%d,"profile":"off"}`, ana.lease)
	equal(t, "the end", jin.links(), "off ")
	if n.Profile() != (link.Profile{}) {
		t.Errorf("the profile is %v", n.Profile())
	}
}

func TestANetworkIsNotImpairedBy(t *testing.T) {
	for _, c := range []struct {
		name  string
		says  func(ana, jin *page) []string
		wants string
	}{
		{"somebody who watches", func(_, jin *page) []string {
			jin.say(`{"type":"link","id":1,"lease":%d,"profile":"sat"}`, jin.lease)
			return jin.results()
		}, "ERROR Ana has control. You can watch and stop the robot."},
		{"an old lease", func(ana, _ *page) []string {
			ana.say(`{"type":"link","id":1,"lease":%d,"profile":"sat"}`, ana.lease-1)
			return ana.results()
		}, "INTERRUPTED Control changed, and you have it. Try again."},
		{"a name that is none", func(ana, _ *page) []string {
			ana.say(`{"type":"link","id":1,"lease":%d,"profile":"pigeon"}`, ana.lease)
			return ana.results()
		}, `ERROR "pigeon" is not a network; it must be one of lan, wifi, wifi-bad, lte, kaist-davis, sat, or settings such as rtt=310ms,jitter=40ms,loss=1%,stall=0.2..0.8s,every=10s. "off" switches it off.`},
		{"a time that is none", func(ana, _ *page) []string {
			ana.say(`{"type":"link","id":1,"lease":%d,"profile":"rtt=long"}`, ana.lease)
			return ana.results()
		}, `ERROR the round trip (rtt) is "long"; it must be a time from 0s to 10s, such as 40ms or 0.8s. "off" switches it off.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tb := newTable(t)
			tb.hub.coordinator.network = link.NewNetwork(link.Profile{}, 1)
			equal(t, c.name, c.says(tb.join("Ana"), tb.join("Jin")), c.wants)
			if p := tb.hub.coordinator.network.Profile(); p != (link.Profile{}) {
				t.Errorf("the network is bent: %v", p)
			}
		})
	}
	t.Run("anybody when the robot is real", func(t *testing.T) {
		tb := newTable(t)
		ana := tb.join("Ana")
		ana.say(`{"type":"link","id":1,"lease":%d,"profile":"sat"}`, ana.lease)
		equal(t, "Ana", ana.results(), "NA This robot is not simulated, so its network cannot be changed here.")
	})
}

func FuzzDatagram(f *testing.F) {
	for _, frame := range protocoltest.Examples(f, "protocol/protocol.md", "## Page to robot", "## Robot to page") {
		f.Add([]byte(frame))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		tb := newTable(t)
		ana, jin := tb.join("Ana"), tb.join("Jin")
		ana.say("%s", ana.sample(1, 0))
		tb.robot.take()
		jin.user.receiveDatagramAt(frame, tb.now, func([]byte) {})
		tb.hub.step(tb.now)
		for _, did := range tb.robot.take() {
			if strings.HasPrefix(did, "drive") {
				t.Fatalf("%s moved the robot for who watches: %s", frame, did)
			}
		}
	})
}

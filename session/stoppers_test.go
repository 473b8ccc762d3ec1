package session

import (
	"fmt"
	"testing"
	"time"
)

// Bob, an observer, stops the robot and Ana releases it, again and again.
func TestWhoHasControlIsToldWhoStopsTheRobotAgainAndAgain(t *testing.T) {
	tb := newTable(t)
	var kept entries
	tb.hub.coordinator.audit = &kept
	ana := tb.join("Ana")
	bob := tb.connectAs(Identity{Browser: "Bob", Role: Observer, Grant: "g7", Remote: "10.0.0.7"})
	bob.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","name":"Bob","build":"0.1.0"}`)
	stoppers := func() (got []string) {
		for _, m := range ana.hear() {
			if m["kind"] == "stopper" {
				got = append(got, fmt.Sprint(m["name"], " ", m["device"], " ", m["id"], " ", m["stops"]))
			}
		}
		return got
	}
	me, other := Identity{Browser: "Ana", Role: Operator}, Identity{Browser: "Jin", Role: Operator}
	press := func() {
		t.Helper()
		bob.say(`{"type":"stop"}`)
		bob.say(`{"type":"stop"}`) // while the robot is stopped it counts once
		if tb.hub.coordinator.stopped == nil {
			t.Fatal("STOP was not heard")
		}
		ana.say(`{"type":"unstop","id":1,"lease":1}`)
	}
	press()
	tb.pass(2 * time.Second)
	press()
	equal(t, "two stops", stoppers())
	if tb.hub.MayRemove(me, "g7") {
		t.Error("two stops are enough to be sent away")
	}
	tb.pass(2 * time.Second)
	press()
	equal(t, "three stops", stoppers(), "Bob g7 2 3")
	if !tb.hub.MayRemove(me, "g7") || tb.hub.MayRemove(other, "g7") || tb.hub.MayRemove(me, "g1") || tb.hub.MayRemove(me, "") {
		t.Error("not who has control, or not who stopped the robot, is meant")
	}
	stops := 0
	for _, line := range kept.lines {
		if line[3:] == `stop | "Bob" (2, device g7 at 10.0.0.7) | Stopped by "Bob".` {
			stops++
		}
	}
	if stops != 3 {
		t.Errorf("of 3 stops the record names Bob, his device and his address %d times: %q", stops, kept.lines)
	}
	tb.pass(2 * time.Minute)
	if tb.hub.MayRemove(me, "g7") {
		t.Error("old stops count")
	}
	bob.say(`{"type":"stop"}`)
	if tb.hub.coordinator.stopped == nil {
		t.Error("STOP is refused")
	}
}

// An operator in control who releases each STOP of an admin would end the admin's access.
func TestAnAdminWhoStopsTheRobotIsNotRemovedByTheDriver(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	admin := tb.connectAs(Identity{Browser: "Eve", Role: Admin, Grant: "g9", Remote: "10.0.0.9"})
	for range maxStops {
		admin.say(`{"type":"stop"}`)
		if tb.hub.coordinator.stopped == nil {
			t.Fatal("STOP was not heard")
		}
		tb.pass(2 * time.Second)
		ana.say(`{"type":"unstop","id":1,"lease":1}`)
	}
	if tb.hub.MayRemove(Identity{Browser: "Ana", Role: Operator}, "g9") {
		t.Error("the operator in control may remove the admin")
	}
	for _, m := range ana.hear() {
		if m["kind"] == "stopper" {
			t.Errorf("the operator is offered to remove the admin: %v", m)
		}
	}
}

func TestAStopBeforeHelloIsRecordedWithItsDevice(t *testing.T) {
	tb := newTable(t)
	var kept entries
	tb.hub.coordinator.audit = &kept
	tb.connectAs(Identity{Browser: "Bob", Role: Observer, Grant: "g7", Remote: "10.0.0.7"}).say(`{"type":"stop"}`)
	tb.hub.Stop("someone at the robot's screen", Identity{Remote: "127.0.0.1"})
	tb.hub.step(tb.now)
	equal(t, "the record", kept.lines, `00 stop | "someone" (device g7 at 10.0.0.7) | Stopped by "someone".`)
}

// A page that comes back sends the STOP that has not arrived right behind its hello.
func TestAStopBeforeHelloBearsTheNameThatItsBrowserIsKnownBy(t *testing.T) {
	tb := newTable(t)
	tb.join("Ana").user.Leave()
	tb.connectAs(Identity{Browser: "Ana", Role: Operator}).say(`{"type":"stop"}`)
	if s := tb.hub.coordinator.stopped; s == nil || s.by != "Ana" || s.id == 0 {
		t.Errorf("the robot is stopped by %+v", s)
	}
}

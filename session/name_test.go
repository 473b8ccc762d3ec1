package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/session/lease"
	"mybot/session/protocol"
)

func TestANameThatCannotBeSeenIsNone(t *testing.T) {
	for _, name := range []string{
		"", " ", "\u3164", "\u2800", "\u115f\u1160", "\uffa0", "\u034f", "a\u3164", "An\u200ba", "\u202eanA", "An\u2066a", "\u0301\u0301\u0301\u0301",
		"a\u0301\u0302\u0303", "Ana\ufe0f", "Ana\U000e0041", " Ana", "Ana\n", "...", strings.Repeat("a", 25),
	} {
		if protocol.IsName(name) {
			t.Errorf("%+q is taken for a name", name)
		}
	}
	for _, name := range []string{"Ana", "진", "Zoë", "Nguyễn", "O'Neill", "محمد", "João 2", "🤖", "a\u0301\u0302", "नमस्ते"} {
		if !protocol.IsName(name) {
			t.Errorf("%+q is not taken for a name", name)
		}
	}
}

// A user's name cannot be taken for another user's, or for the robot's.
func TestNoTwoUsersHaveTheSameName(t *testing.T) {
	tb := newTable(t)
	ana := tb.join("Ana")
	for i, c := range []struct{ name, called string }{
		{"Ana", "Ana %d"},
		{"An\u0430", "An\u0430 %d"}, // Cyrillic
		{"\uff21na", "\uff21na %d"}, // full width
		{"\u00c1na", "\u00c1na %d"},
		{"A.n.a", "A.n.a %d"},
		{"robot", "Guest %d"},
		{"The Robot", "Guest %d"},
		{"r\u043eb\u043et", "Guest %d"},
		{"Command line", "Guest %d"},
		{"somebody at the screen", "Guest %d"},
		{"somebody at 10.0.0.7", "Guest %d"},
		{"Guest 1", "Guest %d"},
		{"Jin", "Jin"},
	} {
		p := tb.connectAs(Identity{Browser: fmt.Sprintf("browser %d", i), Role: Operator, Grant: fmt.Sprintf("g%d", i)})
		p.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","name":%q,"build":"0.1.0"}`, c.name)
		who := p.user.person
		want := c.called
		if strings.Contains(want, "%d") {
			want = fmt.Sprintf(want, who.id)
		}
		if who.name != want {
			t.Errorf("%+q is called %+q, not %+q", c.name, who.name, want)
		}
		for _, name := range []string{"Ana", "robot", "An\u0430", "1 l Ana"} {
			p.say(`{"type":"rename","id":7,"name":%q}`, name)
			if got := who.name; name != "1 l Ana" && got != want {
				t.Errorf("%+q was renamed to %+q", want, got)
			}
			tb.pass(2e9)
		}
		p.user.Leave()
		tb.pass(2 * lease.Grace)
	}
	line := tb.connectAs(Identity{Browser: "line", Role: Admin, Name: "Command line"})
	line.say(`{"type":"hello","protocol":"mybot.v1","tab":"t","build":"0.1.0"}`)
	if got := line.user.person.name; got != "Command line" {
		t.Errorf("the command line at the robot's own computer is called %q", got)
	}
	if ana.user.person.name != "Ana" {
		t.Errorf("Ana is called %q", ana.user.person.name)
	}
}

// The disk is slow, so both ask before the first name is stored.
func TestOfTwoWhoTakeANameAtOnceTheSecondIsRefused(t *testing.T) {
	tb := newTable(t)
	var stored []nameRequest
	tb.hub.coordinator.saveName = func(n nameRequest) bool { stored = append(stored, n); return true }
	ana, ben := tb.join("Ana"), tb.join("Ben")
	tb.pass(2 * time.Second)
	ana.hear()
	ben.hear()
	ana.say(`{"type":"rename","id":5,"name":"Kim"}`)
	ben.say(`{"type":"rename","id":6,"name":"KIM"}`)
	if told := ben.results(); !slices.Equal(told, []string{`ERROR Kim is here already, and "KIM" can be taken for that name. Choose another one.`}) {
		t.Errorf("the second is answered %q", told)
	}
	if eve := tb.join("Kim"); eve == nil || slices.ContainsFunc(tb.hub.coordinator.people.row, func(p *person) bool { return p.name == "Kim" }) {
		t.Error("whoever comes meanwhile has the name")
	}
	for _, n := range stored {
		n.err = errors.New("the disk is full")
		tb.hub.coordinator.finishRename(n, tb.now)
	}
	tb.pass(2 * time.Second)
	ben.hear()
	ben.say(`{"type":"rename","id":7,"name":"KIM"}`)
	if told := ben.results(); len(told) > 0 || len(stored) != 2 {
		t.Errorf("after the first could not be stored, the second is answered %q", told)
	}
}

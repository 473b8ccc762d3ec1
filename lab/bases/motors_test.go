package bases

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheStopIsFoundInWhatTheMotorsWereAskedFor(t *testing.T) {
	at := func(ms int64) time.Time { return time.UnixMilli(ms) }
	for _, c := range []struct {
		name       string
		commands   []command
		want       time.Duration
		ok         bool
		turnedThen bool
	}{
		{"it stops once", []command{{at: at(0), v: 0.2}, {at: at(50), v: 0.45}, {at: at(180)}}, 80 * time.Millisecond, true, true},
		{"it slows down first", []command{{at: at(0), v: 0.45}, {at: at(120), v: 0.4}, {at: at(140), v: 0.3}, {at: at(190)}}, 90 * time.Millisecond, true, true},
		{"it drives backwards", []command{{at: at(0), v: -0.45}, {at: at(110)}}, 10 * time.Millisecond, true, true},
		{"it executes one line more", []command{{at: at(0), v: 0.45}, {at: at(180)}, {at: at(190), v: 0.45}, {at: at(230)}}, 130 * time.Millisecond, true, true},
		{"it says zero again", []command{{at: at(0), v: 0.45}, {at: at(180)}, {at: at(300)}, {at: at(1500)}}, 80 * time.Millisecond, true, true},
		{"it turns again", []command{{at: at(0), v: 0.45}, {at: at(180)}, {at: at(2000), v: 0.1}, {at: at(2100)}}, 0, false, true},
		{"it never stops", []command{{at: at(0), v: 0.45}, {at: at(180), v: 0.4}}, 0, false, true},
		{"it stops too late", []command{{at: at(0), v: 0.45}, {at: at(1200)}}, 0, false, true},
		{"it stood before", []command{{at: at(0), v: 0.45}, {at: at(90)}}, 0, false, false},
	} {
		after, ok := stopIn(c.commands, at(100), time.Second)
		if after != c.want && ok || ok != c.ok || turnedAt(c.commands, at(100)) != c.turnedThen {
			t.Errorf("%s: after %v, ok %v", c.name, after, ok)
		}
	}
}

// An emulator at half the speed of a board took 160 ms of the computer's time.
func TestAnEmulatorIsJudgedByItsOwnClock(t *testing.T) {
	at := func(ms int64) time.Time { return time.UnixMilli(ms) }
	slow := []command{{at(90), 0.45, 50 * time.Millisecond}, {at(260), 0, 140 * time.Millisecond}}
	if after, ok := stopIn(byOwnClock(slow, at(100)), at(100), time.Second); !ok || after != 80*time.Millisecond {
		t.Errorf("by its own clock the base stops after %v, %v", after, ok)
	}
	quick := []command{{at: at(90), v: 0.45}, {at: at(180)}}
	if after, ok := stopIn(byOwnClock(quick, at(100)), at(100), time.Second); !ok || after != 80*time.Millisecond {
		t.Errorf("without an own clock the base stops after %v, %v", after, ok)
	}
}

func TestALineThatIsStillBeingWrittenIsNotRead(t *testing.T) {
	l := motorLog(filepath.Join(t.TempDir(), "motors"))
	for text, want := range map[string]float64{"": 0, "1000 0.2": 0, "1000 0.2\n2000 0.4500\n30": 0.45} {
		if err := os.WriteFile(string(l), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := l.speed(); got != want {
			t.Errorf("%q: the speed is %g, want %g", text, got, want)
		}
	}
	if err := os.WriteFile(string(l), []byte("fast\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.commands(); err == nil || !strings.Contains(err.Error(), `has the line "fast"`) {
		t.Errorf("a malformed line: %v", err)
	}
}

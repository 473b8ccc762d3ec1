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
		again, ok  bool
		turnedThen bool
	}{
		{"it stops once", []command{{at(0), 0.2}, {at(50), 0.45}, {at(180), 0}}, 80 * time.Millisecond, false, true, true},
		{"it slows down first", []command{{at(0), 0.45}, {at(120), 0.4}, {at(140), 0.3}, {at(190), 0}}, 90 * time.Millisecond, false, true, true},
		{"it drives backwards", []command{{at(0), -0.45}, {at(110), 0}}, 10 * time.Millisecond, false, true, true},
		{"it turns again", []command{{at(0), 0.45}, {at(180), 0}, {at(2000), 0.1}, {at(2100), 0}}, 80 * time.Millisecond, true, true, true},
		{"it never stops", []command{{at(0), 0.45}, {at(180), 0.4}}, 0, false, false, true},
		{"it stood before", []command{{at(0), 0.45}, {at(90), 0}}, 0, false, false, false},
		{"nothing was asked", nil, 0, false, false, false},
	} {
		after, again, ok := stopIn(c.commands, at(100))
		if after != c.want || again != c.again || ok != c.ok || turnedAt(c.commands, at(100)) != c.turnedThen {
			t.Errorf("%s: after %v, again %v, ok %v", c.name, after, again, ok)
		}
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
		t.Errorf("another line: %v", err)
	}
}

package check

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAComputerThatIsOnTimeHasNoHiccups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := watchHiccups()
		time.Sleep(time.Second)
		if found := stop(); len(found) > 0 {
			t.Errorf("there were %v", found)
		}
	})
}

// The test looks for hiccups at these times, in ms.
func TestAHiccupAndItsEchoAreSeen(t *testing.T) {
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	h := hiccups{last: began}
	for _, ms := range []int{5, 11, 25, 40, 45} {
		h.look(at(ms))
	}
	if len(h.all) != 1 || !h.all[0].from.Equal(at(25)) || !h.all[0].to.Equal(at(40)) {
		t.Fatalf("there were %v", h.all)
	}
	for _, c := range []struct {
		from, to int
		want     bool
	}{{0, 25, false}, {0, 26, true}, {30, 31, true}, {59, 80, true}, {60, 80, false}} {
		if overlaps(h.all, at(c.from), at(c.to)) != c.want {
			t.Errorf("from %d to %d ms it must be %v", c.from, c.to, c.want)
		}
	}
}

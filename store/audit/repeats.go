package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// How many entries of one kind by one person are written each on its own within
// repeatTime. Those beyond are counted and told of in one.
const (
	repeatsEach = 6
	repeatTime  = time.Minute
)

// repeats knows what was written of late, by kind and person.
type repeats map[string]*streak

type streak struct {
	since time.Time // of its first entry
	n     int
	last  Entry
}

// subjectOf is what entries share that are repeats of each other. Of who may do
// what each entry counts, so these must be alike in all; of what people do again
// and again one must be of the same kind and by the same person, whatever the
// person is called by now.
func subjectOf(e Entry) string {
	switch e.Kind {
	case "lease", "stop", "settings":
		return e.Kind + " " + e.Who[strings.LastIndexByte(e.Who, '"')+1:]
	default:
		return e.Kind + " " + e.Who + " " + e.Text
	}
}

// isRepeat reports whether the entry need not be written on its own.
func (r repeats) isRepeat(e Entry) bool {
	s := r[subjectOf(e)]
	if s == nil {
		s = &streak{since: e.At}
		r[subjectOf(e)] = s
	}
	s.n++
	s.last = e
	return s.n > repeatsEach
}

// endStreaks ends the streaks that are older than repeatTime at now, or all, and
// returns an entry for each that has more than was written.
func (r repeats) endStreaks(now time.Time, all bool) []Entry {
	var told []Entry
	for key, s := range r {
		if age := now.Sub(s.since); !all && age >= 0 && age < repeatTime {
			continue
		}
		delete(r, key)
		if more := s.n - repeatsEach; more == 1 {
			told = append(told, s.last)
		} else if more > 1 {
			e := s.last
			e.Text = fmt.Sprintf("%d times more within a minute, the last: %s", more, e.Text)
			told = append(told, e)
		}
	}
	slices.SortFunc(told, func(a, b Entry) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Who, b.Who)) })
	return told
}

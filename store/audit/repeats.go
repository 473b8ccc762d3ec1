package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// How many entries of one kind by one person are written individually within
// repeatTime. Further ones are counted in a single entry.
const (
	repeatsEach = 6
	repeatTime  = time.Minute
)

// repeats are the recent entries, by subject.
type repeats map[string]*streak

type streak struct {
	since time.Time // of its first entry
	n     int
	last  Entry
}

// subjectOf returns what repeated entries have in common. Entries about access are
// repeats only if they are entirely equal, because each counts; entries about
// actions are repeats if they have the same kind and person, whatever the person's
// current name.
func subjectOf(e Entry) string {
	switch e.Kind {
	case "lease", "stop", "settings", "stream":
		return e.Kind + " " + e.Who[strings.LastIndexByte(e.Who, '"')+1:]
	default:
		return e.Kind + " " + e.Who + " " + e.Text
	}
}

// isRepeat reports whether the entry need not be written individually.
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
// returns an entry for each streak that has unwritten repeats.
func (r repeats) endStreaks(now time.Time, all bool) []Entry {
	var counts []Entry
	for key, s := range r {
		if age := now.Sub(s.since); !all && age >= 0 && age < repeatTime {
			continue
		}
		delete(r, key)
		if more := s.n - repeatsEach; more == 1 {
			counts = append(counts, s.last)
		} else if more > 1 {
			e := s.last
			e.Text = fmt.Sprintf("%d times more within a minute, the last: %s", more, e.Text)
			counts = append(counts, e)
		}
	}
	slices.SortFunc(counts, func(a, b Entry) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Who, b.Who)) })
	return counts
}

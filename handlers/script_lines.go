package handlers

import (
	"net/http"
	"sync"

	"mybot/script"
	"mybot/strictjson"
)

// A ScriptRouter delivers the lines of units: app's router.
type ScriptRouter interface {
	// Subscribe delivers the lines of a unit, "" = of all, in order and by one goroutine at a
	// time. cancel delivers what was said before it, and is the last to deliver.
	Subscribe(unit string, deliver func([]script.Line)) (cancel func())
}

// Bounds of the stored lines.
const (
	maxUnitLines = 200     // of one unit, and of all units together
	maxLineUnits = 64      // units whose lines are stored
	maxLineText  = 1 << 10 // bytes of a stored line; a line has up to 64 KiB
)

// A scriptLine is the wire form of a script.Line.
type scriptLine struct {
	Number uint64 `json:"n"` // counts the lines of all units
	Unit   string `json:"unit"`
	Time   int64  `json:"t"` // ms since the robot was switched on
	Tag    string `json:"tag"`
	Text   string `json:"text"`
}

// scriptLines stores the newest lines of scripts. Its zero value is empty.
type scriptLines struct {
	mu     sync.Mutex
	number uint64
	units  map[string][]scriptLine // "" = of all units
	hidden map[string]bool         // units of consoles: all that are open, and those of ended
	ended  []string                // hidden units whose consoles have ended, the last maxEnded
}

// maxEnded is how many units of consoles that have ended are known; lines of older ones
// arrive no more.
const maxEnded = 256

// hide leaves out the lines of a unit from now on. end is called when its console has ended.
func (s *scriptLines) hide(unit string) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hidden == nil {
		s.hidden = map[string]bool{}
	}
	s.hidden[unit] = true
	return func() { s.forgetOldest(unit) }
}

// forgetOldest notes that a hidden unit has ended. It still has lines on their way, so the
// one that ended longest ago is forgotten in its place.
func (s *scriptLines) forgetOldest(unit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended = append(s.ended, unit); len(s.ended) > maxEnded {
		delete(s.hidden, s.ended[0])
		s.ended = s.ended[1:]
	}
}

// add stores lines; the router calls it.
func (s *scriptLines) add(lines []script.Line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.units == nil {
		s.units = map[string][]scriptLine{}
	}
	for _, l := range lines {
		if s.hidden[l.Unit] {
			continue
		}
		s.number++
		line := scriptLine{s.number, l.Unit, l.Time.Milliseconds(), l.TagName(), strictjson.Clip(l.Text, maxLineText)}
		for _, unit := range []string{"", l.Unit} {
			kept := s.units[unit]
			if len(kept) >= maxUnitLines {
				copy(kept, kept[1:])
				kept = kept[:maxUnitLines-1]
			}
			s.units[unit] = append(kept, line)
		}
		s.dropOldest()
	}
}

// dropOldest drops the unit that has been silent for the longest, if there are too many.
func (s *scriptLines) dropOldest() {
	if len(s.units) <= maxLineUnits+1 {
		return
	}
	oldest, last := "", s.number+1
	for unit, lines := range s.units {
		if n := lines[len(lines)-1].Number; unit != "" && n < last {
			oldest, last = unit, n
		}
	}
	delete(s.units, oldest)
}

// newest returns the newest lines of a unit, "" = of all, oldest first.
func (s *scriptLines) newest(unit string) []scriptLine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]scriptLine{}, s.units[unit]...)
}

// serveScriptLines answers with the newest lines of a unit, or of all units.
func (h *Handler) serveScriptLines(w http.ResponseWriter, r *http.Request) {
	h.writeJSON(w, http.StatusOK, map[string]any{"lines": h.lines.newest(r.URL.Query().Get("unit"))})
}

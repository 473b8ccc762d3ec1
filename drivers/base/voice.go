package base

import (
	"errors"
	"slices"
	"strings"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// What a base says and shows.

// makeLine returns a text as one line that steers no terminal.
func makeLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if robot.Steers(r) {
			return ' '
		}
		return r
	}, text))
}

// Say has the base speak. A base out of reach, or one that takes no lines, does not hear
// the sentence later.
func (d *Driver) Say(s robot.Speech) error {
	switch {
	case !d.Describe().Speaker:
		return robot.ErrNA
	case d.isClosed():
		return robot.ErrClosed
	case !d.isGreeted():
		return errors.New("the base is out of reach")
	}
	lang, _, _ := strings.Cut(s.Voice, "+") // without the variant of espeak-ng's voice
	if len(lang) > protocol.MaxName {
		lang = ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.say++
	d.says = s.Number
	if !d.outbox.add(protocol.Say{ID: d.say, Text: makeLine(s.Text), Lang: lang}) {
		return errors.New("the base takes no lines")
	}
	return nil
}

// Said returns the number of the speech that the base has spoken to its end last.
func (d *Driver) Said() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.said
}

// hearSaid notes that the base has spoken; a text that another one has replaced does not
// count.
func (d *Driver) hearSaid(id int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id == d.say {
		d.said = d.says
	}
}

// Show replaces what the display shows. A base out of reach shows it when it is back.
func (d *Driver) Show(lines []string) error {
	switch {
	case !d.Describe().Display:
		return robot.ErrNA
	case d.isClosed():
		return robot.ErrClosed
	}
	shows := slices.Clone(lines[:min(len(lines), protocol.MaxRows)])
	for i, line := range shows {
		shows[i] = makeLine(line)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shows = shows
	if d.greeted {
		d.outbox.replaceShow(protocol.Show{Lines: d.shows})
	}
	return nil
}

// showAgain tells a base that has just been described what its display should show, so
// that nothing of an earlier conversation stays on it.
func (d *Driver) showAgain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.desc.Display {
		d.outbox.replaceShow(protocol.Show{Lines: d.shows})
	}
}

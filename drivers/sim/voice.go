package sim

import (
	"slices"
	"time"
	"unicode/utf8"

	"mybot/robot"
)

// How long the simulated speaker takes, which makes no sound: about as long as a person.
const (
	breathFor = 400 * time.Millisecond
	letterFor = 60 * time.Millisecond
)

// A voice is the state of the speaker.
type voice struct {
	speaks uint64 // number of the newest speech
	ends   time.Time
	said   uint64 // number of the last speech spoken to its end
}

// Say implements robot.Speaker: the text takes its time.
func (d *Driver) Say(s robot.Speech) error {
	return d.withPart(d.desc.Speaker, func(now time.Time) {
		d.voice.finish(now)
		d.voice.speaks, d.voice.ends = s.Number, now.Add(breathFor+time.Duration(utf8.RuneCountInString(s.Text))*letterFor)
	})
}

// Said implements robot.Speaker.
func (d *Driver) Said() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.voice.finish(time.Now())
	return d.voice.said
}

// finish ends a text whose time is over.
func (v *voice) finish(now time.Time) {
	if !now.Before(v.ends) {
		v.said = v.speaks
	}
}

// Show implements robot.Display.
func (d *Driver) Show(lines []string) error {
	return d.withPart(d.desc.Display, func(time.Time) { d.display = slices.Clone(lines) })
}

// Shown returns the lines on the display.
func (d *Driver) Shown() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.display
}

// withPart calls f at the time now, if the robot has the part.
func (d *Driver) withPart(has bool, f func(now time.Time)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case !has:
		return robot.ErrNA
	case d.isClosed():
		return robot.ErrClosed
	}
	f(time.Now())
	return nil
}

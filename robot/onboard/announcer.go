package onboard

import (
	"log/slog"

	"mybot/robot"
)

// An announcer passes the core's speech and messages to the base's own speaker and display.
// Run's goroutine calls it; it never waits for the base.
type announcer struct {
	speaker robot.Speaker // nil = the base has none
	display robot.Display // nil = the base has none
	log     *slog.Logger

	said     uint64 // number of the last speech sent to the base
	finished uint64 // number of the last speech that the base reported as spoken
	shown    uint64 // number of the message on the display; 0 = none
	mute     error  // the driver's last answer, already logged if it is an error
}

func newAnnouncer(d robot.Driver, log *slog.Logger) announcer {
	a, desc := announcer{log: log}, d.Describe()
	if desc.Speaker {
		a.speaker, _ = d.(robot.Speaker)
	}
	if desc.Display {
		a.display, _ = d.(robot.Display)
	}
	return a
}

// announce sends the base the speech of a state, once, and its message, or clears the
// display. It does not repeat a speech that the base refuses: the run continues when the
// time for the speech is over.
func (a *announcer) announce(s robot.State) {
	if v := s.Speech; a.speaker != nil && v != nil && v.ByBase && v.Number != a.said {
		a.said = v.Number
		a.note(a.speaker.Say(*v))
	}
	number := uint64(0)
	if s.Message != nil {
		number = s.Message.Number
	}
	if a.display != nil && number != a.shown {
		a.shown = number
		a.note(a.display.Show(s.Message.Lines()))
	}
}

// note logs the first error of the base's speaker or display, and then none until a call
// succeeds.
func (a *announcer) note(err error) {
	if err != nil && a.mute == nil {
		a.log.Warn("the base does not say or show what it should", "err", err)
	}
	a.mute = err
}

// takeSpoken returns the number of a speech that the base has finished since the last call.
func (a *announcer) takeSpoken() (number uint64, ok bool) {
	if a.speaker == nil {
		return 0, false
	}
	number = a.speaker.Said()
	ok = number != a.finished
	a.finished = number
	return number, ok
}

package onboard

import (
	"log/slog"

	"mybot/robot"
)

// An announcer passes what the core says and shows to the base's own speaker and display.
// The goroutine of Run calls it; it never waits for the base.
type announcer struct {
	speaker robot.Speaker // nil = the base has none
	display robot.Display // nil = the base has none
	log     *slog.Logger

	said     uint64 // number of the speech that the base was given last
	finished uint64 // and of the one that it reported last
	shown    uint64 // number of the message on the display; 0 = none
	mute     error  // what the driver answered last, which was logged
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

// announce gives the base the sentence that it has to say, once, and the message of a
// state, or clears its display. A sentence that the base does not take is not repeated:
// the run goes on when its time is over.
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

// note logs that the base does not take what it should say or show, once until it does.
func (a *announcer) note(err error) {
	if err != nil && a.mute == nil {
		a.log.Warn("the base does not say or show what it should", "err", err)
	}
	a.mute = err
}

// takeSpoken returns the number of a speech that the base has spoken to its end since the
// last call.
func (a *announcer) takeSpoken() (number uint64, ok bool) {
	if a.speaker == nil {
		return 0, false
	}
	number = a.speaker.Said()
	ok = number != a.finished
	a.finished = number
	return number, ok
}

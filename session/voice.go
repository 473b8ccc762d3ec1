package session

import (
	"time"

	"mybot/session/lease"
)

// The last words of a borrower: after a STOP a borrower may finish a sentence.
const (
	lastWordsWithin = 5 * time.Second        // at the longest
	lastWordsPause  = 500 * time.Millisecond // without a packet of sound ends it
)

// voice is who may speak through the robot. It is immutable.
type voice struct {
	holder, borrower string // browsers; "" = there is none
	loan             uint64 // of the borrower
	last             string // browser of the person who had the voice when the robot was stopped; "" = none
	lastName         string // of that person
	lastUntil        time.Time
}

// voiceTaken says that the holder has taken the voice back by speaking.
type voiceTaken struct{ loan uint64 }

func (m voiceTaken) handle(h *Hub, now time.Time) {
	c := &h.coordinator
	if who := c.people.byID(c.lease.Holder); who != nil && c.loans.Of(lease.Voice).Number == m.loan {
		c.takeBack(who, lease.Voice, now)
	}
}

// MaySpeak reports whether the person may speak through the robot now: the holder
// of control or the borrower of the voice. Any goroutine may call it.
func (h *Hub) MaySpeak(id Identity) bool { return h.maySpeakAt(id, time.Now()) }

func (h *Hub) maySpeakAt(id Identity, now time.Time) bool {
	v := h.voice.Load()
	switch {
	case v == nil || id.Browser == "":
		return false
	case v.holder == id.Browser, v.borrower == id.Browser:
		return true
	}
	return v.last == id.Browser && h.endsSentence(v, now)
}

// endsSentence reports whether the person who had the voice when the robot was
// stopped may finish the sentence.
func (h *Hub) endsSentence(v *voice, now time.Time) bool {
	return v.last != "" && now.Before(v.lastUntil) && now.Sub(h.lastSpoke()) <= lastWordsPause
}

// Speak is MaySpeak for a person who is speaking. It counts as use of the loan by a
// borrower, and by the holder it takes the voice back.
func (h *Hub) Speak(id Identity) bool { return h.speakAt(id, time.Now()) }

func (h *Hub) speakAt(id Identity, now time.Time) bool {
	if !h.maySpeakAt(id, now) {
		return false
	}
	v := h.voice.Load()
	if v.holder != id.Browser {
		h.spokeAt.Store(int64(now.Sub(h.start)))
	} else if v.loan != 0 && h.loanTaken.Swap(v.loan) != v.loan {
		h.post(voiceTaken{v.loan})
	}
	return true
}

// lastSpoke returns when a borrower of the voice last spoke.
func (h *Hub) lastSpoke() time.Time { return h.start.Add(time.Duration(h.spokeAt.Load())) }

// noteSpeech notes that the borrower of the voice spoke at a time.
func (c *coordinator) noteSpeech(at time.Time) {
	if o := c.loans.Of(lease.Voice); o.User != 0 && at.After(c.spokeAt) {
		c.spokeAt = at
		c.loans.Use(lease.Voice, o.User, o.Number, at)
	}
}

// whoSpeaks returns who may speak now.
func (c *coordinator) whoSpeaks() *voice {
	v := c.lastWords
	if who := c.people.byID(c.lease.Holder); who != nil {
		v.holder = who.browser
	}
	if o := c.loans.Of(lease.Voice); o.User != 0 {
		if who := c.people.byID(o.User); who != nil {
			v.borrower, v.loan = who.browser, o.Number
		}
	}
	return &v
}

// allowLastWords lets the borrower of the voice finish a sentence after a STOP.
func (c *coordinator) allowLastWords(at time.Time) {
	if who := c.people.byID(c.loans.Of(lease.Voice).User); who != nil {
		c.lastWords = voice{last: who.browser, lastName: who.name, lastUntil: at.Add(lastWordsWithin)}
	}
}

package media

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/webrtc/v3"
)

// A Talker is the one person whose voice the robot plays (WHIP).
type Talker struct {
	peer
	broadcaster *Broadcaster
	speak       func() bool
	heard       atomic.Int64 // when the last voice packet came, Unix time in ns
}

// Talk answers the offer of a user to talk, and replaces the current talker. The
// voice is cut off once may or speak, which is called for each packet of sound,
// returns false, and stays cut off. The error is ErrClosed, ctx.Err(), or says what
// is wrong with the offer.
func (s *Broadcaster) Talk(ctx context.Context, offer, grant string, may, speak func() bool) (t *Talker, answer string, err error) {
	offer, err = checkMedia(offer, "sendonly", "talk", s.cfg.Port.dialsPages(), "audio")
	if err != nil {
		return nil, "", fmt.Errorf("media: %w", err)
	}
	var m webrtc.MediaEngine
	var chain interceptor.Registry
	if err := errors.Join(m.RegisterCodec(mulawCodec(), webrtc.RTPCodecTypeAudio), webrtc.ConfigureRTCPReports(&chain)); err != nil {
		return nil, "", fmt.Errorf("media: %w", err)
	}
	port := s.cfg.Port
	t = &Talker{broadcaster: s, speak: speak}
	made := t.prepareConnection(port, grant, func() { s.removeTalker(t) })
	api := webrtc.NewAPI(webrtc.WithSettingEngine(port.settings(t.hangUp)), webrtc.WithMediaEngine(&m), webrtc.WithInterceptorRegistry(&chain))
	if err := s.setTalker(t); err != nil {
		t.cancel()
		return nil, "", err
	}
	answer, err = t.answerOffer(ctx, api, offer, func() error {
		t.pc.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { t.runGuarded(func() { t.forwardVoice(track) }) })
		return nil
	}, func() {})
	if err == nil {
		t.all.Go(func() { t.runGuarded(func() { t.hangUpWhenRevoked(may) }) }) // also cuts off a talker who is silent at the moment
	}
	made()
	if err != nil {
		t.Close()
		return nil, "", err
	}
	return t, answer, nil
}

// setTalker makes t the only talker.
func (s *Broadcaster) setTalker(t *Talker) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.revoked[t.Grant]:
		return errGone
	case s.talker != nil:
		s.talker.hangUp()
	}
	s.talker = t
	s.connections.Add(1)
	return nil
}

// FindTalker returns the current talker, if the id matches.
func (s *Broadcaster) FindTalker(id string) *Talker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.talker == nil || s.talker.ID != id {
		return nil
	}
	return s.talker
}

// removeTalker removes the talker.
func (s *Broadcaster) removeTalker(t *Talker) {
	defer s.connections.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.talker == t {
		s.talker = nil
	}
}

// forwardVoice forwards the voice to the robot's loudspeaker, packet by packet,
// while speak allows it.
func (t *Talker) forwardVoice(track *webrtc.TrackRemote) {
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		if !t.speak() {
			t.hangUp()
			return
		}
		t.heard.Store(time.Now().UnixNano())
		_ = t.broadcaster.speaker.WriteRTP(p) // the viewer's own goroutine handles a viewer that is gone
	}
}

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

// A Talker is the one person whose voice comes out of the robot (WHIP).
type Talker struct {
	peer
	studio *Studio
	may    func() bool
	heard  atomic.Int64 // when his last voice packet came, Unix time in ns
}

// Talk answers the offer of somebody who wants to talk, in the place of who
// talks now, and who is cut off once may says no: what he says after that is not
// heard, and not when he may again. The error is ErrClosed, ctx.Err(), or says
// what is wrong with the offer.
func (s *Studio) Talk(ctx context.Context, offer, grant string, may func() bool) (t *Talker, answer string, err error) {
	offer, err = checkMedia(offer, "sendonly", "talk", s.cfg.Port.calls(), "audio")
	if err != nil {
		return nil, "", fmt.Errorf("media: %w", err)
	}
	var m webrtc.MediaEngine
	var chain interceptor.Registry
	if err := errors.Join(m.RegisterCodec(pcmu(), webrtc.RTPCodecTypeAudio), webrtc.ConfigureRTCPReports(&chain)); err != nil {
		return nil, "", fmt.Errorf("media: %w", err)
	}
	port := s.cfg.Port
	api := webrtc.NewAPI(webrtc.WithSettingEngine(port.set), webrtc.WithMediaEngine(&m), webrtc.WithInterceptorRegistry(&chain))
	t = &Talker{studio: s, may: may}
	made := t.begin(port, grant, func() { s.hush(t) })
	if err := s.give(t); err != nil {
		t.cancel()
		return nil, "", err
	}
	answer, err = t.answer(ctx, api, offer, func() error {
		t.pc.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { t.guarded(func() { t.pass(track) }) })
		return nil
	}, func() {})
	if err == nil {
		t.all.Go(func() { t.guarded(func() { t.leaveWith(may) }) }) // who says nothing for now is cut off too
	}
	made()
	if err != nil {
		t.Close()
		return nil, "", err
	}
	return t, answer, nil
}

// give lets the talker talk: one at a time.
func (s *Studio) give(t *Talker) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.gone[t.Grant]:
		return errGone
	case s.talker != nil:
		s.talker.hangUp()
	}
	s.talker = t
	s.people.Add(1)
	return nil
}

// Talker returns who talks, if the id is right.
func (s *Studio) Talker(id string) *Talker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.talker == nil || s.talker.ID != id {
		return nil
	}
	return s.talker
}

// hush forgets the talker.
func (s *Studio) hush(t *Talker) {
	defer s.people.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.talker == t {
		s.talker = nil
	}
}

// pass hands the voice on to the robot's speaker, packet by packet, while he may
// talk.
func (t *Talker) pass(track *webrtc.TrackRemote) {
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		if !t.may() {
			t.hangUp()
			return
		}
		t.heard.Store(time.Now().UnixNano())
		_ = t.studio.speaker.WriteRTP(p) // who is gone is told of elsewhere
	}
}

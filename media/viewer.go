package media

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/cc"
	"github.com/pion/interceptor/pkg/gcc"
	"github.com/pion/rtcp"
	"github.com/pion/sdp/v3"
	"github.com/pion/webrtc/v3"
)

// ErrCrowded says that there are too many viewers.
var ErrCrowded = fmt.Errorf("media: %d people are already watching; one of them has to stop first", MaxViewers)

// ErrShare says that a sharer has as many connections as the others leave it.
var ErrShare = errors.New("media: this device or your link already has its share of the connections to the camera; one of them has to end first")

// ErrGreedy says that one grant has too many connections.
var ErrGreedy = fmt.Errorf("media: this device already has %d connections to the camera open or being opened; close one of them", MaxByGrant)

// A Watcher is a user who wants to watch.
type Watcher struct {
	Grant   string      // of the user; "" = none was needed
	Sharer  string      // with whom the user shares places, as ratelimit.Shares does: the device, or of observers the link
	Measure bool        // enables bandwidth estimation and reserves a place; for users who may drive
	Leads   func() bool // the user drives now, so that the bitrate follows this viewer alone; nil = never
	Speaker bool        // the viewer is the robot's loudspeaker, which receives only the talker's voice
	Holds   func() bool // the access is still valid; called repeatedly; nil = always
}

// A Viewer is one connection that receives pictures and sound.
type Viewer struct {
	peer
	broadcaster      *Broadcaster
	sharer           string // as in Watcher
	speaker          bool   // a loudspeaker, for which camera and microphone need not run
	leads            func() bool
	dialed           atomic.Int32   // number of the page's addresses, in the offer and later
	availableBitrate atomic.Int64   // bit/s to the viewer; 0 = unknown
	lastLoss         atomic.Int64   // when the viewer last missed packets, in s since 1970; 0 = never
	pictures         *pictureStream // nil = none
	repair           *repair        // nil = the viewer does not support repairs
	ssrc             webrtc.SSRC    // of the pictures
}

// lossMemory is how long after a loss further losses are expected.
const lossMemory = 10 // s

// losesPackets reports whether the viewer has recently lost packets.
func (v *Viewer) losesPackets() bool { return time.Now().Unix()-v.lastLoss.Load() < lossMemory }

// repairRate returns the rate of pictures that need repairs, in bit/s.
func (v *Viewer) repairRate() float64 {
	if !v.losesPackets() {
		return 0
	}
	return float64(v.pictures.rate.Load())
}

// Watch answers the offer of a user who wants to watch (WHEP). The error is
// ErrCrowded, ErrShare, ErrGreedy, ErrClosed, ctx.Err(), or says what is wrong with the offer.
func (s *Broadcaster) Watch(ctx context.Context, offer string, w Watcher) (v *Viewer, answer string, err error) {
	kinds := []string{"video", "audio"}
	if w.Speaker {
		kinds = kinds[1:]
	}
	offer, err = checkMedia(offer, "recvonly", "receive", s.cfg.Port.dialsPages(), kinds...)
	if err != nil {
		return nil, "", fmt.Errorf("media: %w", err)
	}
	v = &Viewer{broadcaster: s, sharer: w.Sharer, speaker: w.Speaker, leads: w.Leads}
	v.dialed.Store(int32(strings.Count(offer, "\na=candidate:"))) //nolint:gosec // at most maxDialed
	if v.pictures, err = s.choosePictures(offer); err != nil {
		return nil, "", fmt.Errorf("media: %w", err)
	}
	if v.pictures != nil {
		v.repair = newRepair(offer, v.repairRate)
	}
	made := v.prepareConnection(s.cfg.Port, w.Grant, func() { s.removeViewer(v) })
	if err := s.addViewer(v, w.Measure); err != nil {
		v.cancel()
		return nil, "", err
	}
	api, err := v.newAPI(w.Measure)
	if err == nil {
		answer, err = v.answerOffer(ctx, api, offer, func() error { return v.addTracks(w.Speaker) }, v.requestKey)
	}
	if err == nil && v.repair != nil {
		answer = v.repair.describeIn(answer, v.ssrc)
	}
	if err == nil && w.Holds != nil {
		v.all.Go(func() { v.runGuarded(func() { v.hangUpWhenRevoked(w.Holds) }) })
	}
	made()
	if err != nil {
		v.Close()
		return nil, "", err
	}
	return v, answer, nil
}

// addTracks adds the tracks that the offer asks for and the robot has.
func (v *Viewer) addTracks(speaker bool) error {
	given := 0
	for _, t := range v.pc.GetTransceivers() {
		var track *webrtc.TrackLocalStaticRTP
		switch {
		case t.Kind() == webrtc.RTPCodecTypeAudio && speaker:
			track = v.broadcaster.speaker
		case t.Kind() == webrtc.RTPCodecTypeAudio:
			track = v.broadcaster.audio
		case v.pictures != nil:
			track = v.pictures.track
		}
		if track == nil {
			continue
		}
		sender, err := v.pc.AddTrack(track)
		if err != nil {
			return fmt.Errorf("media: the offer cannot be answered: %s", firstLine(err))
		}
		given++
		if v.repair != nil && t.Kind() == webrtc.RTPCodecTypeVideo {
			v.ssrc = sender.GetParameters().Encodings[0].SSRC
		}
		v.all.Go(func() { v.runGuarded(func() { v.readFeedback(sender) }) })
	}
	if given == 0 {
		return errors.New("media: there is nothing to see or hear of what the offer asks for")
	}
	return nil
}

// requestKey has the viewer's pictures continue with a key frame.
func (v *Viewer) requestKey() {
	if v.pictures != nil {
		v.pictures.keyWanted.Store(true)
	}
}

// readFeedback reads the browser's feedback on a track until the track ends.
func (v *Viewer) readFeedback(sender *webrtc.RTPSender) {
	for {
		packets, _, err := sender.ReadRTCP()
		if err != nil {
			return
		}
		for _, p := range packets {
			switch p := p.(type) {
			case *rtcp.PictureLossIndication, *rtcp.FullIntraRequest:
				v.requestKey()
			case *rtcp.TransportLayerNack:
				v.lastLoss.Store(time.Now().Unix())
			case *rtcp.ReceiverReport: // also for packets that were reconstructed
				if slices.ContainsFunc(p.Reports, func(r rtcp.ReceptionReport) bool { return r.FractionLost > 0 }) {
					v.lastLoss.Store(time.Now().Unix())
				}
			}
		}
	}
}

// newAPI returns the API that creates the viewer's connection.
func (v *Viewer) newAPI(measure bool) (*webrtc.API, error) {
	var m webrtc.MediaEngine
	var chain interceptor.Registry
	if v.repair != nil {
		chain.Add(v.repair) // nearer to the network than the retransmissions
	}
	chain.Add(&resends{}) // before the retransmissions read the requests
	steps := []func() error{
		func() error { return m.RegisterCodec(mulawCodec(), webrtc.RTPCodecTypeAudio) },
		func() error { return webrtc.ConfigureNack(&m, &chain) },
		func() error { return webrtc.ConfigureRTCPReports(&chain) },
	}
	if v.pictures != nil {
		steps = append(steps,
			func() error { return m.RegisterCodec(v.pictures.format, webrtc.RTPCodecTypeVideo) },
			func() error {
				return m.RegisterHeaderExtension(webrtc.RTPHeaderExtensionCapability{URI: playoutURI}, webrtc.RTPCodecTypeVideo)
			})
	}
	if v.repair != nil {
		steps = append(steps, func() error { return v.repair.registerCodec(&m) })
	}
	if measure {
		steps = append(steps,
			func() error {
				return m.RegisterHeaderExtension(webrtc.RTPHeaderExtensionCapability{URI: sdp.TransportCCURI}, webrtc.RTPCodecTypeVideo)
			},
			func() error { return v.estimateBitrate(&m, &chain) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, fmt.Errorf("media: %w", err)
		}
	}
	chain.Add(&noPlayoutDelay{})
	return webrtc.NewAPI(webrtc.WithSettingEngine(v.port.settings(v.hangUp)), webrtc.WithMediaEngine(&m), webrtc.WithInterceptorRegistry(&chain)), nil
}

// estimateBitrate estimates the viewer's available bitrate from the arrival times
// of its packets (Google congestion control on transport-wide feedback).
func (v *Viewer) estimateBitrate(m *webrtc.MediaEngine, chain *interceptor.Registry) error {
	estimators, err := cc.NewInterceptor(func() (cc.BandwidthEstimator, error) {
		return gcc.NewSendSideBWE(
			gcc.SendSideBWEInitialBitrate(defaultRate),
			gcc.SendSideBWEMinBitrate(minRate),
			gcc.SendSideBWEMaxBitrate(maxRate+reservedRate),
			gcc.SendSideBWEPacer(gcc.NewNoOpPacer()),
		)
	})
	if err != nil {
		return err
	}
	estimators.OnNewPeerConnection(func(_ string, e cc.BandwidthEstimator) {
		v.availableBitrate.Store(int64(e.GetTargetBitrate()))
		e.OnTargetBitrateChange(func(bitrate int) { v.availableBitrate.Store(int64(bitrate)) })
	})
	chain.Add(estimators)
	return webrtc.ConfigureTWCCHeaderExtensionSender(m, chain)
}

// RevokeGrant ends the connections of a grant, and refuses new ones.
func (s *Broadcaster) RevokeGrant(grant string) {
	if grant == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked[grant] = true
	for _, v := range s.viewers {
		if v.Grant == grant {
			v.hangUp()
		}
	}
	if s.talker != nil && s.talker.Grant == grant {
		s.talker.hangUp()
	}
}

// mulawCodec returns G.711 mu-law, which every browser supports.
func mulawCodec() webrtc.RTPCodecParameters {
	return webrtc.RTPCodecParameters{
		RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypePCMU, ClockRate: SoundRate, Channels: 1},
		PayloadType:        pcmuPayload,
	}
}

// Trickle takes a fragment of a session description: addresses that a player learns
// after its offer. The robot contacts them only if it has a relay. It returns false
// if the fragment belongs to another connection, with another ICE user than the
// offer's.
func (v *Viewer) Trickle(fragment string) bool {
	remote := v.pc.RemoteDescription()
	if remote == nil {
		return false
	}
	for line := range strings.Lines(fragment) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "a=ice-ufrag:") && !strings.Contains(remote.SDP, line) {
			return false
		}
		if address, ok := strings.CutPrefix(line, "a="); ok && strings.HasPrefix(address, "candidate:") && v.broadcaster.cfg.Port.dialsPages() && v.dialed.Add(1) <= maxDialed {
			mid := uint16(0)
			_ = v.pc.AddICECandidate(webrtc.ICECandidateInit{Candidate: address, SDPMLineIndex: &mid}) // a wrong one is not contacted
		}
	}
	return true
}

package media

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/pion/webrtc/v3"
)

// A peer is one user's connection for pictures, sound or a voice.
type peer struct {
	ID    string // hard to guess
	Grant string // by which the person came in; "" = none was needed

	port  *Port
	onEnd func() // called when nothing of it is left
	pc    *webrtc.PeerConnection

	setUp  sync.WaitGroup // it is being made: it is not ended before
	once   sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	all    sync.WaitGroup
	ended  chan struct{}
}

// prepareConnection makes the peer ready. made has to be called once its connection is, or
// is not.
func (p *peer) prepareConnection(port *Port, grant string, left func()) (made func()) {
	p.ID, p.Grant, p.port, p.onEnd, p.ended = rand.Text(), grant, port, left, make(chan struct{})
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.setUp.Add(1)
	return p.setUp.Done
}

// answerOffer sets the connection up by an API and returns the answer to the offer.
// prepare gives it what it is for, connected is called when it is there.
func (p *peer) answerOffer(ctx context.Context, api *webrtc.API, offer string, prepare func() error, connected func()) (answer string, err error) {
	defer func() {
		if logPanic(recover(), p.port.log) {
			err = errBroken
		}
	}()
	pc, err := api.NewPeerConnection(p.port.configuration)
	if err != nil {
		return "", fmt.Errorf("media: %w", err)
	}
	p.pc = pc
	late := time.AfterFunc(openWithin, p.hangUp)
	pc.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		switch state {
		case webrtc.PeerConnectionStateConnected:
			late.Stop()
			connected()
			if bend := p.port.impairmentOf(pc); bend != nil {
				p.all.Go(func() { p.runGuarded(func() { bend(p.ctx) }) })
			}
		case webrtc.PeerConnectionStateFailed, webrtc.PeerConnectionStateClosed:
			p.hangUp()
		}
	})
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}); err != nil {
		return "", fmt.Errorf("media: the offer is not understood: %s", firstLine(err))
	}
	if err := prepare(); err != nil {
		return "", err
	}
	return createAnswer(ctx, pc, p.ctx.Done(), p.port)
}

// checkEvery is how often it is asked whether what let a person in still does.
const checkEvery = 2 * time.Second

// hangUpWhenRevoked ends it when what let the person in no longer does.
func (p *peer) hangUpWhenRevoked(holds func() bool) {
	every := time.NewTicker(checkEvery)
	defer every.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-every.C:
			if !holds() {
				p.hangUp()
				return
			}
		}
	}
}

// OpenedBy reports whether the peer came by the grant; "" = it needed none.
func (p *peer) OpenedBy(grant string) bool { return p.Grant == grant }

// Done is closed when the person is gone.
func (p *peer) Done() <-chan struct{} { return p.ctx.Done() }

// hangUp ends it and does not wait.
func (p *peer) hangUp() {
	p.once.Do(func() {
		p.cancel()
		go func() {
			defer close(p.ended)
			p.setUp.Wait()
			if p.pc != nil {
				closeConnection(p.pc)
			}
			p.all.Wait()
			p.onEnd()
		}()
	})
}

// Close ends it and waits until nothing of it is left. It may be called any
// number of times.
func (p *peer) Close() {
	p.hangUp()
	<-p.ended
}

// settleWithin is how long closeConnection waits for a connection that is being
// established; the broadcaster may take 300 ms to end.
const settleWithin = 200 * time.Millisecond

// closeConnection closes a connection and waits until its goroutines have ended. One
// that is being established is closed when it is there, or is not soon:
// ICETransport.stop of pion/webrtc 3 reads what ICETransport.Start sets at that moment.
func closeConnection(pc *webrtc.PeerConnection) {
	for end := time.Now().Add(settleWithin); pc.CurrentRemoteDescription() != nil && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if s := pc.ConnectionState(); s != webrtc.PeerConnectionStateNew && s != webrtc.PeerConnectionStateConnecting {
			break
		}
	}
	_ = pc.GracefulClose() // it is gone either way
}

// createAnswer makes the answer to the offer that a connection has, with all the
// robot's addresses that are known soon.
func createAnswer(ctx context.Context, pc *webrtc.PeerConnection, done <-chan struct{}, port *Port) (string, error) {
	answer, err := pc.CreateAnswer(nil)
	if err != nil {
		return "", fmt.Errorf("media: the offer cannot be answered: %s", firstLine(err))
	}
	gathered := webrtc.GatheringCompletePromise(pc)
	if err := pc.SetLocalDescription(answer); err != nil {
		return "", fmt.Errorf("media: the offer cannot be answered: %s", firstLine(err))
	}
	late := time.NewTimer(gatherWithin)
	defer late.Stop()
	select {
	case <-gathered:
	case <-late.C:
	case <-done:
		return "", errors.New("media: the offer cannot be answered: the connection has ended already")
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return port.withAddresses(pc.LocalDescription().SDP), nil
}

// impairmentOf returns what has the packets of a connection travel by the bad network
// until ctx ends; nil = there is none.
func (p *Port) impairmentOf(pc *webrtc.PeerConnection) func(ctx context.Context) {
	if p.impaired == nil {
		return nil
	}
	pair, err := pc.SCTP().Transport().ICETransport().GetSelectedCandidatePair()
	if err != nil || pair == nil {
		return nil
	}
	to := &net.UDPAddr{IP: net.ParseIP(pair.Remote.Address), Port: int(pair.Remote.Port)}
	return func(ctx context.Context) { p.impaired.impairAddress(ctx, to) }
}

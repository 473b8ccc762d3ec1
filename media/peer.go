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
	Grant string // of the user; "" = none was needed

	port  *Port
	onEnd func() // called when all goroutines have ended
	pc    *webrtc.PeerConnection

	setUp  sync.WaitGroup // busy while the connection is being created, which must not be ended before
	once   sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	all    sync.WaitGroup
	ended  chan struct{}

	mu       sync.Mutex
	impaired map[string]bool // addresses whose packets take the simulated network
}

// prepareConnection initializes the peer. The caller must call made once the
// connection has been created, or has failed.
func (p *peer) prepareConnection(port *Port, grant string, left func()) (made func()) {
	p.ID, p.Grant, p.port, p.onEnd, p.ended = rand.Text(), grant, port, left, make(chan struct{})
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.setUp.Add(1)
	return p.setUp.Done
}

// answerOffer creates the connection with an API and returns the answer to the
// offer. prepare adds the tracks, connected is called when the connection is
// established.
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
			p.impair(pc)
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

// checkEvery is how often the user's access is checked.
const checkEvery = 2 * time.Second

// hangUpWhenRevoked ends the connection when the user's access is no longer valid.
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

// OpenedBy reports whether the user of the grant opened the connection; "" = no
// grant was needed.
func (p *peer) OpenedBy(grant string) bool { return p.Grant == grant }

// Done is closed when the connection has ended.
func (p *peer) Done() <-chan struct{} { return p.ctx.Done() }

// hangUp ends the connection without waiting for its goroutines.
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

// Close ends the connection and waits for its goroutines. It may be called any
// number of times.
func (p *peer) Close() {
	p.hangUp()
	<-p.ended
}

// settleWithin is how long closeConnection waits for a connection that is being
// established; the broadcaster may take 300 ms to end.
const settleWithin = 200 * time.Millisecond

// closeConnection closes a connection and waits for its goroutines. A connection
// that is being established is closed when it is established, or after
// settleWithin: ICETransport.stop of pion/webrtc 3 reads what ICETransport.Start
// sets at that moment.
func closeConnection(pc *webrtc.PeerConnection) {
	for end := time.Now().Add(settleWithin); pc.CurrentRemoteDescription() != nil && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if s := pc.ConnectionState(); s != webrtc.PeerConnectionStateNew && s != webrtc.PeerConnectionStateConnecting {
			break
		}
	}
	_ = pc.GracefulClose() // it is gone either way
}

// createAnswer creates the answer to a connection's offer, with all addresses of
// the robot that become known soon.
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

// impair routes the packets of the connection through the simulated network, if there is
// one, until the connection ends. A browser that reaches the robot at several addresses may
// change to another of its own at any time.
func (p *peer) impair(pc *webrtc.PeerConnection) {
	if p.port.impaired == nil {
		return
	}
	transport := pc.SCTP().Transport().ICETransport()
	transport.OnSelectedCandidatePairChange(func(pair *webrtc.ICECandidatePair) { p.impairAddress(pair.Remote) })
	if pair, err := transport.GetSelectedCandidatePair(); err == nil && pair != nil {
		p.impairAddress(pair.Remote)
	}
}

// impairAddress does it for one address of the browser.
func (p *peer) impairAddress(of *webrtc.ICECandidate) {
	to := &net.UDPAddr{IP: net.ParseIP(of.Address), Port: int(of.Port)}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.impaired[to.String()] {
		return
	}
	if p.impaired == nil {
		p.impaired = map[string]bool{}
	}
	p.impaired[to.String()] = true
	p.all.Go(func() { p.runGuarded(func() { p.port.impaired.impairAddress(p.ctx, to) }) })
}

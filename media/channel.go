package media

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pion/webrtc/v3"
)

// Label is the name of the one data channel that a page opens. The channel must be
// unordered and without retransmissions.
const Label = "drive"

// MaxFrame is the size of the largest frame, in bytes, so that it fits into one
// datagram.
const MaxFrame = 4096

// A Channel is a page's data channel.
type Channel struct {
	port *Port
	take func(*Channel, []byte)
	pc   *webrtc.PeerConnection

	once  sync.Once
	done  chan struct{} // closed when it ends
	ended chan struct{} // closed when its goroutines have ended

	mu   sync.Mutex
	data *webrtc.DataChannel // nil = not open yet
}

// answerOffer creates the connection and returns the answer with all addresses of
// the robot.
func (c *Channel) answerOffer(ctx context.Context, offer string) (answer string, err error) {
	defer func() {
		if logPanic(recover(), c.port.log) {
			err = errBroken
		}
	}()
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(c.port.settings(c.hangUp))).NewPeerConnection(c.port.configuration)
	if err != nil {
		return "", fmt.Errorf("media: %w", err)
	}
	c.pc = pc
	late := time.AfterFunc(openWithin, c.hangUp)
	pc.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		if s == webrtc.PeerConnectionStateFailed || s == webrtc.PeerConnectionStateClosed {
			c.hangUp()
		}
	})
	pc.OnDataChannel(func(d *webrtc.DataChannel) {
		if !c.acceptDataChannel(d) {
			c.hangUp()
			return
		}
		d.OnOpen(func() { late.Stop() })
		d.OnClose(c.hangUp)
		d.OnMessage(func(m webrtc.DataChannelMessage) {
			defer func() {
				if logPanic(recover(), c.port.log) {
					c.hangUp()
				}
			}()
			if !m.IsString || len(m.Data) > MaxFrame {
				c.hangUp()
				return
			}
			select {
			case <-c.done:
			default:
				c.take(c, m.Data)
			}
		})
	})
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}); err != nil {
		return "", fmt.Errorf("media: the offer is not understood: %s", firstLine(err))
	}
	return createAnswer(ctx, pc, c.done, c.port)
}

// acceptDataChannel accepts the one data channel that a page may open.
func (c *Channel) acceptDataChannel(d *webrtc.DataChannel) bool {
	once := d.MaxRetransmits() != nil && *d.MaxRetransmits() == 0
	if d.Label() != Label || d.Ordered() || !once {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.data != nil {
		return false
	}
	c.data = d
	return true
}

// Send sends a frame, which may be lost.
func (c *Channel) Send(frame []byte) error {
	if len(frame) > MaxFrame {
		return fmt.Errorf("media: the frame has %d bytes; it should have at most %d", len(frame), MaxFrame)
	}
	c.mu.Lock()
	data := c.data
	c.mu.Unlock()
	if data == nil {
		return errors.New("media: the channel is not open")
	}
	if data.BufferedAmount() > 4*MaxFrame {
		return errors.New("media: the channel is full")
	}
	if err := data.SendText(string(frame)); err != nil {
		return fmt.Errorf("media: %w", err)
	}
	return nil
}

// Done is closed when the channel ends.
func (c *Channel) Done() <-chan struct{} { return c.done }

// hangUp ends the channel without waiting for its goroutines.
func (c *Channel) hangUp() {
	c.once.Do(func() {
		close(c.done)
		go func() {
			defer close(c.ended)
			if c.pc != nil {
				closeConnection(c.pc)
			}
			c.port.mu.Lock()
			delete(c.port.open, c)
			c.port.mu.Unlock()
		}()
	})
}

// Close ends the channel and waits for its goroutines. It may be called any number
// of times, but not from take.
func (c *Channel) Close() {
	c.hangUp()
	<-c.ended
}

package media

import (
	"net"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/pion/webrtc/v3"

	"mybot/link"
)

// A silentConn is a socket to which no one sends.
type silentConn struct {
	net.PacketConn
	closed chan struct{}
}

func (s silentConn) ReadFrom([]byte) (int, net.Addr, error) {
	<-s.closed
	return 0, nil, net.ErrClosed
}

func (s silentConn) Close() error {
	close(s.closed)
	return nil
}

// Chromium changes from one of its addresses to another where the robot names several. The
// packets of the second then passed the simulated network by.
func TestABrowserThatChangesItsAddressStaysInTheSimulatedNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newImpairedConn(silentConn{closed: make(chan struct{})}, link.NewNetwork(link.Profile{Loss: 0.5}, 1))
		p := &peer{}
		made := p.prepareConnection(&Port{impaired: conn}, "", func() {})
		made()
		impaired := func() (list []string) {
			synctest.Wait()
			conn.mu.Lock()
			defer conn.mu.Unlock()
			for at := range conn.impairments {
				list = append(list, at.String())
			}
			slices.Sort(list)
			return list
		}
		home := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}
		for _, ip := range []string{"127.0.0.1", "192.0.2.2", "127.0.0.1"} {
			p.impairAddress(&webrtc.ICECandidate{Address: ip, Port: 9})
		}
		if got := impaired(); !slices.Equal(got, []string{"127.0.0.1:9", "192.0.2.2:9"}) {
			t.Errorf("the simulated network has the packets of %v", got)
		}
		before := conn.impairmentTo(home)
		p.impairAddress(&webrtc.ICECandidate{Address: "127.0.0.1", Port: 9})
		if impaired(); conn.impairmentTo(home) != before {
			t.Error("an address that comes back begins a network anew")
		}
		p.Close()
		if got := impaired(); len(got) > 0 {
			t.Errorf("after its end the simulated network has the packets of %v", got)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
}

package media

import (
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A letterbox is a socket with packets from addresses.
type letterbox struct {
	net.PacketConn
	from []string
}

func (l *letterbox) ReadFrom([]byte) (int, net.Addr, error) {
	if len(l.from) == 0 {
		return 0, nil, net.ErrClosed
	}
	from, err := net.ResolveUDPAddr("udp", l.from[0])
	l.from = l.from[1:]
	return 0, from, err
}

func TestASocketOfThisComputerHearsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := []string{"127.0.0.1/8", "192.0.2.2/24"}
		box := &letterbox{}
		conn := &localConn{PacketConn: box, list: func() (all []net.Addr, err error) {
			for _, text := range own {
				ip, network, err := net.ParseCIDR(text)
				if err != nil {
					return nil, err
				}
				all = append(all, &net.IPNet{IP: ip, Mask: network.Mask})
			}
			return all, nil
		}}
		hear := func(want ...string) {
			t.Helper()
			box.from = []string{"192.0.2.3:9", "127.0.0.1:9", "192.0.2.2:9", "198.51.100.7:9", "[::1]:9", "[2001:db8::1]:9"}
			var heard []string
			for {
				_, from, err := conn.ReadFrom(nil)
				if err != nil {
					break
				}
				heard = append(heard, from.String())
			}
			if !slices.Equal(heard, want) {
				t.Errorf("with the addresses %v it hears %v, want %v", own, heard, want)
			}
		}
		hear("127.0.0.1:9", "192.0.2.2:9", "[::1]:9")
		own[1] = "198.51.100.7/24" // the computer is in another network now
		time.Sleep(2 * time.Second)
		hear("127.0.0.1:9", "198.51.100.7:9", "[::1]:9")
	})
}

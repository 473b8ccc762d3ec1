package media

import (
	"bufio"
	"bytes"
	"net"
	"testing"

	"github.com/pion/stun"
	"github.com/pion/turn/v2"
)

// FuzzRelay lets a TURN client read what a hostile server sends by a stream, as far as it
// passes the screening.
func FuzzRelay(f *testing.F) {
	data := stun.MustBuild(stun.NewType(stun.MethodData, stun.ClassIndication), stun.RawAttribute{Type: stun.AttrXORPeerAddress, Value: []byte{0, 1, 1, 2, 3, 4, 5, 6}}, stun.RawAttribute{Type: stun.AttrData, Value: []byte("x")})
	answer := stun.MustBuild(stun.NewType(stun.MethodAllocate, stun.ClassErrorResponse), stun.CodeUnauthorized, stun.NewRealm("r"), stun.NewNonce("n"))
	for _, m := range []*stun.Message{data, answer} {
		f.Add(m.Raw)
		f.Add(append([]byte{0x40, 0, 0, 1, 'x', 0, 0, 0}, m.Raw...))
	}
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = socket.Close() })
	server := socket.LocalAddr()
	client, err := turn.NewClient(&turn.ClientConfig{Conn: socket, STUNServerAddr: server.String(), TURNServerAddr: server.String()})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		for in := bufio.NewReader(bytes.NewReader(stream)); ; {
			message, err := nextMessage(in)
			if err != nil {
				return
			}
			if len(message) == 0 || len(message) > len(stream) {
				t.Fatalf("a message of %d bytes in a stream of %d", len(message), len(stream))
			}
			if !isSound(message) {
				continue
			}
			_, _ = client.HandleInbound(message, server)
			m := stun.Message{Raw: message}
			if m.Decode() != nil {
				continue // channel data
			}
			for _, a := range []stun.Getter{&stun.XORMappedAddress{}, &stun.MappedAddress{}, &stun.ErrorCodeAttribute{}, &stun.Realm{}, &stun.Nonce{}, &stun.OtherAddress{}, &stun.ResponseOrigin{}, &stun.AlternateServer{}} {
				_ = a.GetFrom(&m)
			}
		}
	})
}

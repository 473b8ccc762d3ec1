// Package mediatest has what tests need beside a robot's media.
package mediatest

import (
	"io"
	"net"
	"testing"

	"github.com/pion/logging"
	"github.com/pion/turn/v2"

	"mybot/media"
)

// Relay returns a TURN server on loopback that runs until the test ends.
func Relay(t testing.TB) media.Relay {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := turn.NewServer(turn.ServerConfig{
		Realm:         "robot.example",
		LoggerFactory: &logging.DefaultLoggerFactory{Writer: io.Discard},
		AuthHandler: func(user, realm string, _ net.Addr) ([]byte, bool) {
			return turn.GenerateAuthKey(user, realm, "secret"), user == "mybot"
		},
		PacketConnConfigs: []turn.PacketConnConfig{{
			PacketConn:            conn,
			RelayAddressGenerator: &turn.RelayAddressGeneratorStatic{RelayAddress: net.IPv4(127, 0, 0, 1), Address: "127.0.0.1"},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	relay, err := media.ParseRelay("turn:mybot:secret@" + conn.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	return relay
}

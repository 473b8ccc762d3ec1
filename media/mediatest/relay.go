// Package mediatest helps tests of the robot's media.
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
	relay, _, _ := RelayServer(t)
	return relay
}

// RelayServer returns a TURN server on loopback that runs until the test ends,
// its socket, and the addresses of its clients, each at least once.
func RelayServer(t testing.TB) (relay media.Relay, socket net.PacketConn, clients <-chan net.Addr) {
	t.Helper()
	came := make(chan net.Addr, 64)
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := turn.NewServer(turn.ServerConfig{
		Realm:         "robot.example",
		LoggerFactory: &logging.DefaultLoggerFactory{Writer: io.Discard},
		AuthHandler: func(user, realm string, from net.Addr) ([]byte, bool) {
			select {
			case came <- from:
			default:
			}
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
	if relay, err = media.ParseRelay("turn:mybot:secret@" + conn.LocalAddr().String()); err != nil {
		t.Fatal(err)
	}
	return relay, conn, came
}

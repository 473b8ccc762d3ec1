package media_test

import (
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/stun"

	"mybot/media"
)

// attribute returns the value of a description's first attribute of that name.
func attribute(description, name string) string {
	_, rest, _ := strings.Cut(description, "a="+name+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// The ICE agent keeps each address from which its user asks, and compares every new one
// with all of them: after 16,000 a datagram costs milliseconds.
func TestABrowserReachesItsConnectionFromAFewAddresses(t *testing.T) {
	port := listen(t)
	got := make(chan string, 1)
	p := newPage(t, media.Label, nil)
	offer := p.offer()
	_, answer, err := port.AnswerOffer(t.Context(), offer, func(_ *media.Channel, frame []byte) { got <- string(frame) })
	if err != nil {
		t.Fatal(err)
	}
	p.answered(answer)
	wait(t, "the open channel", p.open)

	user := stun.NewUsername(attribute(answer, "ice-ufrag") + ":" + attribute(offer, "ice-ufrag"))
	password := stun.NewShortTermIntegrity(attribute(answer, "ice-pwd"))
	var answered atomic.Int32
	var all sync.WaitGroup
	for range 200 {
		socket, err := net.DialUDP("udp4", nil, &net.UDPAddr{IP: loopback.IP, Port: port.Addr().Port})
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		request, err := stun.Build(stun.BindingRequest, stun.TransactionID, user, password, stun.Fingerprint)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := socket.Write(request.Raw); err != nil {
			t.Fatal(err)
		}
		_ = socket.SetReadDeadline(time.Now().Add(time.Second))
		all.Go(func() {
			if _, err := socket.Read(make([]byte, 1500)); err == nil {
				answered.Add(1)
			}
		})
	}
	all.Wait()
	// A few more are admitted while answers are on their way.
	if n := answered.Load(); n == 0 || n > 80 {
		t.Errorf("of 200 addresses of one browser %d are answered, want some, and about 64 at most", n)
	}
	p.send("from the first address")
	if frame := wait(t, "the frame", got); frame != "from the first address" {
		t.Errorf("%q came", frame)
	}
}

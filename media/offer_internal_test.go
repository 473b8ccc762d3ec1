package media

import (
	"strings"
	"testing"
)

func TestARobotThatCallsDoesNotCallWhomeverAnOfferNames(t *testing.T) {
	const rest = "a=ice-ufrag:9uB6\r\na=ice-pwd:9f0kYgD2uM5rjQz7aV3c1XyE\r\na=fingerprint:sha-256 7B\r\na=setup:actpass\r\na=mid:0\r\n"
	many := strings.Repeat("a=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\n", 60)
	for _, calls := range []bool{false, true} {
		want := 0
		if calls {
			want = maxDialed
		}
		for name, check := range map[string]func() (string, error){
			"media": func() (string, error) {
				return checkMedia("v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n"+many+rest, "recvonly", "receive", calls, "video")
			},
			"channel": func() (string, error) {
				return checkOffer("v=0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n"+many+rest, calls)
			},
		} {
			kept, err := check()
			if got := strings.Count(kept, "a=candidate:"); err != nil || got != want {
				t.Errorf("%s, calls %v: %d addresses remain, want %d (%v)", name, calls, got, want, err)
			}
		}
	}
}

func TestTheDirectionOfAnOfferIsThatOfItsMedia(t *testing.T) {
	const session, rest = "v=0\r\no=mozilla...THIS_IS_SDPARTA-99.0 1 0 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n", "a=ice-ufrag:9uB6\r\na=ice-pwd:9f0kYgD2uM5rjQz7aV3c1XyE\r\na=fingerprint:sha-256 7B\r\n"
	const video, audio = "m=video 9 UDP/TLS/RTP/SAVPF 96\r\n", "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\n"
	for _, c := range []struct{ name, offer, want string }{
		{"as Firefox writes it", session + "a=sendrecv\r\n" + video + "a=recvonly\r\n" + rest + audio + "a=recvonly\r\n" + rest, ""},
		{"the first sends", session + video + "a=sendrecv\r\n" + rest, "line 6 of the offer says sendrecv; one who wants to receive says recvonly"},
		{"the second sends", session + video + "a=recvonly\r\n" + rest + audio + "a=sendonly\r\n" + rest, "says sendonly; one who wants to receive says recvonly"},
	} {
		_, err := checkMedia(c.offer, "recvonly", "receive", false, "video", "audio")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

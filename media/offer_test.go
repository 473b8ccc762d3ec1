package media_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mybot/media"
)

// offer is Chromium's offer for the drive channel.
const offer = "v=0\r\no=- 4611731400430051336 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\na=extmap-allow-mixed\r\na=msid-semantic: WMS\r\n" +
	"m=application 43123 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\n" +
	"a=candidate:1 1 udp 2113937151 4f5b2c1e-0001-4ad0-9d2b-0c9c1f0f9f55.local 43123 typ host generation 0 network-cost 999\r\n" +
	"a=ice-ufrag:9uB6\r\na=ice-pwd:9f0kYgD2uM5rjQz7aV3c1XyE\r\na=ice-options:trickle\r\n" +
	"a=fingerprint:sha-256 7B:8B:F0:65:5F:78:E2:51:3B:AC:6F:F3:3F:46:1B:35:DC:B8:5F:64:1A:24:C2:43:F0:A1:58:D0:A1:2C:19:08\r\n" +
	"a=setup:actpass\r\na=mid:0\r\na=sctp-port:5000\r\na=max-message-size:262144\r\n"

func TestABrowsersOfferIsAnswered(t *testing.T) {
	if _, _, err := listen(t).AnswerOffer(t.Context(), offer, func(*media.Channel, []byte) {}); err != nil {
		t.Error(err)
	}
}

func TestABadOfferSaysWhatIsWrong(t *testing.T) {
	port := listen(t)
	for _, c := range []struct{ name, offer, want string }{
		{"nothing", "", "v=0"},
		{"words", "hello", "v=0"},
		{"too long", "v=0\n" + strings.Repeat("a=x:"+strings.Repeat("y", 100)+"\n", 100), "at most 8192"},
		{"too many lines", "v=0\n" + strings.Repeat("a=x\n", 500), "at most 128"},
		{"a line that is none", "v=0\r\nmedia\r\n", "line 2"},
		{"a camera", strings.Replace(offer, "m=application 43123 UDP/DTLS/SCTP webrtc-datachannel", "m=video 9 UDP/TLS/RTP/SAVPF 96", 1), "only a data channel"},
		{"a camera too", offer + "m=video 9 UDP/TLS/RTP/SAVPF 96\r\n", "only a data channel"},
		{"two of them", offer + "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n", "2 kinds"},
		{"no media", "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n", "0 kinds"},
		{"no fingerprint", strings.Replace(offer, "a=fingerprint", "a=finger", 1), "a=fingerprint"},
		{"no password", strings.Replace(offer, "a=ice-pwd", "a=ice-pd", 1), "a=ice-pwd"},
		{"two names", offer + "a=ice-ufrag:9uB7\r\n", "ice-ufrag again"},
		{"not a description", strings.Replace(offer, "t=0 0", "t=when", 1), "not understood"},
		{"a fingerprint that is none", strings.Replace(offer, "sha-256 7B:8B", "sha-256", 1), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			channel, _, err := port.AnswerOffer(t.Context(), c.offer, func(*media.Channel, []byte) {})
			if c.want == "" { // it is valid, but no page can prove it: the handshake never ends
				if err == nil {
					channel.Close()
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v, want %q", err, c.want)
			}
			if err != nil && strings.ContainsRune(err.Error(), '\n') {
				t.Errorf("it says more than a sentence: %v", err)
			}
		})
	}
	if n := port.CountChannels(); n != 0 {
		t.Errorf("%d channels are open after bad offers", n)
	}
}

func FuzzOffer(f *testing.F) {
	f.Add(offer)
	f.Add(strings.Replace(offer, "sctp-port:5000", "sctp-port:99999999999999999999", 1))
	f.Add(strings.Replace(offer, "a=group:BUNDLE 0", "a=group:BUNDLE", 1))
	f.Add(strings.Replace(offer, "c=IN IP4 0.0.0.0", "c=IN", 1))
	f.Add(strings.ReplaceAll(offer, "\r\n", "\n"))
	port, err := media.Listen(loopback, media.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = port.Close() })
	f.Fuzz(func(t *testing.T, offer string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c, answer, err := port.AnswerOffer(ctx, offer, func(*media.Channel, []byte) {})
		if errors.Is(err, context.DeadlineExceeded) {
			t.Error("the offer was not answered")
		}
		if err != nil {
			return
		}
		if !strings.HasPrefix(answer, "v=0") {
			t.Errorf("the answer to a good offer is %q", answer)
		}
		c.Close()
	})
}

package media

import (
	"fmt"
	"strings"
)

// Bounds of an offer.
const (
	mostOffer = 8 << 10 // bytes; a browser's own is below 2 KiB
	mostLines = 128
)

// checkOffer returns the offer of one data channel and nothing else, without
// the addresses that it names: the robot does not send to them. The error is a
// sentence.
func checkOffer(offer string) (string, error) {
	if len(offer) > mostOffer {
		return "", fmt.Errorf("the offer has %d bytes; it should have at most %d", len(offer), mostOffer)
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(offer, "\r\n", "\n"), "\n"), "\n")
	if len(lines) > mostLines {
		return "", fmt.Errorf("the offer has %d lines; it should have at most %d", len(lines), mostLines)
	}
	if lines[0] != "v=0" {
		return "", fmt.Errorf("the offer does not begin with v=0; it should be a session description (RFC 8866)")
	}
	var kept strings.Builder
	media := 0
	has := map[string]bool{}
	for i, line := range lines {
		if len(line) < 2 || line[1] != '=' {
			return "", fmt.Errorf("line %d of the offer has no letter and =; each line should begin so", i+1)
		}
		name, value, _ := strings.Cut(line[2:], ":")
		switch {
		case line[0] == 'm':
			media++
			if !strings.HasPrefix(line, "m=application ") || !strings.HasSuffix(line, " UDP/DTLS/SCTP webrtc-datachannel") {
				return "", fmt.Errorf("line %d of the offer asks for %q; only a data channel is offered here", i+1, clip(line))
			}
		case line[0] == 'a' && (name == "candidate" || name == "end-of-candidates" || name == "ice-options"):
			continue
		case line[0] == 'a':
			if once := name == "ice-ufrag" || name == "ice-pwd" || name == "fingerprint" || name == "setup" || name == "sctp-port"; once && has[name] {
				return "", fmt.Errorf("line %d of the offer says %s again; it should say it once", i+1, name)
			}
			has[name] = has[name] || value != ""
		}
		kept.WriteString(line)
		kept.WriteString("\r\n")
	}
	if media != 1 {
		return "", fmt.Errorf("the offer is for %d kinds of media; it should be for one data channel", media)
	}
	for _, name := range []string{"ice-ufrag", "ice-pwd", "fingerprint", "setup", "mid"} {
		if !has[name] {
			return "", fmt.Errorf("the offer has no a=%s; a browser's has one", name)
		}
	}
	return kept.String(), nil
}

// clip shortens what a page sent before it is said back.
func clip(s string) string {
	const most = 60
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

package media

import (
	"fmt"
	"slices"
	"strings"

	"mybot/strictjson"
)

// Limits of an offer.
const (
	maxOffer = 8 << 10 // bytes; a browser's is below 2 KiB
	maxLines = 128

	maxMediaOffer      = 32 << 10 // for media; browsers list many codecs
	maxMediaOfferLines = 512

	maxDialed = 32 // addresses of a page that a robot with a relay contacts
)

// linesOf splits an offer into lines. The error is a sentence.
func linesOf(offer string, maxBytes, maxLines int) ([]string, error) {
	if len(offer) > maxBytes {
		return nil, fmt.Errorf("the offer has %d bytes; it should have at most %d", len(offer), maxBytes)
	}
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(offer, "\r\n", "\n"), "\n"), "\n")
	if len(lines) > maxLines {
		return nil, fmt.Errorf("the offer has %d lines; it should have at most %d", len(lines), maxLines)
	}
	if lines[0] != "v=0" {
		return nil, fmt.Errorf("the offer does not begin with v=0; it should be a session description (RFC 8866)")
	}
	for i, line := range lines {
		if len(line) < 2 || line[1] != '=' {
			return nil, fmt.Errorf("line %d of the offer has no letter and =; each line should begin so", i+1)
		}
	}
	return lines, nil
}

// isDropped reports whether an attribute of an offer is dropped before the robot
// reads the offer: all addresses of the page, or, if the robot contacts them
// (calls), those beyond the limit. called counts the contacted ones.
func isDropped(name string, calls bool, called *int) bool {
	switch name {
	case "end-of-candidates", "ice-options":
		return !calls
	case "candidate":
		*called++
		return !calls || *called > maxDialed
	}
	return false
}

// checkMedia returns an offer with these kinds of media in one direction, at most
// one of each, and without the page's addresses unless the robot contacts them. The
// error is a sentence.
func checkMedia(offer, direction, verb string, calls bool, kinds ...string) (string, error) {
	lines, err := linesOf(offer, maxMediaOffer, maxMediaOfferLines)
	if err != nil {
		return "", err
	}
	var filtered strings.Builder
	seen := map[string]bool{}
	called := 0
	for i, line := range lines {
		name, _, _ := strings.Cut(line[2:], ":")
		switch {
		case line[0] == 'm':
			kind, _, _ := strings.Cut(line[2:], " ")
			if !slices.Contains(kinds, kind) || seen[kind] {
				return "", fmt.Errorf("line %d of the offer asks for %q; it should ask for %s, once", i+1, clipText(line), strings.Join(kinds, " or "))
			}
			seen[kind] = true
		case line[0] != 'a':
		case isDropped(name, calls, &called):
			continue
		case len(seen) > 0 && slices.Contains([]string{"sendrecv", "sendonly", "recvonly"}, name) && name != direction:
			// Before the first medium it would be the default of media that say nothing
			// (RFC 8866 6.7); Firefox always writes a=sendrecv there.
			return "", fmt.Errorf("line %d of the offer says %s; one who wants to %s says %s", i+1, name, verb, direction)
		}
		filtered.WriteString(line)
		filtered.WriteString("\r\n")
	}
	if len(seen) == 0 {
		return "", fmt.Errorf("the offer is for no media; it should be for %s", strings.Join(kinds, " or "))
	}
	for _, name := range []string{"a=ice-ufrag:", "a=ice-pwd:", "a=fingerprint:"} {
		if !strings.Contains(offer, "\n"+name) {
			return "", fmt.Errorf("the offer has no %s; a browser's has one", strings.TrimSuffix(name, ":"))
		}
	}
	return filtered.String(), nil
}

// checkOffer returns an offer of exactly one data channel, without the page's
// addresses unless the robot contacts them. The error is a sentence.
func checkOffer(offer string, calls bool) (string, error) {
	lines, err := linesOf(offer, maxOffer, maxLines)
	if err != nil {
		return "", err
	}
	var filtered strings.Builder
	media, called := 0, 0
	has := map[string]bool{}
	for i, line := range lines {
		name, value, _ := strings.Cut(line[2:], ":")
		switch {
		case line[0] == 'm':
			media++
			if !strings.HasPrefix(line, "m=application ") || !strings.HasSuffix(line, " UDP/DTLS/SCTP webrtc-datachannel") {
				return "", fmt.Errorf("line %d of the offer asks for %q; only a data channel is offered here", i+1, clipText(line))
			}
		case line[0] == 'a' && isDropped(name, calls, &called):
			continue
		case line[0] == 'a':
			if once := name == "ice-ufrag" || name == "ice-pwd" || name == "fingerprint" || name == "setup" || name == "sctp-port"; once && has[name] {
				return "", fmt.Errorf("line %d of the offer says %s again; it should say it once", i+1, name)
			}
			has[name] = has[name] || value != ""
		}
		filtered.WriteString(line)
		filtered.WriteString("\r\n")
	}
	if media != 1 {
		return "", fmt.Errorf("the offer is for %d kinds of media; it should be for one data channel", media)
	}
	for _, name := range []string{"ice-ufrag", "ice-pwd", "fingerprint", "setup", "mid"} {
		if !has[name] {
			return "", fmt.Errorf("the offer has no a=%s; a browser's has one", name)
		}
	}
	return filtered.String(), nil
}

// clipText shortens text of a page for a quotation.
func clipText(s string) string { return strictjson.Clip(s, 60) }

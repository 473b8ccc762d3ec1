package handlers

import (
	"fmt"
	"regexp"
	"strings"
)

// Web pages can make a browser send text to a port of this computer: requests of HTTP and
// handshakes of TLS with chosen paths, headers and bodies. A connection that begins like one
// is closed, and none of it is carried out.
var (
	httpLine = regexp.MustCompile(`(?i) HTTP/\d`)                                                     // a whole first line
	httpHead = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+ +(/[^ ]|[A-Za-z][A-Za-z0-9+.-]*://)") // its beginning, with a path that may hold anything
)

// maxFirst is how many bytes may arrive before the protocol of a connection is known.
const maxFirst = 4 << 10

// foreignProtocol returns the name of the protocol of which a text is the first line; "" =
// it may be one of scripts. isEnough reports whether enough of it has arrived to know.
func foreignProtocol(text string) (name string, isEnough bool) {
	line, _, isWhole := strings.Cut(text, "\n")
	if strings.HasPrefix(text, "\x16") {
		return "TLS", true
	}
	for i := range len(line) {
		if c := line[i]; c < ' ' && c != '\t' && c != '\r' || c == 0x7f {
			return "binary data", true
		}
	}
	if httpHead.MatchString(line) || httpLine.MatchString(line) {
		return "HTTP", true
	}
	return "", isWhole || strings.ContainsAny(line, ";,")
}

func foreignError(protocol string) error {
	return refusedError(fmt.Sprintf("This port is for scripts and does not understand %s; none of it was carried out.", protocol))
}

// A loginState says whether a text begins with a login.
type loginState int

const (
	loginMissing    loginState = iota
	loginIncomplete            // it may be one when more has arrived
	loginFound
)

// maxLogin is the longest login in bytes.
const maxLogin = 512

var (
	loginCommand   = regexp.MustCompile(`^login\s*\(\s*"([^"\\]*)"\s*\)\s*[;,]`)
	loginBeginning = regexp.MustCompile(`^login\s*(\(\s*("[^"\\]*("\s*(\)\s*)?)?)?)?$`)
)

// cutLogin reads a login("TOKEN"); at the beginning of a text.
func cutLogin(text string) (token, rest string, state loginState) {
	if m := loginCommand.FindStringSubmatchIndex(text); m != nil && m[1] <= maxLogin {
		return text[m[2]:m[3]], text[m[1]:], loginFound
	}
	if len(text) < maxLogin && (strings.HasPrefix("login", text) || loginBeginning.MatchString(text)) {
		return "", "", loginIncomplete
	}
	return "", "", loginMissing
}

package app

import (
	"fmt"
	"strings"
)

// TLS is the source of the robot's certificate.
type TLS struct {
	Self      bool   // an authority of the robot's own, in the data directory
	Cert, Key string // PEM files; the certificate's file may include the chain
}

// ParseTLS parses "self" or "cert.pem,key.pem"; "" is plain http.
func ParseTLS(text string) (TLS, error) {
	switch cert, key, two := strings.Cut(text, ","); {
	case text == "":
		return TLS{}, nil
	case text == "self":
		return TLS{Self: true}, nil
	case two && cert != "" && key != "" && !strings.Contains(key, ","):
		return TLS{Cert: cert, Key: key}, nil
	default:
		return TLS{}, fmt.Errorf("it is %q, but should be self, or two files as in cert.pem,key.pem", text)
	}
}

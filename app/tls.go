package app

import (
	"fmt"
	"strings"
)

// TLS says where the robot's certificate comes from.
type TLS struct {
	Self      bool   // from an authority of the robot's own, in the data directory
	Cert, Key string // files in PEM; the certificate's file may hold the chain after it
}

// ParseTLS reads "self" or "cert.pem,key.pem"; "" is plain http.
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

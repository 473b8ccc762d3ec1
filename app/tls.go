package app

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
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

// SplitHosts parts hosts into those that the authority can vouch for and those
// outside its constraints, of which one alone would spoil a certificate.
func (a *Authority) SplitHosts(hosts []string) (good, others []string) {
	for _, host := range hosts {
		within := false
		if ip := net.ParseIP(host); ip != nil {
			within = slices.ContainsFunc(a.cert.PermittedIPRanges, func(n *net.IPNet) bool { return n.Contains(ip) })
		} else {
			within = slices.ContainsFunc(a.cert.PermittedDNSDomains, func(domain string) bool {
				return host == domain || strings.HasSuffix(host, "."+domain)
			})
		}
		switch {
		case within && !slices.Contains(good, host):
			good = append(good, host)
		case !within:
			others = append(others, host)
		}
	}
	return good, others
}

// Expiry returns when the certificate of two files ends. The error is a sentence.
func Expiry(cert, key string) (time.Time, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return time.Time{}, fmt.Errorf("the certificate cannot be used: %w", err)
	}
	return pair.Leaf.NotAfter, nil
}

// A FilePair is a pair of files that is read again when one of them has
// changed.
type FilePair struct {
	cert, key string
	log       *slog.Logger

	mu    sync.Mutex
	pair  tls.Certificate
	stamp [2]time.Time
}

func OpenFilePair(cert, key string, log *slog.Logger) (*FilePair, error) {
	c := &FilePair{cert: cert, key: key, log: log}
	if err := c.read(); err != nil {
		return nil, fmt.Errorf("--tls %s,%s: %w", cert, key, err)
	}
	if until := c.pair.Leaf.NotAfter; time.Now().After(until) {
		return nil, fmt.Errorf("--tls %s,%s: the certificate expired on %s; renew it", cert, key, until.Format(time.DateOnly))
	}
	return c, nil
}

// read reads the files when they are newer than what was read. What cannot be
// read changes nothing.
func (c *FilePair) read() error {
	var stamp [2]time.Time
	for i, path := range []string{c.cert, c.key} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		stamp[i] = info.ModTime()
	}
	if stamp == c.stamp {
		return nil
	}
	c.stamp = stamp // a fault is told once for each change
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.pair = pair
	return nil
}

func (c *FilePair) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if err := c.read(); err != nil {
				c.log.Warn("the new certificate cannot be used; the old one stays in use", "error", err)
			}
			pair := c.pair
			return &pair, nil
		},
	}
}

// Trust returns what a client on this computer needs to know the certificate:
// PEM to trust and a name in it.
func (c *FilePair) Trust() (roots, name string) {
	var out strings.Builder
	for _, der := range c.pair.Certificate {
		_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: der}) // a Builder takes everything
	}
	leaf := c.pair.Leaf
	switch {
	case len(leaf.DNSNames) > 0:
		name = leaf.DNSNames[0]
	case len(leaf.IPAddresses) > 0:
		name = leaf.IPAddresses[0].String()
	}
	return out.String(), name
}

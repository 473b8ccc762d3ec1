package certs

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
)

// FindExpiry returns when the certificate in the two files expires. The error is a
// sentence.
func FindExpiry(cert, key string) (time.Time, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return time.Time{}, fmt.Errorf("the certificate cannot be used: %w", err)
	}
	return pair.Leaf.NotAfter, nil
}

// A FilePair is a certificate and its key in two files, which are read again when
// one of them changes.
type FilePair struct {
	cert, key string
	log       *slog.Logger

	mu    sync.Mutex
	pair  tls.Certificate
	stamp [2]time.Time
}

// OpenFilePair reads the files of a certificate, with the chain after it, and of
// its key, both in PEM. The error is a sentence.
func OpenFilePair(cert, key string, log *slog.Logger) (*FilePair, error) {
	f := &FilePair{cert: cert, key: key, log: log}
	if err := f.readFiles(); err != nil {
		return nil, fmt.Errorf("--tls %s,%s: %w", cert, key, err)
	}
	if until := f.pair.Leaf.NotAfter; time.Now().After(until) {
		return nil, fmt.Errorf("--tls %s,%s: the certificate expired on %s; renew it", cert, key, until.Format(time.DateOnly))
	}
	return f, nil
}

// readFiles reads the files if they are newer than what was read. Unreadable files
// change nothing.
func (f *FilePair) readFiles() error {
	var stamp [2]time.Time
	for i, path := range []string{f.cert, f.key} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		stamp[i] = info.ModTime()
	}
	if stamp == f.stamp {
		return nil
	}
	f.stamp = stamp // an error is logged once per change
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return err
	}
	f.pair = pair
	return nil
}

// TLSConfig returns a TLS configuration that always has the newest certificate.
func (f *FilePair) TLSConfig() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if err := f.readFiles(); err != nil {
				f.log.Warn("the new certificate cannot be used; the old one stays in use", "error", err)
			}
			pair := f.pair
			return &pair, nil
		},
	}
}

// Trust returns what a client on this computer needs to verify the certificate: PEM
// to trust and a name in it.
func (f *FilePair) Trust() (roots, name string) {
	var out strings.Builder
	for _, der := range f.pair.Certificate {
		_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: der}) // a Builder accepts everything
	}
	leaf := f.pair.Leaf
	switch {
	case len(leaf.DNSNames) > 0:
		name = leaf.DNSNames[0]
	case len(leaf.IPAddresses) > 0:
		name = leaf.IPAddresses[0].String()
	}
	return out.String(), name
}

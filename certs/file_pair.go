package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"os"
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
// one of them changes. Programs on this computer have a certificate of their own, so
// that they reach the server after a change, and after the files have expired.
type FilePair struct {
	cert, key string
	log       *slog.Logger
	own       *tls.Certificate // for programs on this computer

	mu    sync.Mutex
	pair  tls.Certificate
	stamp [2]time.Time
}

// OpenFilePair reads the files of a certificate, with the chain after it, and of
// its key, both in PEM. The error is a sentence.
func OpenFilePair(cert, key string, log *slog.Logger) (*FilePair, error) {
	own, err := newOwn()
	if err != nil {
		return nil, fmt.Errorf("certs: %w", err)
	}
	f := &FilePair{cert: cert, key: key, log: log, own: own}
	if err := f.readFiles(); err != nil {
		return nil, fmt.Errorf("--tls %s,%s: %w", cert, key, err)
	}
	if until := f.pair.Leaf.NotAfter; time.Now().After(until) {
		return nil, fmt.Errorf("--tls %s,%s: the certificate expired on %s; renew it", cert, key, until.Format(time.DateOnly))
	}
	return f, nil
}

// readFiles reads the files if their times have changed. Unreadable files change nothing, and
// the error is returned once: strangers cause a call each time that they connect.
func (f *FilePair) readFiles() error {
	var stamp [2]time.Time // zero = missing
	var missing error
	for i, path := range []string{f.cert, f.key} {
		info, err := os.Stat(path)
		if err != nil {
			missing = errors.Join(missing, err)
			continue
		}
		stamp[i] = info.ModTime()
	}
	if stamp == f.stamp && f.pair.Leaf != nil {
		return nil
	}
	f.stamp = stamp
	if missing != nil {
		return missing
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return err
	}
	f.pair = pair
	return nil
}

// ownName is the name in the certificate for programs on this computer. No other
// server has a name that ends in .invalid.
const ownName = "this-computer.mybot.invalid"

// newOwn returns a certificate for programs on this computer. It has no end, and its
// key is in memory only.
func newOwn() (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: newSerial(),
		Subject:      pkix.Name{CommonName: ownName},
		DNSNames:     []string{ownName},
		NotBefore:    time.Unix(0, 0), // a robot's clock may be wrong
		NotAfter:     time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// TLSConfig returns a TLS configuration that always has the newest certificate.
func (f *FilePair) TLSConfig() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.ServerName == ownName {
				return f.own, nil
			}
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

// Trust returns what a program on this computer needs to verify the server: PEM to
// trust, and the name to ask for. They stay valid whatever becomes of the files.
func (f *FilePair) Trust() (roots, name string) {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.own.Certificate[0]})), ownName
}

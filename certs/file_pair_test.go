package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// issue writes a certificate for name and its key into dir.
func issue(t *testing.T, dir, name string, until time.Time) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: newSerial(), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	pkcs, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: pkcs}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestACertificateThatWasRenewedIsUsedAtOnce(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	cert, key := issue(t, dir, "first.example", time.Now().Add(time.Hour))
	c, err := OpenFilePair(cert, key, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	name := func() string {
		t.Helper()
		pair, err := c.TLSConfig().GetCertificate(&tls.ClientHelloInfo{})
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf.DNSNames[0]
	}
	touch := func(later time.Duration) {
		t.Helper()
		for _, path := range []string{cert, key} {
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(later)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := name(); got != "first.example" {
		t.Errorf("it is for %q", got)
	}
	issue(t, dir, "second.example", time.Now().Add(time.Hour))
	touch(time.Minute)
	if got := name(); got != "second.example" {
		t.Errorf("after it was renewed it is for %q", got)
	}
	if err := os.WriteFile(cert, []byte("half a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	touch(2 * time.Minute)
	for range 3 {
		if got := name(); got != "second.example" {
			t.Errorf("while it is written it is for %q", got)
		}
	}
	if n := strings.Count(log.String(), "the old one stays"); n != 1 {
		t.Errorf("the log reports it %d times", n)
	}
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := name(); got != "second.example" {
			t.Errorf("while it is missing it is for %q", got)
		}
	}
	if n := strings.Count(log.String(), "the old one stays"); n != 2 { // one of them for half a file
		t.Errorf("of a missing file the log reports %d times: %s", n, log.String())
	}
	issue(t, dir, "third.example", time.Now().Add(time.Hour))
	if got := name(); got != "third.example" {
		t.Errorf("after it was missing it is for %q", got)
	}
	for _, pair := range [][2]string{{cert, key + "x"}, {cert + "x", key}, {cert + "x", key + "x"}} {
		if _, err := OpenFilePair(pair[0], pair[1], slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "pemx") {
			t.Errorf("without a file it was answered %v", err)
		}
	}
	issue(t, dir, "late.example", time.Now().Add(-time.Minute))
	if _, err := OpenFilePair(cert, key, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "expired on") {
		t.Errorf("an expired one was answered %v", err)
	}
}

// The command line on the robot's computer stops the robot also when the certificate
// was renewed since the start, is damaged, missing, or has expired.
func TestAProgramOnThisComputerTrustsTheServerWhateverBecomesOfItsCertificate(t *testing.T) {
	dir := t.TempDir()
	cert, key := issue(t, dir, "first.example", time.Now().Add(time.Hour))
	f, err := OpenFilePair(cert, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	roots, name := f.Trust()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(roots)) {
		t.Fatalf("there is nothing to trust in %q", roots)
	}
	stamp := time.Now()
	greet := func(what string, hello *tls.Config) error {
		t.Helper()
		stamp = stamp.Add(time.Minute)
		for _, path := range []string{cert, key} {
			if err := os.Chtimes(path, time.Time{}, stamp); err != nil && what != "missing" {
				t.Fatal(err)
			}
		}
		here, there := net.Pipe()
		defer here.Close()  // it is a pipe
		defer there.Close() // it is a pipe
		served := make(chan error, 1)
		go func() { served <- tls.Server(there, f.TLSConfig()).Handshake() }()
		return tls.Client(here, hello).Handshake()
	}
	for _, c := range []struct {
		what   string
		change func()
	}{
		{"as it was", func() {}},
		{"renewed", func() { issue(t, dir, "second.example", time.Now().Add(time.Hour)) }},
		{"expired", func() { issue(t, dir, "late.example", time.Now().Add(-time.Minute)) }},
		{"damaged", func() { _ = os.WriteFile(cert, []byte("half a file"), 0o600) }},
		{"missing", func() { _ = os.Remove(cert) }},
	} {
		c.change()
		if err := greet(c.what, &tls.Config{RootCAs: pool, ServerName: name, MinVersion: tls.VersionTLS12}); err != nil {
			t.Errorf("while the certificate is %s: %v", c.what, err)
		}
	}
	for _, at := range []time.Time{time.Unix(1, 0), time.Now().AddDate(50, 0, 0)} { // a robot's clock
		if err := greet("missing", &tls.Config{RootCAs: pool, ServerName: name, MinVersion: tls.VersionTLS12, Time: func() time.Time { return at }}); err != nil {
			t.Errorf("at %v: %v", at, err)
		}
	}
	if err := greet("missing", &tls.Config{RootCAs: pool, ServerName: "first.example", MinVersion: tls.VersionTLS12}); err == nil {
		t.Error("a browser is shown the certificate for programs on this computer")
	}
}

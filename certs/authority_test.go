package certs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func authority(t *testing.T, dir string) *Authority {
	t.Helper()
	a, err := OpenAuthority(dir, "Mybot", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTheAuthoritysKeyStaysInTheDataDirectory(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "stolen.pem")
	path := filepath.Join(dir, AuthorityFile)
	if err := os.Symlink(outside, path); err != nil {
		t.Fatal(err)
	}
	authority(t, dir)
	if _, err := os.Lstat(outside); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a symbolic link leads the key out of the folder: %v", err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file of the key is %v, %v; want one for this user alone", info, err)
	}
}

// handshake connects to a server with a's certificate for hosts and returns the
// error of a client that trusts the authority and asks for name.
func handshake(t *testing.T, a *Authority, hosts []string, name string) error {
	t.Helper()
	return handshakeAt(t, a, func() []string { return hosts }, nil, name)
}

// A cable is a connection that arrived at a given address.
type cable struct {
	net.Conn
	to net.Addr
}

func (c cable) LocalAddr() net.Addr { return c.to }

// handshakeAt is handshake for a client that connects to an address; nil = unknown.
func handshakeAt(t *testing.T, a *Authority, hosts func() []string, to net.Addr, name string) error {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(a.PEM()) {
		t.Fatal("the certificate to install cannot be read")
	}
	here, there := net.Pipe()
	server := tls.Server(cable{there, to}, a.TLSConfig(hosts))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Handshake() // the client's word counts
		_ = there.Close()
	}()
	err := tls.Client(here, &tls.Config{RootCAs: pool, ServerName: name, MinVersion: tls.VersionTLS12}).Handshake()
	_ = here.Close()
	<-done
	return err
}

func TestABrowserThatInstalledTheAuthorityTrustsTheRobot(t *testing.T) {
	a := authority(t, t.TempDir())
	for _, name := range []string{"mybot.local", "192.168.1.20"} {
		if err := handshake(t, a, []string{"mybot.local", "192.168.1.20"}, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := handshake(t, a, []string{"mybot.local"}, "other.local"); err == nil {
		t.Error("the certificate is good for a name that is not the robot's")
	}
}

func TestTheAuthorityCannotSpeakForTheInternet(t *testing.T) {
	for _, host := range []string{"www.example.com", "203.0.113.7"} {
		if err := handshake(t, authority(t, t.TempDir()), []string{host}, host); err == nil {
			t.Errorf("a certificate for %s was trusted", host)
		}
	}
}

func TestTheAuthorityIsMadeOnceAndKeptPrivate(t *testing.T) {
	dir := t.TempDir()
	first, again := authority(t, dir), authority(t, dir)
	if !bytes.Equal(first.PEM(), again.PEM()) || first.Fingerprint() != again.Fingerprint() {
		t.Error("a second start created another authority")
	}
	if strings.Contains(string(first.PEM()), "PRIVATE") {
		t.Error("the download holds the key")
	}
	info, err := os.Stat(filepath.Join(dir, "ca.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the key has mode %v, want 0600", info.Mode().Perm())
	}
	if _, err := OpenAuthority(dir, "Mybot", time.Now().Add(authorityLife+time.Hour)); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("an authority that ended: %v", err)
	}
}

func TestAnAuthorityThatCannotBeSavedIsExplained(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	_, err := OpenAuthority(dir, "Mybot", time.Now())
	if err == nil || !strings.Contains(err.Error(), "cannot be saved in "+dir+", where --tls self needs it: make room on that disk") {
		t.Errorf("it is answered with %v", err)
	}
}

func TestALeafIsRenewedBeforeItEndsAndWhenTheClockIsSetBack(t *testing.T) {
	a := authority(t, t.TempDir())
	now := time.Now()
	get := func(at time.Time) *tls.Certificate {
		c, err := a.makeLeaf(func() []string { return []string{"mybot.local"} }, "", at)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := get(now)
	if get(now.Add(clockReach-leafRenew-time.Minute)) != first {
		t.Error("a good certificate was thrown away")
	}
	if get(now.Add(clockReach-leafRenew+time.Minute)) == first {
		t.Error("an expiring certificate was used again")
	}
	if set := now.Add(-clockReach - time.Hour); get(set).Leaf.NotBefore.After(set) {
		t.Error("after the clock was set back a certificate was used that is not valid yet")
	}
}

func TestABrowserWhoseClockIsAYearOffAcceptsTheCertificate(t *testing.T) {
	a := authority(t, t.TempDir())
	leaf, err := a.makeLeaf(func() []string { return []string{"mybot.local"} }, "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.PEM())
	for _, off := range []time.Duration{-365 * 24 * time.Hour, 0, 365 * 24 * time.Hour} {
		if _, err := leaf.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "mybot.local", CurrentTime: time.Now().Add(off)}); err != nil {
			t.Errorf("with a clock %s ahead: %v", off, err)
		}
	}
	if life := leaf.Leaf.NotAfter.Sub(leaf.Leaf.NotBefore); life > 825*24*time.Hour {
		t.Errorf("it is valid for %s, and Apple's systems accept 825 days", life)
	}
}

func TestTheCertificateFollowsAnAddressThatChanges(t *testing.T) {
	a := authority(t, t.TempDir())
	asked := 0
	now := []string{"mybot.local", "192.168.1.20"}
	hosts := func() []string { asked++; return now }
	at := func(address string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(address), Port: 8080} }
	for range 3 {
		if err := handshakeAt(t, a, hosts, at("192.168.1.20"), "192.168.1.20"); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 1 {
		t.Errorf("the hosts were queried %d times for one certificate", asked)
	}
	first := a.leaf
	if err := handshakeAt(t, a, hosts, at("8.8.8.8"), "mybot.local"); err != nil || a.leaf != first {
		t.Errorf("a request for an address that is no host: %v, a new certificate %v", err, a.leaf != first)
	}
	now = []string{"mybot.local", "192.168.1.31"}
	for _, name := range now {
		if err := handshakeAt(t, a, hosts, at("192.168.1.31"), name); err != nil {
			t.Errorf("%s at the new address: %v", name, err)
		}
	}
	if err := handshakeAt(t, a, hosts, at("192.168.1.31"), "192.168.1.20"); err == nil {
		t.Error("the certificate is still good for the old address")
	}
}

func TestADamagedAuthorityIsNamed(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenAuthority(dir, "Mybot", time.Now()); err == nil || !strings.Contains(err.Error(), "ca.pem") {
		t.Errorf("OpenAuthority says %v", err)
	}
}

// A computer called "dev" must not get a certificate for every site of .dev.
func TestTheAuthorityVouchesForNoPublicSuffixAndNothingButServers(t *testing.T) {
	if got := withoutPublicSuffixes([]string{"dev", "com", "robot", "zip", "mybot-7"}); !slices.Equal(got, []string{"robot", "mybot-7"}) {
		t.Errorf("the authority vouches for %q", got)
	}
	cert := authority(t, t.TempDir()).cert
	if !slices.Equal(cert.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}) || len(cert.UnknownExtKeyUsage) > 0 {
		t.Errorf("it may be used for %v", cert.ExtKeyUsage)
	}
	if !slices.Equal(cert.PermittedEmailAddresses, []string{"nobody.invalid"}) || !slices.Equal(cert.PermittedURIDomains, []string{"nobody.invalid"}) {
		t.Errorf("mail %q, addresses %q", cert.PermittedEmailAddresses, cert.PermittedURIDomains)
	}
}

func TestTheAuthorityLeavesOutWhatItMayNotVouchFor(t *testing.T) {
	a := authority(t, t.TempDir())
	good, others := a.SplitHosts([]string{"localhost", "127.0.0.1", "192.168.1.7", "8.8.8.8", "robot.local", "robot.example", "notlocal", "localhost", "2001:db8::1", "fd00::1"})
	if !slices.Equal(good, []string{"localhost", "127.0.0.1", "192.168.1.7", "robot.local", "fd00::1"}) || !slices.Equal(others, []string{"8.8.8.8", "robot.example", "notlocal", "2001:db8::1"}) {
		t.Errorf("it vouches for %v and not for %v", good, others)
	}
	if err := handshake(t, a, good, "robot.local"); err != nil {
		t.Error(err)
	}
}

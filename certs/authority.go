package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"mybot/store/atomicfile"
)

const (
	authorityLife = 10 * 365 * 24 * time.Hour
	// A computer that is not on the internet may show another date than the browsers, by months when
	// it was switched off for months. So a leaf is valid for this long before and after it is made, and
	// the authority as long before. Twice this is below the 825 days that Apple's systems accept
	// (support.apple.com/103769). The key of a leaf is never saved.
	clockReach = 400 * 24 * time.Hour
	leafRenew  = 30 * 24 * time.Hour // a leaf with less than this left is reissued
)

// An Authority is the robot's own certificate authority, for `--tls self`: a key
// and a certificate in the data directory, which a person installs once. It is
// constrained to private addresses and local names, so that a stolen key cannot
// impersonate a site on the internet.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte

	mu    sync.Mutex
	leaf  *tls.Certificate
	names []string // that leaf is valid for
}

// AuthorityFile is the authority's file in the data directory.
const AuthorityFile = "ca.pem"

// OpenAuthority reads the authority in dir, or creates it.
func OpenAuthority(dir, robot string, now time.Time) (*Authority, error) {
	path := filepath.Join(dir, AuthorityFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if data, err = newAuthority(robot, now); err == nil {
			if err = atomicfile.Write(path, data, 0o600); err != nil {
				err = fmt.Errorf("it cannot be saved in %s, where --tls self needs it: make room on that disk, or the directory writable (%w)", dir, err)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("certs: certificate authority: %w", err)
	}
	a, err := parseAuthority(data)
	if err != nil {
		return nil, fmt.Errorf("certs: %s: %w; move it away and a new one is made", path, err)
	}
	if now.After(a.cert.NotAfter) {
		return nil, fmt.Errorf("certs: the certificate authority in %s expired on %s; move it away and a new one is made", path, a.cert.NotAfter.Format(time.DateOnly))
	}
	return a, nil
}

func newAuthority(robot string, now time.Time) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:                newSerial(),
		Subject:                     pkix.Name{CommonName: robot + " local authority, " + now.Format(time.DateOnly)},
		NotBefore:                   now.Add(-clockReach),
		NotAfter:                    now.Add(authorityLife),
		IsCA:                        true,
		BasicConstraintsValid:       true,
		MaxPathLenZero:              true,
		KeyUsage:                    x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         append([]string{"local", "lan", "home.arpa", "internal", "localhost"}, withoutPublicSuffixes(MachineName())...),
		ExtKeyUsage:                 []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, // not for mail or code
		PermittedEmailAddresses:     []string{"nobody.invalid"},
		PermittedURIDomains:         []string{"nobody.invalid"},
	}
	for _, block := range []string{"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7", "fe80::/10"} {
		_, n, err := net.ParseCIDR(block)
		if err != nil {
			return nil, err
		}
		template.PermittedIPRanges = append(template.PermittedIPRanges, n)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), nil
}

func parseAuthority(data []byte) (*Authority, error) {
	pair, err := tls.X509KeyPair(data, data)
	if err != nil {
		return nil, err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, errors.New("this is not a certificate authority that Mybot made")
	}
	return &Authority{
		cert: pair.Leaf,
		key:  key,
		pem:  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Leaf.Raw}),
	}, nil
}

// PEM returns the certificate to install, without its key.
func (a *Authority) PEM() []byte { return a.pem }

// FaultAt returns why browsers refuse the authority at the time now, and what to do;
// "" = they do not. It may have been made while the computer's clock was ahead.
func (a *Authority) FaultAt(now time.Time) string {
	if !now.Before(a.cert.NotBefore) {
		return ""
	}
	return fmt.Sprintf("browsers refuse the certificate authority in %s, which is valid from %s on and was made when this computer's clock said so: set the clock, or move the file away and start again", AuthorityFile, a.cert.NotBefore.Format(time.RFC3339))
}

// Fingerprint returns the SHA-256 of the certificate, for visual comparison with
// what a device shows during installation.
func (a *Authority) Fingerprint() string {
	sum := sha256.Sum256(a.cert.Raw)
	text := strings.ToUpper(hex.EncodeToString(sum[:]))
	var b strings.Builder
	for i := 0; i < len(text); i += 2 {
		if i > 0 {
			b.WriteByte(':')
		}
		b.WriteString(text[i : i+2])
	}
	return b.String()
}

// SplitHosts splits hosts into those that the authority can certify and those
// outside its constraints, a single one of which would invalidate a certificate.
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

// TLSConfig returns a TLS configuration whose certificate is valid for the names
// and addresses that hosts returns. The running server renews it before it expires,
// when the computer's clock was set back to before it is valid, and when a browser
// connects to an address that is new among the hosts.
func (a *Authority) TLSConfig(hosts func() []string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			address := ""
			if tcp, ok := hello.Conn.LocalAddr().(*net.TCPAddr); ok {
				address = tcp.IP.String()
			}
			return a.makeLeaf(hosts, address, time.Now())
		},
	}
}

// makeLeaf returns the leaf for a browser that connected to an address of this
// computer; "" = unknown.
func (a *Authority) makeLeaf(hosts func() []string, address string, now time.Time) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	lasts := a.leaf != nil && now.Add(leafRenew).Before(a.leaf.Leaf.NotAfter) && !now.Before(a.leaf.Leaf.NotBefore) // the clock may have been set back
	if lasts && (address == "" || slices.Contains(a.names, address)) {
		return a.leaf, nil
	}
	names := hosts()
	if lasts && slices.Equal(names, a.names) {
		return a.leaf, nil // the address cannot be certified
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("certs: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: newSerial(),
		Subject:      pkix.Name{CommonName: names[0]},
		NotBefore:    now.Add(-clockReach),
		NotAfter:     now.Add(clockReach),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range names {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return nil, fmt.Errorf("certs: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("certs: %w", err)
	}
	a.leaf, a.names = &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: key, Leaf: leaf}, names
	return a.leaf, nil
}

func newSerial() *big.Int {
	n, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) // never fails: see crypto/rand
	return n
}

// withoutPublicSuffixes removes public suffixes from names: a permitted "dev" would
// permit every site of .dev.
func withoutPublicSuffixes(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		suffix, listed := publicsuffix.PublicSuffix(name)
		return listed && suffix == name
	})
}

// MachineName returns this computer's name without its domain, if a certificate can
// contain it.
func MachineName() []string {
	name, err := os.Hostname()
	if err != nil {
		return nil
	}
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return nil
	}
	return []string{name}
}

package app

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mybot/certs"
	"mybot/handlers"
	"mybot/session"
	"mybot/session/access"
)

// An Invitation is what the operator needs to admit others. It is shown on the
// robot's terminal and nowhere else.
type Invitation struct {
	Addresses   []string // of the robot, such as "http://192.168.1.7:8080", the best first
	PIN         string   // makes operators, until the server ends or one of them is revoked
	Link        string   // makes one admin, once, within access.OneTimeLife
	Fingerprint string   // of the robot's own certificate authority; "" = none
}

// An entrance is how users reach the server: its names, its certificate, and the
// invitations.
type entrance struct {
	hosts     []string        // names of this computer
	addresses func() []string // as in Invitation, at the moment
	open      bool            // users on other computers may join
	tls       *tls.Config
	authority *certs.Authority // nil = not with --tls self
	key       Key
}

func newEntrance(addr net.Addr, robot string, cfg Config, log *slog.Logger) (entrance, error) {
	e := entrance{open: onNetwork(addr) || len(cfg.Proxies) > 0 || len(cfg.Hosts) > 0}
	for _, name := range certs.MachineName() {
		e.hosts = append(e.hosts, name, name+".local")
	}
	e.hosts = append(e.hosts, cfg.Hosts...)

	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	e.key = Key{URL: Home(addr, cfg.TLS), Token: base64.RawURLEncoding.EncodeToString(secret), Urbi: urbiAddress(cfg.Urbi), UrbiTLS: cfg.Urbi != nil && onNetwork(cfg.Urbi.Addr())}

	switch {
	case cfg.TLS.Self:
		if cfg.DataDir == "" {
			return e, errors.New("the certificate authority of --tls self must be saved in a directory; name one with --data")
		}
		var err error
		if e.authority, err = certs.OpenAuthority(cfg.DataDir, robot, time.Now()); err != nil {
			return e, err
		}
		if fault := e.authority.FaultAt(time.Now()); fault != "" {
			log.Error(fault, "directory", cfg.DataDir)
		}
		names := func() (good, others []string) {
			return e.authority.SplitHosts(slices.Concat([]string{"localhost", "127.0.0.1", "::1"}, Reachable(addr), e.hosts))
		}
		if _, others := names(); len(others) > 0 {
			log.Warn("the robot's own authority cannot vouch for internet names or addresses; use --tls CERT,KEY for those", "left out", others)
		}
		e.tls = e.authority.TLSConfig(func() []string { good, _ := names(); return good })
		e.key.Roots = string(e.authority.PEM())
	case cfg.TLS != (TLS{}):
		files, err := certs.OpenFilePair(cfg.TLS.Cert, cfg.TLS.Key, log)
		if err != nil {
			return e, err
		}
		e.tls = files.TLSConfig()
		e.key.Roots, e.key.Name = files.Trust()
	}
	e.addresses = func() (all []string) {
		outside := Reachable(addr)
		if e.authority != nil { // the best are those without a browser warning
			good, others := e.authority.SplitHosts(outside)
			outside = append(good, others...)
		}
		for _, host := range slices.Concat(cfg.Hosts, outside) {
			if len(cfg.Proxies) > 0 && !onNetwork(addr) { // the proxy handles TLS
				all = append(all, "https://"+host)
			} else {
				all = append(all, addressAt(cfg.TLS, host, addr))
			}
		}
		return all
	}
	return e, nil
}

// Home returns the address for a browser on this computer.
func Home(addr net.Addr, t TLS) string {
	host := "127.0.0.1"
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		host = tcp.IP.String()
	}
	return addressAt(t, host, addr)
}

// addressAt returns the URL of a server that listens on addr, reached by host.
func addressAt(t TLS, host string, addr net.Addr) string {
	scheme, port := "http", "0"
	if t != (TLS{}) {
		scheme = "https"
	}
	if tcp, ok := addr.(*net.TCPAddr); ok {
		port = strconv.Itoa(tcp.Port)
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// findAuthority returns the authority for the handlers, or nil if there is none.
func (e entrance) findAuthority() handlers.Authority {
	if e.authority == nil {
		return nil
	}
	return e.authority
}

// inviteUsers creates the codes for new users, and returns the function to call
// when the robot is ready. Without Config.Invite there are no codes.
func (e entrance) inviteUsers(codes *access.Authenticator, cfg Config) (ready func(), err error) {
	ready = cfg.Ready
	if ready == nil {
		ready = func() {}
	}
	if !e.open || cfg.Invite == nil {
		return ready, nil
	}
	i := Invitation{Addresses: e.addresses()}
	if e.authority != nil {
		i.Fingerprint = e.authority.Fingerprint()
	}
	if i.PIN, err = codes.PIN(); err != nil {
		return ready, err
	}
	code, err := codes.OneTime(time.Now(), session.Admin, "")
	if err != nil {
		return ready, err
	}
	base := e.key.URL
	if len(i.Addresses) > 0 {
		base = i.Addresses[0]
	}
	i.Link = handlers.PairLink(base, code)
	after := ready
	return func() { cfg.Invite(i); after() }, nil
}

// ParseProxies parses the addresses of proxies, such as "10.0.0.0/8,127.0.0.1".
func ParseProxies(list string) ([]netip.Prefix, error) {
	var proxies []netip.Prefix
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		proxy, err := netip.ParsePrefix(text)
		if address, wrong := netip.ParseAddr(text); wrong == nil {
			proxy, err = address.Prefix(address.BitLen())
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a network: write it as ADDRESS/BITS, such as 127.0.0.1/32 or 10.0.0.0/8", text)
		}
		proxies = append(proxies, proxy.Masked())
	}
	return proxies, nil
}

// A Key gives admin access to anyone who can read the data directory of a running
// robot: the program's own sub-commands. It is valid as long as the robot runs.
type Key struct {
	URL   string `json:"url"`             // of the robot, from this computer
	Token string `json:"token"`           // of an admin
	Roots string `json:"roots,omitempty"` // PEM of the authorities to trust; "" = plain http
	Name  string `json:"name,omitempty"`  // in the certificate; "" = the host of URL
	Urbi  string `json:"urbi,omitempty"`  // address of the port for scripts, from this computer; "" = none
	// UrbiTLS is true if that port needs TLS and a login.
	UrbiTLS bool `json:"urbi_tls,omitempty"`
}

// keyFile is the file of a running robot's key.
const keyFile = "server.json"

// ReadKey returns the key of the robot that runs on the data directory. The error
// is fs.ErrNotExist if none runs.
func ReadKey(dir string) (Key, error) {
	var k Key
	data, err := os.ReadFile(filepath.Join(dir, keyFile))
	if err != nil {
		return k, fmt.Errorf("app: %w", err)
	}
	if err := json.Unmarshal(data, &k); err != nil {
		return k, fmt.Errorf("app: %s is damaged: start the robot again to have a new one (%w)", filepath.Join(dir, keyFile), err)
	}
	return k, nil
}

// write writes the key, readable for this user alone.
func (k Key) write(dir string) error {
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, keyFile)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // fails if someone has created the file meanwhile
	if err != nil {
		return err
	}
	_, err = file.Write(append(data, '\n'))
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // half a key is none
	}
	return nil
}

func (k Key) remove(dir string) { _ = os.Remove(filepath.Join(dir, keyFile)) } // its token is no longer valid

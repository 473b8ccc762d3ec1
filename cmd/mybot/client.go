package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mybot/app"
)

// answerWithin is how long a robot may take to answer a sub-command.
const answerWithin = 5 * time.Second

// maxAnswer is the longest answer of a robot that is read, in bytes: a motion
// of ten minutes.
const maxAnswer = 4 << 20

// A Pairing is what this user keeps about one robot.
type Pairing struct {
	Token    string `json:"token,omitempty"`
	CA       string `json:"ca,omitempty"`   // PEM of the robot's own authority
	Identity string `json:"word,omitempty"` // by which a robot on this computer, which asks for no token, knows this user again
}

// pairings are the robots that this user's command line is paired with, by
// their address.
type pairings map[string]Pairing

// PairingsFile returns where they are kept, as the XDG Base Directory
// Specification has it.
func PairingsFile(env func(string) string) (string, error) {
	if config := env("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		return filepath.Join(config, "mybot", "robots.json"), nil
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".config", "mybot", "robots.json"), nil
	}
	return "", errors.New("neither XDG_CONFIG_HOME nor HOME is set, so pairings with robots cannot be saved")
}

func ReadPairings(path string) (pairings, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return pairings{}, nil
	}
	known := pairings{}
	if err == nil {
		err = json.Unmarshal(data, &known)
	}
	if err != nil {
		return nil, fmt.Errorf("the pairings with robots cannot be read from %s: %w", path, err)
	}
	return known, nil
}

// Write keeps the pairings for this user alone, in the place of what was there.
func (p pairings) Write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "robots-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(append(data, '\n'))
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// A Client speaks to one robot.
type Client struct {
	base   string // "http://192.168.1.7:8080"
	opt    string // "" = none
	cookie string // without a token, to be one person at the robot's own computer; "" = nobody
	http   *http.Client
}

// authenticate says who asks.
func (c *Client) authenticate(header http.Header) {
	switch {
	case c.opt != "":
		header.Set("Authorization", "Bearer "+c.opt)
	case c.cookie != "":
		name := "mybot"
		if strings.HasPrefix(c.base, "https:") {
			name = "__Host-mybot"
		}
		header.Set("Cookie", name+"="+c.cookie)
	}
}

// recall makes the commands of this user one person at a robot on this computer
// that asks for no token. Where the word for that cannot be kept, each command is
// a person of its own.
func (c *Client) recall(env func(string) string) error {
	if c.opt != "" || !onThisComputer(c.base) {
		return nil
	}
	c.cookie = NewIdentity()
	path, err := PairingsFile(env)
	if err != nil {
		return nil
	}
	known, err := ReadPairings(path)
	if err != nil {
		return err
	}
	p := known[c.base]
	if p.Identity == "" {
		p.Identity = c.cookie
		known[c.base] = p
		_ = known.Write(path) // a home that cannot be written to
	}
	c.cookie = p.Identity
	return nil
}

// onThisComputer tells whether a robot's address names this computer itself.
func onThisComputer(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// patient returns the client with more time for an answer.
func (c *Client) patient(timeout time.Duration) *Client {
	slow, ask := *c, *c.http
	ask.Timeout = timeout
	slow.http = &ask
	return &slow
}

// NewIdentity returns 43 letters that nobody can guess.
func NewIdentity() string {
	var word [32]byte
	_, _ = rand.Read(word[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(word[:])
}

func New(base, token, opt, name string) (*Client, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: answerWithin, DisableKeepAlives: true}
	if opt != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(opt)) {
			return nil, errors.New("the certificate to trust is not in PEM")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, ServerName: name, MinVersion: tls.VersionTLS12}
	}
	return &Client{base: base, opt: token, http: &http.Client{
		Transport:     transport,
		Timeout:       answerWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// A refusedError is an answer of the robot that is not what was asked for.
type refusedError struct {
	status int
	reason string
}

func (e refusedError) Error() string { return e.reason }

// Get sends one request, with a form when there is one, and returns the body of
// the answer.
func (c *Client) Get(ctx context.Context, method, path string, form url.Values) ([]byte, error) {
	kind := ""
	if len(form) > 0 {
		kind = "application/x-www-form-urlencoded"
	}
	return c.Send(ctx, method, path, kind, form.Encode())
}

// Send sends one request with a body of the kind, a MIME type, and returns the
// body of the answer.
func (c *Client) Send(ctx context.Context, method, path, mimeType, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	if mimeType != "" {
		r.Header.Set("Content-Type", mimeType)
	}
	c.authenticate(r.Header)
	answer, err := c.http.Do(r)
	if unknown := (x509.UnknownAuthorityError{}); errors.As(err, &unknown) {
		return nil, fmt.Errorf("no authority this computer trusts vouches for the robot at %s: download %s/ca.crt, compare its fingerprint with the one in the robot's terminal, and name it with --ca when you pair (%w)", c.base, c.base, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the robot at %s does not answer: is it on, and is that its address? (%w)", c.base, err)
	}
	defer func() { _ = answer.Body.Close() }() // it is read only
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("the robot at %s broke off while answering: %w", c.base, err)
	}
	if answer.StatusCode/100 != 2 {
		return text, refusedError{answer.StatusCode, fmt.Sprintf("the robot at %s refuses: %s", c.base, reasonIn(text))}
	}
	return text, nil
}

// reasonIn returns the sentence of a refusal: of a command in JSON, otherwise
// the text itself.
func reasonIn(text []byte) string {
	var answer struct{ Reason string }
	if json.Unmarshal(text, &answer) == nil && answer.Reason != "" {
		return answer.Reason
	}
	return strings.TrimSpace(string(text))
}

// parseAddress reads the --robot of a sub-command. code is what a pairing link has.
func parseAddress(text string) (base, code string, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", "", usageError{fmt.Errorf("--robot %q is not the address of a robot: write it as http://192.168.1.7:8080", text)}
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), u.Query().Get("code"), nil
}

// A target is what the flags of a sub-command say about which robot is meant.
type target struct{ robot, data string }

func (t *target) flags(name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard) // run says what is wrong
	set.StringVar(&t.robot, "robot", "", "`URL` of the robot (default: the one running on this computer)")
	set.StringVar(&t.data, "data", "", "data `DIR` of the robot running on this computer")
	return set
}

// findRobot returns the client for the robot that is meant: the one at --robot, or
// the one that runs on the data directory; fs.ErrNotExist when none does.
func (t target) findRobot(env func(string) string) (*Client, error) {
	if t.robot == "" {
		dir, err := options{data: t.data}.dataDir(env)
		if err != nil {
			return nil, err
		}
		key, err := app.ReadKey(dir)
		if err != nil {
			return nil, err
		}
		return New(key.URL, key.Token, key.Roots, key.Name)
	}
	base, _, err := parseAddress(t.robot)
	if err != nil {
		return nil, err
	}
	var p Pairing
	path, err := PairingsFile(env)
	if err == nil { // without a home it may still be a robot that needs no token
		known, err := ReadPairings(path)
		if err != nil {
			return nil, err
		}
		p = known[base]
	}
	return New(base, p.Token, p.CA, "")
}

// requireRobot is find for a sub-command that needs a robot that runs.
func (t target) requireRobot(env func(string) string) (*Client, error) {
	c, err := t.findRobot(env)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("no robot of this user is running on this computer: name one with --robot URL, or its data directory with --data DIR")
	}
	return c, err
}

// parseAll reads args of a sub-command, flags and words in any order.
func parseAll(set *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := set.Parse(args); err != nil {
			return nil, usageError{err}
		}
		if args = set.Args(); len(args) == 0 {
			return words, nil
		}
		words, args = append(words, args[0]), args[1:]
	}
}

// noWords says that a sub-command knows flags only.
func noWords(name string, words []string) error {
	if len(words) == 0 {
		return nil
	}
	return usageError{fmt.Errorf("%q is not a flag; %s takes only flags", words[0], name)}
}

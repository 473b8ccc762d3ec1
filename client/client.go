package client

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// answerWithin is how long a robot may take to answer a request.
const answerWithin = 5 * time.Second

// maxAnswer is the longest answer that is read, in bytes: a motion of ten minutes.
const maxAnswer = 4 << 20

// Options identify the user and the authorities to trust.
type Options struct {
	Token      string // of a pairing; "" = none
	Roots      string // PEM of the authority to trust; "" = those of this computer
	ServerName string // that the robot's certificate is for; "" = the host of its address
	Unverified bool   // accept any certificate: for a STOP without a token at this computer alone
	Identity   string // without a token: identifies one user across clients to a robot on this computer; "" = each client is a separate user
}

// A Client sends requests to one robot.
type Client struct {
	base string
	opt  Options
	http *http.Client
}

// New returns the client of the robot at base, such as "http://192.168.1.7:8080".
func New(base string, opt Options) (*Client, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: answerWithin, DisableKeepAlives: true}
	if opt.Roots != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(opt.Roots)) {
			return nil, errors.New("the certificate to trust is not in PEM")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, ServerName: opt.ServerName, MinVersion: tls.VersionTLS12}
	}
	if opt.Unverified {
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12} //nolint:gosec // see Unverified
	}
	return &Client{base: base, opt: opt, http: &http.Client{
		Transport:     transport,
		Timeout:       answerWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// BaseURL returns the address of the robot.
func (c *Client) BaseURL() string { return c.base }

// WithTimeout returns a client with another time-out for answers.
func (c *Client) WithTimeout(timeout time.Duration) *Client {
	slow, ask := *c, *c.http
	ask.Timeout = timeout
	slow.http = &ask
	return &slow
}

// WithIdentity returns a client for the user with the identity.
func (c *Client) WithIdentity(identity string) *Client {
	known := *c
	known.opt.Identity = identity
	return &known
}

// NeedsIdentity reports whether only an Identity lets the robot recognize this
// user: the robot is on this computer, and there is no token.
func (c *Client) NeedsIdentity() bool {
	u, err := url.Parse(c.base)
	if err != nil || c.opt.Token != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// NewIdentity returns 43 characters that cannot be guessed.
func NewIdentity() string {
	var word [32]byte
	_, _ = rand.Read(word[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(word[:])
}

// addCredentials adds the user's credentials to the header of a request.
func (c *Client) addCredentials(header http.Header) {
	switch {
	case c.opt.Token != "":
		header.Set("Authorization", "Bearer "+c.opt.Token)
	case c.opt.Identity != "":
		name := "mybot"
		if strings.HasPrefix(c.base, "https:") {
			name = "__Host-mybot"
		}
		header.Set("Cookie", name+"="+c.opt.Identity)
	}
}

// A RefusedError is an answer that refuses a request.
type RefusedError struct {
	Status int // of HTTP
	Reason string
}

func (e RefusedError) Error() string { return e.Reason }

// GetBody returns the body at the path.
func (c *Client) GetBody(ctx context.Context, path string) ([]byte, error) {
	return c.fetchBody(ctx, http.MethodGet, path, "", "")
}

// fetchBody sends one request with a body of the MIME type and returns the body of
// the answer, even with a RefusedError.
func (c *Client) fetchBody(ctx context.Context, method, path, mimeType, body string) ([]byte, error) {
	answer, err := c.sendRequest(ctx, method, path, mimeType, body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	return c.readBody(answer)
}

// streamBody returns a body that lasts as long as the robot sends more, or until
// ctx ends. The caller closes it.
func (c *Client) streamBody(ctx context.Context, path string) (io.ReadCloser, error) {
	answer, err := c.WithTimeout(0).sendRequest(ctx, http.MethodGet, path, "", "")
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 == 2 {
		return answer.Body, nil
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	_, err = c.readBody(answer)
	return nil, err
}

// sendRequest sends one request and returns the answer with its body unread.
func (c *Client) sendRequest(ctx context.Context, method, path, mimeType, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	if mimeType != "" {
		r.Header.Set("Content-Type", mimeType)
	}
	c.addCredentials(r.Header)
	answer, err := c.http.Do(r)
	if unknown := (x509.UnknownAuthorityError{}); errors.As(err, &unknown) {
		return nil, fmt.Errorf("no authority this computer trusts vouches for the robot at %s: download %s/ca.crt, compare its fingerprint with the one in the robot's terminal, and name it with --ca when you pair (%w)", c.base, c.base, err)
	}
	if err != nil {
		return nil, fmt.Errorf("the robot at %s does not answer: is it on, and is that its address? (%w)", c.base, err)
	}
	return answer, nil
}

// readBody reads the body of an answer.
func (c *Client) readBody(answer *http.Response) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("the robot at %s broke off while answering: %w", c.base, err)
	}
	if answer.StatusCode/100 != 2 {
		return text, RefusedError{answer.StatusCode, fmt.Sprintf("the robot at %s refuses: %s", c.base, reasonIn(text))}
	}
	return text, nil
}

// reasonIn returns the sentence of a refusal: of a command in JSON, otherwise the
// text itself.
func reasonIn(text []byte) string {
	var answer struct{ Reason string }
	if json.Unmarshal(text, &answer) == nil && answer.Reason != "" {
		return answer.Reason
	}
	return strings.TrimSpace(string(text))
}

// DoJSON sends JSON, nil = nothing, and decodes the JSON of the answer into the
// value that into points to; nil = it ignores the answer.
func (c *Client) DoJSON(ctx context.Context, method, path string, body, into any) error {
	text := ""
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = string(data)
	}
	answer, err := c.fetchBody(ctx, method, path, "application/json", text)
	if err != nil || into == nil {
		return err
	}
	return c.DecodeAnswer(answer, into)
}

// DecodeAnswer decodes an answer of the robot.
func (c *Client) DecodeAnswer(answer []byte, into any) error {
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("the answer of the robot at %s cannot be read: %w", c.base, err)
	}
	return nil
}

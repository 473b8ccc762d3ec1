// Package access decides who may come in: the tokens that carry roles, the
// codes that are exchanged for tokens, and how often a code may be
// guessed.
//
// A token is 256 random bits that a browser keeps in a cookie and a command
// line in a file. Only its SHA-256 is kept here and in the Book, so that who
// reads the robot's disk gains no token. A code is what a person is given:
// the PIN and the one-time link on the robot's console, and share links for
// observers. All times are data; the Desk has no clock. Its methods may be
// called from any goroutine.
package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mybot/session"
)

// A Grant is what one token stands for.
type Grant struct {
	ID      string       `json:"id"` // public, to list and revoke by
	Hash    string       `json:"hash"`
	Name    string       `json:"name"` // what its bearer is called; may be empty
	Role    session.Role `json:"role"`
	Camera  bool         `json:"camera"` // may see and hear through the robot
	By      string       `json:"by"`     // how it was given: PIN, console link, share link
	Created time.Time    `json:"created"`
	Expires time.Time    `json:"expires"` // zero = never
}

// A Book keeps grants over restarts.
type Book interface {
	Grants() ([]Grant, error)
	PutGrant(Grant) error
	DeleteGrant(id string) error
}

// Errors that a caller tells apart. What Redeem returns wraps one of them.
var (
	ErrCode  = errors.New("this code is not valid")
	ErrGuess = errors.New("too many wrong codes")
	ErrToken = errors.New("there is no such grant")
)

// How long things live.
const (
	OneTimeLife  = 10 * time.Minute     // the link on the console
	GrantLife    = 180 * 24 * time.Hour // a paired operator or admin
	ShareLife    = 12 * time.Hour       // a share link and those who came by it
	tokenBytes   = 32
	pinDigits    = 8
	addressLimit = 5  // wrong codes a minute from one address
	totalLimit   = 20 // wrong codes an hour from everybody
	mostGrants   = 1000
	mostCodes    = 100
	mostNotes    = 4096
)

// code is something a person types or follows once or, for a share link,
// until it expires.
type code struct {
	hash    [sha256.Size]byte
	role    session.Role
	camera  bool
	by      string
	expires time.Time // zero = never
	once    bool
}

// A Desk is where codes are exchanged for tokens and tokens are looked at.
type Desk struct {
	mu     sync.Mutex
	book   Book
	grants map[[sha256.Size]byte]Grant
	codes  []code
	wrong  map[string][]time.Time // by address, the last minute
	all    []time.Time            // wrong codes of the last hour
}

// NewDesk returns a desk with the grants of book.
func NewDesk(book Book) (*Desk, error) {
	d := &Desk{book: book, grants: map[[sha256.Size]byte]Grant{}, wrong: map[string][]time.Time{}}
	grants, err := book.Grants()
	if err != nil {
		return nil, fmt.Errorf("access: %w", err)
	}
	for _, g := range grants {
		key, err := hex.DecodeString(g.Hash)
		if err != nil || len(key) != sha256.Size {
			return nil, fmt.Errorf("access: grant %s has no valid hash", g.ID)
		}
		d.grants[[sha256.Size]byte(key)] = g
	}
	return d, nil
}

// PIN opens the desk to whoever types the returned digits until the robot
// stops; each of them becomes an operator who may use the camera.
func (d *Desk) PIN() (string, error) {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(pinDigits), nil)
	n, err := rand.Int(rand.Reader, limit)
	if err != nil {
		return "", fmt.Errorf("access: %w", err)
	}
	pin := fmt.Sprintf("%0*d", pinDigits, n)
	return pin, d.add(code{hash: hashCode(pin), role: session.Operator, camera: true, by: "PIN"})
}

// OneTime returns the code of a link for the console: it makes one operator or
// admin, within OneTimeLife.
func (d *Desk) OneTime(now time.Time, role session.Role) (string, error) {
	secret := newToken()
	return secret, d.add(code{hash: hashCode(secret), role: role, camera: true, by: "console link", expires: now.Add(OneTimeLife), once: true})
}

// Share returns the code of a link for observers, good for ShareLife.
func (d *Desk) Share(now time.Time, camera bool) (string, error) {
	secret := newToken()
	return secret, d.add(code{hash: hashCode(secret), role: session.Observer, camera: camera, by: "share link", expires: now.Add(ShareLife)})
}

func (d *Desk) add(c code) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.codes) >= mostCodes {
		return fmt.Errorf("access: there are already %d codes; wait until some expire", mostCodes)
	}
	d.codes = append(d.codes, c)
	return nil
}

// Redeem exchanges a code for a token. Wrong codes are counted by address and
// over all; beyond the limits even a right code is refused, so that guessing
// gains nothing by hitting it then.
func (d *Desk) Redeem(now time.Time, address, text, name string) (token string, g Grant, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(now)
	if wait, over := d.over(now, address); over {
		return "", Grant{}, fmt.Errorf("%w: try again in %s", ErrGuess, wait.Round(time.Second))
	}
	hash := hashCode(text)
	at := -1
	for i := range d.codes {
		if subtle.ConstantTimeCompare(d.codes[i].hash[:], hash[:]) == 1 {
			at = i
		}
	}
	if at < 0 {
		d.note(now, address)
		return "", Grant{}, ErrCode
	}
	c := d.codes[at]
	if len(d.grants) >= mostGrants {
		return "", Grant{}, fmt.Errorf("access: %d devices are paired already; revoke some with 'mybot users'", mostGrants)
	}
	token = newToken()
	key := sha256.Sum256([]byte(token))
	g = Grant{
		ID: hex.EncodeToString(key[:4]), Hash: hex.EncodeToString(key[:]), Name: shorten(name), Role: c.role,
		Camera: c.camera, By: c.by, Created: now.UTC(), Expires: now.Add(GrantLife).UTC(),
	}
	if c.role == session.Observer {
		g.Expires = c.expires.UTC()
	}
	if err := d.book.PutGrant(g); err != nil {
		return "", Grant{}, fmt.Errorf("access: %w", err)
	}
	d.grants[key] = g
	if c.once {
		d.codes = slices.Delete(d.codes, at, at+1)
	}
	return token, g, nil
}

// Look returns what a token stands for; ok is false for one that is unknown,
// revoked or expired.
func (d *Desk) Look(now time.Time, token string) (g Grant, ok bool) {
	if len(token) != base64.RawURLEncoding.EncodedLen(tokenBytes) {
		return Grant{}, false
	}
	key := sha256.Sum256([]byte(token))
	d.mu.Lock()
	defer d.mu.Unlock()
	g, ok = d.grants[key]
	return g, ok && alive(g.Expires, now)
}

// Grants lists what has been given and not expired, the oldest first.
func (d *Desk) Grants(now time.Time) []Grant {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]Grant, 0, len(d.grants))
	for _, g := range d.grants {
		if alive(g.Expires, now) {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b Grant) int {
		if c := a.Created.Compare(b.Created); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list
}

// Revoke ends the grant with the public id, at once and for good.
func (d *Desk) Revoke(id string) (Grant, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, g := range d.grants {
		if g.ID != id {
			continue
		}
		if err := d.book.DeleteGrant(id); err != nil {
			return Grant{}, fmt.Errorf("access: %w", err)
		}
		delete(d.grants, key)
		return g, nil
	}
	return Grant{}, fmt.Errorf("%w: %q", ErrToken, id)
}

// over tells whether address, or everybody, has guessed too often, and how
// long to wait.
func (d *Desk) over(now time.Time, address string) (time.Duration, bool) {
	if len(d.all) >= totalLimit {
		return d.all[len(d.all)-totalLimit].Add(time.Hour).Sub(now), true
	}
	if notes := d.wrong[address]; len(notes) >= addressLimit {
		return notes[len(notes)-addressLimit].Add(time.Minute).Sub(now), true
	}
	return 0, false
}

func (d *Desk) note(now time.Time, address string) {
	d.all = append(d.all, now)
	if len(d.wrong) < mostNotes {
		d.wrong[address] = append(d.wrong[address], now)
	}
}

// forget drops codes and wrong guesses whose time is over.
func (d *Desk) forget(now time.Time) {
	d.codes = slices.DeleteFunc(d.codes, func(c code) bool { return !alive(c.expires, now) })
	older := func(age time.Duration) func(time.Time) bool {
		return func(t time.Time) bool { return now.Sub(t) >= age }
	}
	d.all = slices.DeleteFunc(d.all, older(time.Hour))
	for address, notes := range d.wrong {
		if notes = slices.DeleteFunc(notes, older(time.Minute)); len(notes) == 0 {
			delete(d.wrong, address)
		} else {
			d.wrong[address] = notes
		}
	}
}

func alive(expires, now time.Time) bool { return expires.IsZero() || now.Before(expires) }

// newToken returns 256 random bits as 43 letters for a cookie or a link.
func newToken() string {
	var raw [tokenBytes]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// hashCode hashes a code as typed: spaces and hyphens in a PIN do not count.
func hashCode(text string) [sha256.Size]byte {
	if len(text) < tokenBytes {
		text = strings.NewReplacer(" ", "", "-", "").Replace(text)
	}
	return sha256.Sum256([]byte(text))
}

// nameLimit is the length of a name, in letters.
const nameLimit = 24

func shorten(name string) string {
	name = strings.ToValidUTF8(strings.TrimSpace(name), "")
	for utf8.RuneCountInString(name) > nameLimit {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return name
}

// Package access decides who gets access: it issues the tokens that carry roles and
// the codes that are exchanged for tokens, and limits how often a code may be
// guessed.
//
// A token is 256 random bits, which a browser stores in a cookie and a command line
// in a file. Only its SHA-256 is stored here and in the GrantStore, so that reading
// the robot's disk reveals no token. A code is what a person receives: the PIN and
// the one-time link on the robot's console, and share links for observers. Time is
// data; the Authenticator has no clock. Any goroutine may call its methods. Lookup
// and Grants never wait for the GrantStore, however slow its disk is.
package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"mybot/ratelimit"
	"mybot/session"
	"mybot/session/protocol"
)

// A Grant is what one token permits.
type Grant struct {
	ID      string       `json:"id"` // public, to list and revoke the grant
	Hash    string       `json:"hash"`
	Name    string       `json:"name"` // of its bearer; may be empty
	Role    session.Role `json:"role"`
	Camera  bool         `json:"camera"` // may see and hear through the robot
	By      string       `json:"by"`     // how it was given: PIN, console link, share link
	Code    string       `json:"code"`   // id of the code that was exchanged for it
	Maker   string       `json:"maker"`  // id of the grant that made that code; "" = the console
	Created time.Time    `json:"created"`
	Expires time.Time    `json:"expires"` // zero = never
}

// A GrantStore stores grants across restarts.
type GrantStore interface {
	Grants() ([]Grant, error)
	PutGrant(Grant) error
	DeleteGrant(id string) error
}

// Errors that a caller can distinguish: the first three of Redeem, and ErrToken of the
// others.
var (
	ErrCode  = errors.New("this code is not valid")
	ErrGuess = errors.New("too many wrong codes")
	ErrOften = errors.New("too many devices were paired by this PIN")
	ErrToken = errors.New("there is no such grant")
)

// Lifetimes and limits.
const (
	OneTimeLife    = 10 * time.Minute     // the link on the console
	GrantLife      = 180 * 24 * time.Hour // a paired operator or admin
	ShareLife      = 12 * time.Hour       // a share link and the grants that it gives
	tokenBytes     = 32
	pinDigits      = 8
	addressLimit   = 5  // wrong codes a minute from one address
	totalLimit     = 20 // wrong codes an hour from all addresses
	maxGrants      = 1000
	reservedGrants = 100 // of them, for users who may drive
	maxCodes       = 100
	reservedCodes  = 10  // of them, for the console
	maxByShare     = 250 // devices per share link
	pinAtOnce      = 60  // devices per PIN,
	pinPerSecond   = 0.1 // and later
	maxSwept       = 4   // expired grants that are deleted in one pairing; each waits for the disk
)

// A code is what a person types or follows, once or, for a share link, until it
// expires.
type code struct {
	id      string // public, unlike the hash, which would reveal a PIN
	hash    [sha256.Size]byte
	role    session.Role
	camera  bool
	by      string
	maker   string    // id of the grant that made it; "" = none
	expires time.Time // zero = never
	once    bool
	short   bool // short enough to guess, so that attempts are limited
	used    int
	pace    ratelimit.Bucket // of pairings by a short one
}

// An Authenticator exchanges codes for tokens and looks tokens up.
type Authenticator struct {
	store    GrantStore
	changing sync.Mutex // serializes changes of the grants; locked before mu

	mu         sync.Mutex // never held while anything waits
	grants     map[[sha256.Size]byte]Grant
	codes      []code
	wrong      map[string][]time.Time // by address, in the last minute
	wrongOfAll []time.Time            // wrong codes of the last hour, from all addresses
}

// NewAuthenticator returns an authenticator with the grants of the store.
func NewAuthenticator(store GrantStore) (*Authenticator, error) {
	d := &Authenticator{store: store, grants: map[[sha256.Size]byte]Grant{}, wrong: map[string][]time.Time{}}
	grants, err := store.Grants()
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

// PIN returns digits that give access until the program ends or a grant that they
// gave is revoked. Each user who types them becomes an operator who may use the
// camera.
func (d *Authenticator) PIN() (string, error) {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(pinDigits), nil)
	n, err := rand.Int(rand.Reader, limit)
	if err != nil {
		return "", fmt.Errorf("access: %w", err)
	}
	pin := fmt.Sprintf("%0*d", pinDigits, n)
	return pin, d.addCode(time.Time{}, maxCodes, code{hash: hashCode(pin), role: session.Operator, camera: true, by: "PIN", short: true})
}

// OneTime returns the code of a link for the console, which makes one operator or
// admin within OneTimeLife. maker is the id of the grant that makes it, "" = none;
// the link ends with that grant, and the error is ErrToken if the grant has ended.
func (d *Authenticator) OneTime(now time.Time, role session.Role, maker string) (string, error) {
	secret := newToken()
	return secret, d.addCode(now, maxCodes, code{hash: hashCode(secret), role: role, camera: true, by: "console link", maker: maker, expires: now.Add(OneTimeLife), once: true})
}

// Share returns the code of a link for observers, valid for ShareLife. maker is as
// in OneTime.
func (d *Authenticator) Share(now time.Time, camera bool, maker string) (string, error) {
	secret := newToken()
	return secret, d.addCode(now, maxCodes-reservedCodes, code{hash: hashCode(secret), role: session.Observer, camera: camera, by: "share link", maker: maker, expires: now.Add(ShareLife)})
}

// addCode adds the code if its maker's grant is valid and there are fewer than most.
func (d *Authenticator) addCode(now time.Time, most int, c code) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forgetOld(now)
	if _, ok := d.grantOf(now, c.maker); !ok && c.maker != "" { // it ended while its bearer's request was on its way
		return fmt.Errorf("%w: %q", ErrToken, c.maker)
	}
	if len(d.codes) >= most {
		return fmt.Errorf("access: there are already %d codes; wait until some expire", len(d.codes))
	}
	c.id = rand.Text()
	d.codes = append(d.codes, c)
	return nil
}

// Redeem exchanges a code for a token. Wrong codes are counted per address and in
// total; beyond the limits even a correct PIN is refused, so that guessing on gains
// nothing. The codes of links are too long to guess and are always accepted. The error
// wraps ErrCode, ErrGuess or ErrOften, is that of the GrantStore, or says that too many
// devices are paired.
func (d *Authenticator) Redeem(now time.Time, address, text, name string) (token string, g Grant, err error) {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.deleteExpired(now)
	c, err := d.matchCode(now, address, text)
	if err != nil {
		return "", Grant{}, err
	}
	token = newToken()
	key := sha256.Sum256([]byte(token))
	g = Grant{
		ID: hex.EncodeToString(key[:4]), Hash: hex.EncodeToString(key[:]), Name: protocol.TidyName(name), Role: c.role,
		Camera: c.camera, By: c.by, Code: c.id, Maker: c.maker, Created: now.UTC(), Expires: now.Add(GrantLife).UTC(),
	}
	if c.role == session.Observer {
		g.Expires = c.expires.UTC()
	}
	if err := d.store.PutGrant(g); err != nil {
		return "", Grant{}, fmt.Errorf("access: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.grants[key] = g
	if i := d.indexOf(c.hash); i >= 0 {
		if d.codes[i].used++; c.once {
			d.codes = slices.Delete(d.codes, i, i+1)
		}
	}
	return token, g, nil
}

// FindLink returns the id of the valid link with this code, without using it up.
// PINs are not links: only Redeem checks them.
func (d *Authenticator) FindLink(now time.Time, text string) (id string, ok bool) {
	hash := hashCode(text)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.codes {
		if !c.short && c.hash == hash && isValid(c.expires, now) {
			return c.id, true
		}
	}
	return "", false
}

// matchCode returns the code that a client at the address presents.
func (d *Authenticator) matchCode(now time.Time, address, text string) (code, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forgetOld(now)
	at := d.indexOf(hashCode(text))
	if wait, over := d.guessedTooOften(now, address); over && (at < 0 || d.codes[at].short) {
		return code{}, fmt.Errorf("%w: try again in %s", ErrGuess, wait.Round(time.Second))
	}
	if at < 0 {
		d.countWrong(now, address)
		return code{}, ErrCode
	}
	c, most := d.codes[at], maxGrants
	if c.role == session.Observer {
		most -= reservedGrants
		has := 0
		for _, g := range d.grants {
			if g.Code == c.id {
				has++
			}
		}
		switch {
		case c.used >= maxByShare:
			return code{}, fmt.Errorf("access: this link has already let in %d devices, the limit; make a new one", c.used)
		case has > 0 && has >= most-len(d.grants): // as ratelimit.Shares has it
			return code{}, fmt.Errorf("access: this link has already let in %d devices; the other places are for those who come by another", has)
		}
	}
	if len(d.grants) >= most {
		return code{}, fmt.Errorf("access: %d devices are paired already; revoke some with 'mybot users'", len(d.grants))
	}
	if c.short { // a browser that replaces its own grant each time would never meet the limits above
		if wait, ok := d.codes[at].pace.Take(now, 1, pinPerSecond, pinAtOnce); !ok {
			return code{}, fmt.Errorf("%w: try again in %s", ErrOften, wait.Round(time.Second))
		}
	}
	return c, nil
}

// indexOf returns the index of the code with the hash; -1 = none.
func (d *Authenticator) indexOf(hash [sha256.Size]byte) int {
	at := -1
	for i := range d.codes {
		if subtle.ConstantTimeCompare(d.codes[i].hash[:], hash[:]) == 1 {
			at = i
		}
	}
	return at
}

// deleteExpired deletes some of the grants that have expired. d.changing is locked.
func (d *Authenticator) deleteExpired(now time.Time) {
	d.mu.Lock()
	var dead [][sha256.Size]byte
	var ids []string
	for key, g := range d.grants {
		if !isValid(g.Expires, now) && len(dead) < maxSwept {
			dead, ids = append(dead, key), append(ids, g.ID)
		}
	}
	d.mu.Unlock()
	for i, key := range dead {
		if d.store.DeleteGrant(ids[i]) != nil {
			return // the next pairing tries again
		}
		d.mu.Lock()
		delete(d.grants, key)
		d.mu.Unlock()
	}
}

// Lookup returns what a token permits; ok is false if it is unknown, revoked or
// expired.
func (d *Authenticator) Lookup(now time.Time, token string) (g Grant, ok bool) {
	if len(token) != base64.RawURLEncoding.EncodedLen(tokenBytes) {
		return Grant{}, false
	}
	key := sha256.Sum256([]byte(token))
	d.mu.Lock()
	defer d.mu.Unlock()
	g, ok = d.grants[key]
	return g, ok && isValid(g.Expires, now)
}

// FindGrant returns the grant with the id; ok is false if there is none, or it has expired.
func (d *Authenticator) FindGrant(now time.Time, id string) (g Grant, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.grantOf(now, id)
}

// grantOf is FindGrant while d.mu is locked.
func (d *Authenticator) grantOf(now time.Time, id string) (g Grant, ok bool) {
	for _, g := range d.grants {
		if g.ID == id {
			return g, isValid(g.Expires, now)
		}
	}
	return Grant{}, false
}

// Grants lists the grants that have not expired, oldest first.
func (d *Authenticator) Grants(now time.Time) []Grant {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]Grant, 0, len(d.grants))
	for _, g := range d.grants {
		if isValid(g.Expires, now) {
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

// descendants returns the ids of the grants that came from links of the grant with
// the id, directly or indirectly; with link also those that came from the same code
// as that grant. The grant itself is not included. d.mu is locked.
func (d *Authenticator) descendants(id string, link bool) []string {
	ids := []string{id}
	add := func(of func(Grant) bool) {
		for _, g := range d.grants {
			if of(g) && !slices.Contains(ids, g.ID) {
				ids = append(ids, g.ID)
			}
		}
	}
	if link {
		for _, g := range d.grants {
			if code := g.Code; g.ID == id && code != "" {
				add(func(other Grant) bool { return other.Code == code })
			}
		}
	}
	for i := 0; i < len(ids); i++ {
		add(func(g Grant) bool { return g.Maker == ids[i] })
	}
	slices.Sort(ids[1:])
	return ids[1:]
}

// Revoke ends the grant with the public id at once. The PIN or the link that its
// bearer used ends with it, and so does every link that the bearer made. Grants
// that came from those links remain: see RevokeAll. The grant has ended even if
// Revoke returns an error, unless that is ErrToken; but until the GrantStore
// deletes it, it is valid again after a restart. Calling Revoke again retries the
// deletion.
func (d *Authenticator) Revoke(id string) (Grant, error) { return d.RevokeAll(id, Alone, nil) }

// A Scope says which grants RevokeAll ends besides the one that it names.
type Scope int

// The scopes.
const (
	Alone      Scope = iota // no others
	Below                   // those that came from its links, directly or indirectly
	OfSameLink              // and those that came from the same code, with all below them
)

// RevokeAll is Revoke for the grant with the id and the others of the scope. They end
// in one step, so that none of them lets another device in meanwhile. Then gone, which
// may be nil, is called for each, the named one first; it must not pair or revoke.
func (d *Authenticator) RevokeAll(id string, scope Scope, gone func(Grant)) (Grant, error) {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.mu.Lock()
	named, known := d.endGrant(id)
	if !known {
		d.mu.Unlock()
		return Grant{}, fmt.Errorf("%w: %q", ErrToken, id)
	}
	ended := []Grant{named}
	if scope != Alone {
		for _, other := range d.descendants(id, scope == OfSameLink) {
			g, _ := d.endGrant(other)
			ended = append(ended, g)
		}
	}
	for _, g := range ended {
		d.codes = slices.DeleteFunc(d.codes, func(c code) bool { return c.id == g.Code || c.maker == g.ID })
	}
	d.mu.Unlock()
	var err error
	for _, g := range ended {
		if gone != nil {
			gone(g)
		}
		if wrong := d.deleteGrant(g); err == nil {
			err = wrong
		}
	}
	return named, err
}

// Replace ends the grant with the public id as Revoke does, but leaves valid the code
// that it came from and its links: its bearer has another grant, by, which the links now
// belong to.
func (d *Authenticator) Replace(id, by string) (Grant, error) {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.mu.Lock()
	g, known := d.endGrant(id)
	if !known {
		d.mu.Unlock()
		return Grant{}, fmt.Errorf("%w: %q", ErrToken, id)
	}
	var moved []Grant
	for i := range d.codes {
		if d.codes[i].maker == id {
			d.codes[i].maker = by
		}
	}
	for key, child := range d.grants {
		if child.Maker == id {
			child.Maker = by
			d.grants[key] = child
			moved = append(moved, child)
		}
	}
	d.mu.Unlock()
	err := d.deleteGrant(g)
	for _, child := range moved {
		if wrong := d.store.PutGrant(child); wrong != nil && err == nil {
			err = fmt.Errorf("access: %w", wrong)
		}
	}
	return g, err
}

// endGrant ends the grant with the id in memory, and returns it as it was. d.mu is
// locked.
func (d *Authenticator) endGrant(id string) (g Grant, known bool) {
	for key, g := range d.grants {
		if g.ID == id {
			ended := g
			ended.Expires = time.Unix(1, 0) // long ago; in the store it may remain as it was
			d.grants[key] = ended
			return g, true
		}
	}
	return Grant{}, false
}

// deleteGrant deletes a grant that has ended. d.changing is locked.
func (d *Authenticator) deleteGrant(g Grant) error {
	if err := d.store.DeleteGrant(g.ID); err != nil {
		return fmt.Errorf("access: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.grants, func(_ [sha256.Size]byte, one Grant) bool { return one.ID == g.ID })
	return nil
}

// guessedTooOften reports whether the address, or all addresses together, have
// guessed too often, and how long they must wait.
func (d *Authenticator) guessedTooOften(now time.Time, address string) (time.Duration, bool) {
	if len(d.wrongOfAll) >= totalLimit {
		return d.wrongOfAll[len(d.wrongOfAll)-totalLimit].Add(time.Hour).Sub(now), true
	}
	if notes := d.wrong[address]; len(notes) >= addressLimit {
		return notes[len(notes)-addressLimit].Add(time.Minute).Sub(now), true
	}
	return 0, false
}

func (d *Authenticator) countWrong(now time.Time, address string) {
	d.wrongOfAll = append(d.wrongOfAll, now)
	d.wrong[address] = append(d.wrong[address], now) // totalLimit bounds them all
}

// forgetOld drops expired codes and old wrong guesses.
func (d *Authenticator) forgetOld(now time.Time) {
	d.codes = slices.DeleteFunc(d.codes, func(c code) bool { return !isValid(c.expires, now) })
	older := func(age time.Duration) func(time.Time) bool {
		return func(t time.Time) bool { return now.Sub(t) >= age }
	}
	d.wrongOfAll = slices.DeleteFunc(d.wrongOfAll, older(time.Hour))
	for address, notes := range d.wrong {
		if notes = slices.DeleteFunc(notes, older(time.Minute)); len(notes) == 0 {
			delete(d.wrong, address)
		} else {
			d.wrong[address] = notes
		}
	}
}

func isValid(expires, now time.Time) bool { return expires.IsZero() || now.Before(expires) }

// newToken returns 256 random bits as 43 characters for a cookie or a link.
func newToken() string {
	var raw [tokenBytes]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// hashCode hashes a code as typed, without the spaces and hyphens of a PIN.
func hashCode(text string) [sha256.Size]byte {
	if len(text) < tokenBytes {
		text = strings.NewReplacer(" ", "", "-", "").Replace(text)
	}
	return sha256.Sum256([]byte(text))
}

package handlers

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"time"
)

// The cookie that identifies a browser. Under TLS it has a separate name, which
// browsers send to this host over TLS only, so that a plain page of the same host
// can neither read nor replace it.
const (
	cookieName       = "mybot"
	secureCookieName = "__Host-mybot"
)

// cookieAge is how long a cookie identifies a browser; browsers limit it to 400
// days.
const cookieAge = 400 * 24 * time.Hour

// A cookie has 256 bits.
const cookieBytes = 32

// keepCookie makes sure that the browser has a cookie that this robot made: a
// token, or one for a browser that needs no token. It replaces a value that an
// attacker made up and planted, because with it the attacker could pose as that
// browser. It sends the cookie again each time, so that one in use does not expire.
func (h *Handler) keepCookie(w http.ResponseWriter, r *http.Request) {
	secure := callerOf(r).secure
	value, ok := cookieOf(r, secure)
	if _, token := h.cfg.Access.Lookup(h.clock.now(), value); !ok || !token && !h.isSealed(value) {
		value = h.newCookie()
	}
	setCookie(w, value, secure)
}

// newCookie returns a cookie for a browser that needs no token: random bits, and a
// seal that proves that this robot made it.
func (h *Handler) newCookie() string {
	var secret [cookieBytes / 2]byte
	_, _ = rand.Read(secret[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(append(secret[:], h.sealOf(secret[:])...))
}

// isSealed reports whether newCookie made the cookie.
func (h *Handler) isSealed(value string) bool {
	secret, err := base64.RawURLEncoding.Strict().DecodeString(value)
	return err == nil && len(secret) == cookieBytes && hmac.Equal(secret[cookieBytes/2:], h.sealOf(secret[:cookieBytes/2]))
}

func (h *Handler) sealOf(secret []byte) []byte {
	mac := hmac.New(sha256.New, h.cfg.CookieKey)
	mac.Write(secret)
	return mac.Sum(nil)[:cookieBytes/2]
}

func setCookie(w http.ResponseWriter, value string, secure bool) {
	http.SetCookie(w, &http.Cookie{
		Name:     nameOfCookie(secure),
		Value:    value,
		Path:     "/",
		MaxAge:   int(cookieAge / time.Second),
		HttpOnly: true,
		Secure:   secure,
		SameSite: http.SameSiteStrictMode,
	})
}

// cookieOf returns the browser's cookie; ok is false if it has none of the right
// length. Whether this robot made it, keepCookie finds out.
func cookieOf(r *http.Request, secure bool) (value string, ok bool) {
	for _, c := range r.CookiesNamed(nameOfCookie(secure)) {
		secret, err := base64.RawURLEncoding.Strict().DecodeString(c.Value)
		if err == nil && len(secret) == cookieBytes {
			return c.Value, true
		}
	}
	return "", false
}

func nameOfCookie(secure bool) string {
	if secure {
		return secureCookieName
	}
	return cookieName
}

// browserOf identifies the browser by a hash of its cookie. The hash can be stored
// on disk; the cookie itself is enough to pose as the browser.
func browserOf(cookie string) string {
	sum := sha256.Sum256([]byte(cookie))
	return hex.EncodeToString(sum[:])
}

package handlers

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"time"
)

// The cookie that tells one browser from another. Under TLS it has a name of
// its own that browsers keep from everybody but this host over TLS, so that a
// plain page of the same host neither sees nor replaces it.
const (
	cookieName       = "mybot"
	secureCookieName = "__Host-mybot"
)

// cookieAge is how long a browser is known by its cookie; browsers cut it to
// 400 days.
const cookieAge = 400 * 24 * time.Hour

// A cookie is 256 random bits.
const cookieBytes = 32

// keepCookie makes sure that the browser has a cookie. It is sent again each
// time, so that one in use does not run out.
func keepCookie(w http.ResponseWriter, r *http.Request) {
	secure := callerOf(r).secure
	value, ok := cookieOf(r, secure)
	if !ok {
		secret := make([]byte, cookieBytes)
		rand.Read(secret) // never fails
		value = base64.RawURLEncoding.EncodeToString(secret)
	}
	setCookie(w, value, secure)
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

// cookieOf returns the browser's cookie; ok is false when it has none, or one
// that this server has not made.
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

// browserOf names the browser without giving away its cookie, which is all it
// takes to be that browser: what is kept on disk is the hash.
func browserOf(cookie string) string {
	sum := sha256.Sum256([]byte(cookie))
	return hex.EncodeToString(sum[:])
}

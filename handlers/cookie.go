package handlers

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"time"
)

// cookieName is the cookie that tells one browser from another.
const cookieName = "mybot"

// cookieAge is how long a browser is known by its cookie; browsers cut it to
// 400 days.
const cookieAge = 400 * 24 * time.Hour

// A cookie is 256 random bits.
const cookieBytes = 32

// giveCookie makes sure that the browser has a cookie. It is sent again each
// time, so that one in use does not run out.
func giveCookie(w http.ResponseWriter, r *http.Request) {
	value, ok := cookieOf(r)
	if !ok {
		secret := make([]byte, cookieBytes)
		rand.Read(secret) // never fails
		value = base64.RawURLEncoding.EncodeToString(secret)
	}
	http.SetCookie(w, &http.Cookie{
		Name:     cookieName,
		Value:    value,
		Path:     "/",
		MaxAge:   int(cookieAge / time.Second),
		HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
}

// cookieOf returns the browser's cookie; ok is false when it has none, or one
// that this server has not made.
func cookieOf(r *http.Request) (value string, ok bool) {
	for _, c := range r.CookiesNamed(cookieName) {
		secret, err := base64.RawURLEncoding.Strict().DecodeString(c.Value)
		if err == nil && len(secret) == cookieBytes {
			return c.Value, true
		}
	}
	return "", false
}

// browserOf names the browser without giving away its cookie, which is all it
// takes to be that browser: what is kept on disk is the hash.
func browserOf(cookie string) string {
	sum := sha256.Sum256([]byte(cookie))
	return hex.EncodeToString(sum[:])
}

package handlers

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"mybot/session"
)

// A caller is the sender of a request, as far as the request identifies it.
type caller struct {
	session.Identity
	token   string     // that the caller presented; "" = none
	address netip.Addr // of the caller's computer; behind a trusted proxy, of the computer that asked the proxy
	local   bool       // the caller is on this computer, without a proxy in between
	secure  bool       // the caller speaks TLS
}

// deviceName names the caller's device in the audit log.
func (c caller) deviceName() string {
	if c.Grant == "" {
		return fmt.Sprintf("%s at %s", c.Role, c.address)
	}
	return fmt.Sprintf("%s (device %s) at %s", c.Role, c.Grant, c.address)
}

// callerKey is the key of the caller in a request's context.
type callerKey struct{}

func callerOf(r *http.Request) caller {
	c, _ := r.Context().Value(callerKey{}).(caller)
	return c
}

// withCaller identifies the caller. Behind a trusted proxy it replaces r.Host by
// the name that the caller asked the proxy for, so that everything after it sees
// the request as the caller made it.
func (h *Handler) withCaller(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := caller{address: addressOf(r.RemoteAddr), secure: r.TLS != nil}
		proxied := throughProxy(r.Header)
		if proxied && h.isTrustedProxy(c.address) {
			c.address = h.clientBehind(c.address, r.Header)
			if host := lastEntry(r.Header, "X-Forwarded-Host"); host != "" {
				r = r.Clone(r.Context())
				r.Host = host
			}
			c.secure = strings.EqualFold(lastEntry(r.Header, "X-Forwarded-Proto"), "https")
		}
		c.local = !proxied && c.address.IsLoopback() && isLoopbackName(hostOf(r.Host))
		c.Identity = h.identityOf(r, &c)
		defer serveOn(r, c)()
		if c.Role == session.Stranger {
			w.Header().Set("Connection", "close") // strangers do not occupy a connection
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}

// identityOf returns the identity of the request's token. Users at the robot's own
// computer need none: they are operators.
func (h *Handler) identityOf(r *http.Request, c *caller) session.Identity {
	id := session.Identity{Remote: c.address.String()}
	token, isBearer := bearerOf(r)
	if !isBearer {
		token, _ = cookieOf(r, c.secure)
	}
	if c.token = token; token != "" {
		id.Browser = browserOf(token)
	}
	if g, ok := h.cfg.Access.Lookup(h.clock.now(), token); ok {
		id.Role, id.Camera, id.Name, id.Grant, id.Link = g.Role, g.Camera, g.Name, g.ID, g.Code
	}
	switch {
	case isBearer && h.cfg.Owner != "" && subtle.ConstantTimeCompare([]byte(token), []byte(h.cfg.Owner)) == 1:
		id.Role, id.Camera, id.Name = session.Admin, true, "Command line"
	case isBearer: // exactly what the token permits, so that a wrong one is noticed
	case c.local && id.Role < session.Operator:
		id.Role, id.Camera, id.Grant, id.Link = session.Operator, true, "", ""
	}
	return id
}

// bearerOf returns the token of a command line. ok is false if there is no
// Authorization header, and true with "" if it is of another kind.
func bearerOf(r *http.Request) (token string, ok bool) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return "", false
	}
	kind, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(kind, "Bearer") {
		return "", true
	}
	return strings.TrimSpace(token), true
}

// forwarding names the headers by which a proxy identifies itself.
var forwarding = []string{"Forwarded", "Via", "X-Real-Ip"}

// throughProxy reports whether the request came through a proxy.
func throughProxy(header http.Header) bool {
	for name := range header {
		if slices.Contains(forwarding, name) || strings.HasPrefix(name, "X-Forwarded-") {
			return true
		}
	}
	return false
}

// isTrustedProxy reports whether a proxy at the address is trusted.
func (h *Handler) isTrustedProxy(address netip.Addr) bool {
	return slices.ContainsFunc(h.cfg.Proxies, func(p netip.Prefix) bool { return p.Contains(address) })
}

// clientBehind returns the rightmost address in X-Forwarded-For that is not a
// trusted proxy, because the entries to the left of it may be forged. If there is
// none, it returns the address of the farthest proxy.
func (h *Handler) clientBehind(proxy netip.Addr, header http.Header) netip.Addr {
	hops := strings.Split(strings.Join(header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		address := addressOf(strings.TrimSpace(hop))
		if !address.IsValid() {
			break
		}
		if proxy = address; !h.isTrustedProxy(address) {
			break
		}
	}
	return proxy
}

// lastEntry returns the rightmost entry of a list header, which the nearest proxy
// wrote.
func lastEntry(header http.Header, name string) string {
	list := strings.Split(strings.Join(header.Values(name), ","), ",")
	return strings.TrimSpace(list[len(list)-1])
}

// addressOf parses an address with or without a port; the result is invalid if
// there is none.
func addressOf(text string) netip.Addr {
	if full, err := netip.ParseAddrPort(text); err == nil {
		return full.Addr().Unmap()
	}
	address, _ := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap()
}

// hostOf returns the name in a Host header without its port, in lower case.
func hostOf(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// isLoopbackName reports whether the name always means this computer.
func isLoopbackName(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

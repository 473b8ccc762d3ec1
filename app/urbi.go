package app

import (
	"context"
	"fmt"
	"net"
	"slices"

	"mybot/handlers"
	"mybot/robot"
)

// newUrbiPort returns the port for scripts. Without a listener it serves the consoles of
// pages only. lines delivers what scripts say.
func (s *server) newUrbiPort(lines handlers.ScriptLines) (*handlers.UrbiPort, error) {
	ln := s.cfg.Urbi
	var addr net.Addr
	if ln != nil {
		addr = ln.Addr()
	}
	if ln != nil && onNetwork(ln.Addr()) && s.entrance.tls == nil {
		return nil, fmt.Errorf("--urbi %s lets other computers in, so it needs --tls; or leave it out, and only this computer reaches it", ln.Addr())
	}
	return handlers.NewUrbiPort(addr, handlers.UrbiConfig{
		Session: s.hub,
		Lines:   lines,
		IsOpen:  s.isUnitOpen,
		Hello: func() string {
			hello, _ := s.saved.Get(handlers.HelloScript)
			return hello.Text
		},
		Access: s.access,
		Owner:  s.entrance.key.Token,
		Revoke: func(grant string) {
			s.hub.Revoke(grant)
			if s.broadcaster != nil {
				s.broadcaster.RevokeGrant(grant)
			}
		},
		TLS: s.entrance.tls,
		Log: s.log,
	})
}

// isUnitOpen reports whether the unit of a connection exists.
func (s *server) isUnitOpen(unit string) bool {
	state, ok := s.states.load()
	return ok && state.Scripts != nil && slices.ContainsFunc(state.Scripts.Units, func(u robot.ScriptUnit) bool { return u.Name == unit })
}

// serveUrbi serves the port for scripts until ctx ends.
func (s *server) serveUrbi(ctx context.Context) error { return s.urbi.Serve(ctx, s.cfg.Urbi) }

// urbiAddress returns where programs on this computer reach the port for scripts; "" = not
// at all.
func urbiAddress(ln net.Listener) string {
	if ln == nil {
		return ""
	}
	tcp, ok := ln.Addr().(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return ln.Addr().String()
	}
	return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: tcp.Port}).String()
}

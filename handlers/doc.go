// Package handlers decides which URL does what: the page, its files, the
// WebSocket that the page drives the robot through, STOP by a form, health and
// metrics. session/protocol.md lists them.
//
// Contract: a Handler may be called from any goroutine. Each WebSocket has its
// own goroutines, which have all ended when Shutdown returns; net/http's own
// Shutdown does not know of them. A socket's frames go to its session.User in
// the order they came, from one goroutine, and from its session.User to the
// page from another.
//
// In this step only people at the robot's own computer come in: a request whose
// Host is not a loopback name or the address listened on, or that came through
// a proxy, is refused.
package handlers

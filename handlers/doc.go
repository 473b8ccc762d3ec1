// Package handlers decides which URL does what, and for whom: the page, its
// files, the WebSocket that the page drives the robot through, the REST way in
// for the command line, pairing, health and metrics. session/protocol/protocol.md lists
// them.
//
// Every request passes the same gate, in this order: it names this computer
// (against DNS rebinding), no page of another site has made it, its address has
// not asked too much, and its caller has the role that the route needs. A
// caller is an operator when the request comes from this computer itself by no
// proxy; otherwise a token says who it is, and without one it is a stranger,
// who sees where one pairs and nothing else.
//
// Contract: a Handler may be called from any goroutine. Each WebSocket has its
// own goroutines, which have all ended when Shutdown returns; net/http's own
// Shutdown does not know of them. A socket's frames go to its session.User in
// the order they came, from one goroutine, and from its session.User to the
// page from another.
package handlers

// Package handlers decides which URL does what, and for whom: the page, its files,
// the WebSocket through which the page drives the robot, the REST interface for the
// command line, pairing, health and metrics. session/protocol/protocol.md lists the
// URLs.
//
// Every request passes the same checks, in this order: its Host names this computer
// (against DNS rebinding), it does not come from a page of another site, its
// caller has not exceeded the rate limit, and its caller has the role that the
// route needs. A caller on this computer, without a proxy, is an operator;
// otherwise a token identifies the caller, and without one the caller is a
// stranger, who sees the pairing page and nothing else.
//
// Contract: any goroutine may call a Handler. Each WebSocket has its own
// goroutines, which have all ended when Shutdown returns; net/http's own Shutdown
// does not know about them. One goroutine passes a socket's frames to its
// session.User in order of arrival, and another sends the session.User's frames to
// the page.
package handlers

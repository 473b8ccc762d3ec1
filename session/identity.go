package session

import (
	"net/netip"

	"mybot/session/protocol"
)

// Identity is who is at the other end of a connection, as far as the connection
// shows.
type Identity struct {
	Browser string // a random word that identifies the browser or command line
	Remote  string // network address, for the log
	Role    Role   // a Stranger may not join
	Camera  bool   // may see and hear through the robot
	Name    string // from the grant; "" = none
	Grant   string // id of the grant, for Revoke; "" = none was needed
	Link    string // id of the PIN or link that gave the grant; "" = none or unknown
}

// Sharer returns what shares places with others: the device, or of observers the link by
// which they came, because each browser that opens it is a device.
func (id Identity) Sharer() string {
	if id.SharesLink() {
		return id.Link
	}
	return id.Grant
}

// SharesLink reports whether Sharer is a link. Of an observer who came by an earlier version
// the link may be unknown.
func (id Identity) SharesLink() bool { return id.Role < Operator && id.Link != "" }

// displayName returns the display name of an API user.
func (id Identity) displayName() string {
	if protocol.IsName(id.Name) {
		return id.Name
	}
	if a, err := netip.ParseAddr(id.Remote); err == nil && a.IsLoopback() {
		return "a program on the robot's computer"
	}
	return "a program at " + id.Remote
}

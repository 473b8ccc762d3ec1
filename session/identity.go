package session

import (
	"net/netip"

	"mybot/session/protocol"
)

// Identity is who is at the other end of a connection, as far as the connection
// itself shows.
type Identity struct {
	Browser string // a random word by which the browser or command line is recognized
	Remote  string // network address, for the log
	Role    Role   // a Stranger is not let in
	Camera  bool   // may see and hear through the robot
	Name    string // that came with the grant; "" = none
	Grant   string // id of the grant that let it in, for Revoke; "" = none was needed
}

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

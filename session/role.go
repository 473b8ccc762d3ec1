package session

import (
	"fmt"
	"slices"
	"strings"
)

// A Role is what a person may do. Each role includes the lower ones, down to Observer.
type Role int

// The roles. A Stranger has shown no token, and neither sees nor moves anything.
const (
	Stranger Role = iota
	Observer      // sees the state, may stop
	Operator      // may have control
	Admin         // may take control and change settings
)

var roleNames = [...]string{"stranger", "observer", "operator", "admin"}

// String returns the role's name.
func (r Role) String() string {
	if r < Stranger || r > Admin {
		return fmt.Sprintf("role(%d)", int(r))
	}
	return roleNames[r]
}

// MarshalText returns the role's name.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a role's name.
func (r *Role) UnmarshalText(text []byte) error {
	i := slices.Index(roleNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("session: there is no role %q; the roles are %s", text, strings.Join(roleNames[1:], ", "))
	}
	*r = Role(i)
	return nil
}

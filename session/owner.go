package session

// thisComputer owns what was made at the robot's own computer, which needs no
// grant.
const thisComputer = "this computer"

// Owner returns the owner of a motion or job from the grant of the user who made
// it; "" = no grant was needed. Each grant is a separate owner.
func Owner(grant string) string {
	if grant == "" {
		return thisComputer
	}
	return grant
}

// MayDelete reports whether a user with the role and grant may delete what the
// owner made: the owner may, and so may admins and users at the robot's own
// computer. Any user may delete what has no recorded owner, "".
func MayDelete(role Role, grant, owner string) bool {
	return role >= Admin || grant == "" || owner == "" || grant == owner
}

package session

// thisComputer owns what was made at the robot's own computer, where no grant is
// needed.
const thisComputer = "this computer"

// Owner returns the owner of a motion or job that a user with the grant made; "" =
// no grant was needed. Another grant is another owner.
func Owner(grant string) string {
	if grant == "" {
		return thisComputer
	}
	return grant
}

// MayDelete reports whether a user with the role and grant may delete what the owner
// made: the owner, an admin, and a user at the robot's own computer may. What has no
// recorded owner, "", every user may delete.
func MayDelete(role Role, grant, owner string) bool {
	return role >= Admin || grant == "" || owner == "" || grant == owner
}

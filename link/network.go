package link

import (
	"slices"
	"sync"
	"time"
)

// A Network is the simulated network of all users: each user has a pair of paths
// with random numbers of their own, and all share one profile, which may change
// while they are in use. Several goroutines may use it.
type Network struct {
	mu      sync.Mutex
	profile Profile
	seed    uint64
	given   uint64
	paths   []*Path // of the connected users
}

// NewNetwork returns a network with the profile; the zero Profile adds no
// impairment. seed determines all its random numbers.
func NewNetwork(p Profile, seed uint64) *Network { return &Network{profile: p, seed: seed} }

// AddUser returns both directions of a new user's network. RemoveUser must follow.
func (n *Network) AddUser() (up, down *Path) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.given++
	up, down = NewPair(n.profile, n.seed+n.given)
	n.paths = append(n.paths, up, down)
	return up, down
}

// RemoveUser removes a user's network.
func (n *Network) RemoveUser(up, down *Path) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.paths = slices.DeleteFunc(n.paths, func(p *Path) bool { return p == up || p == down })
}

// SetProfile changes the profile of all users from now on. Messages in flight
// arrive as before.
func (n *Network) SetProfile(p Profile) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.profile = p
	for _, path := range n.paths {
		path.setProfile(p)
	}
}

// Profile returns the profile of all users' networks.
func (n *Network) Profile() Profile {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.profile
}

// setProfile changes the profile of the path. A stream still preserves order, and a
// stream that gave up stays dead.
func (p *Path) setProfile(profile Profile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.profile = withGap(profile)
	p.stalls = stallsOf(p.profile, p.stalls.luck)
	p.bursts = burstsOf(p.profile, p.bursts.luck)
	p.clear = time.Time{}
}

// withGap returns the profile with a mean time between stalls.
func withGap(p Profile) Profile {
	if p.StallGap <= 0 {
		p.StallGap = defaultStallGap
	}
	return p
}

package link

// New returns one direction of a network whose random numbers come from seed.
func New(p Profile, seed uint64) *Path { return newPath(p, seed, 0) }

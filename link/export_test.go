package link

// New returns one direction of a network, whose luck is that of seed.
func New(p Profile, seed uint64) *Path { return newPath(p, seed, 0) }

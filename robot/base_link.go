package robot

import "time"

// A BaseLink is the state of the connection to a base at one time. A base that is out of
// reach is a state, not an error of Driver.Read: the driver keeps trying to reconnect.
type BaseLink struct {
	Up        bool          // readings arrive
	Why       string        // sentence about why not, or about another problem of the connection; "" = none
	Since     time.Time     // when Up last changed
	Malformed uint64        // invalid lines from the base since the start
	Restarts  uint64        // number of times since the start that the base reconnected or restarted
	RoundTrip time.Duration // of the newest ping; 0 = unknown
	Gone      []LostPart    // parts of a composite base that are out of reach; read-only
}

// A LostPart is a base of a composite robot that is out of reach.
type LostPart struct {
	Name string // from its description
	Sees bool   // it has range sensors
}

// A Linked is implemented by a driver that reaches its base over a connection. BaseLink may
// be called from any goroutine.
type Linked interface {
	BaseLink() BaseLink
}

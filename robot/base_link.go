package robot

import "time"

// A BaseLink is what is known of the line to a base at one time. A base that is
// out of reach is a state and not an error of Driver.Read: the driver connects
// again and again.
type BaseLink struct {
	Up        bool          // readings come
	Why       string        // why not, or what else is wrong with the line, in a sentence; "" = nothing is
	Since     time.Time     // since when that is so
	Malformed uint64        // lines of the base that could not be read, since the start
	Restarts  uint64        // how often the base was there again after it was gone or had restarted, since the start
	RoundTrip time.Duration // of the newest ping; 0 = not known
	Gone      []LostPart    // those of a robot of several bases that are out of reach; not written to
}

// A LostPart is a base of a composite robot that is out of reach.
type LostPart struct {
	Name string // in its description
	Sees bool   // it has range sensors
}

// A Linked is the part of a driver whose base is at the end of a line. BaseLink may
// be called from any goroutine.
type Linked interface {
	BaseLink() BaseLink
}

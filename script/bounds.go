package script

// The bounds of what people can write and run. What is beyond one is named in a
// sentence, and nothing else suffers.
const (
	MaxScript         = 64 << 10 // bytes of a script, and of a command that arrives
	MaxNesting        = 64       // blocks and brackets in each other, and calls in each other
	MaxUnitStatements = 256      // running in a unit
	MaxStatements     = 2000     // running in all units
	MaxVariables      = 1000     // of a unit
	MaxText           = 4 << 10  // bytes of a text
	MaxList           = 1000     // elements of a list
	MaxBinary         = 1 << 20  // bytes of a picture or a sound
	MaxMemory         = 4 << 20  // bytes of all that a machine remembers
	MaxSteps          = 10_000   // in a tick, by all units together
	MaxLines          = 1000     // that a unit says at once
	LinesPerSecond    = 200      // that a unit says on average
	MaxFaults         = 10       // in a second under one tag, before the tag is stopped

	maxName  = 100 // letters of a name
	maxParts = 8   // of a path, with dots between them

	askTime   = 10 * second // until an answer must be there
	followLag = 1 * second  // until a device has followed
	cutTime   = 1 * second  // until a unit that takes too many steps is named
)

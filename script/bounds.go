package script

// Bounds on what people can write and run. Exceeding one causes a fault with a sentence,
// and affects nothing else.
const (
	MaxScript         = 64 << 10 // bytes of a script, and of a command that arrives
	MaxNesting        = 64       // levels of blocks and brackets, and of calls
	MaxUnitStatements = 256      // running in a unit
	MaxStatements     = 2000     // running in all units
	MaxVariables      = 1000     // of a unit; also groups, and frozen or blocked tags, in all
	MaxText           = 4 << 10  // bytes of a text
	MaxList           = 1000     // elements of a list
	MaxBinary         = 1 << 20  // bytes of a picture or a sound
	MaxMemory         = 4 << 20  // bytes of everything that a machine stores
	MaxSteps          = 10_000   // per tick, for all units together
	MaxLines          = 1000     // in one burst of a unit
	LinesPerSecond    = 200      // of a unit, on average
	MaxFaults         = 10       // per second under one tag, before the machine stops the tag

	maxName  = 100 // letters of a name
	maxParts = 8   // names in a path

	overdraft = 2000 // steps of the next ticks that a call within a value may take

	frameSteps  = 6   // that a frame for variables takes: of a turn of foreach, a block, a call
	limitSteps  = 4   // that beginning a timeout, stopif or freezeif takes
	tagSteps    = 3   // that beginning a command with a tag takes
	joinedAStep = 256 // bytes of a text that are joined in a step

	comparedInAStep = 64      // tags, or pairs of letters for a suggestion
	maxCompared     = 100_000 // pairs of letters for one suggestion

	askTime   = 10 * second // for the host to answer
	followLag = 1 * second  // for a device to follow its setting
	cutTime   = 1 * second  // before the machine reports a unit that takes too many steps
)

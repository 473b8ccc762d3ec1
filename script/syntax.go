package script

// A command is one node of a program.
type command interface {
	// begin starts the command at a time. It returns its runner, or nil if the command is
	// over at once.
	begin(s *scope, at Time) (runner, *Fault)
}

// An expression has a value.
type expression interface {
	eval(s *scope, at Time) (Value, *Fault)
	place() Pos
}

// A Program is a script, or a block of one.
type Program struct {
	items  []item
	hasVar bool // it declares a variable outside of its inner blocks
	size   int  // bytes of its text
}

// A path is a name with dots.
type path struct {
	parts []string
	text  string // the parts, joined
	base  string // without the last part, "" = there is one part
	last  string // the last part
	rest  string // without the first part
	pos   Pos
}

type tagFlags struct{ begin, end, errors bool }

// The commands that contain others.
type (
	parallel struct{ parts []command }
	serial   struct{ parts []command }
	tagged   struct {
		pos   Pos
		tag   string
		flags tagFlags
		body  command
	}
	block struct {
		pos     Pos
		program *Program
	}
	ifCommand struct {
		pos       Pos
		condition expression
		body      command
		otherwise command // nil = none
	}
	whileCommand struct {
		pos       Pos
		condition expression // nil = loop
		body      command
	}
	loopnCommand struct {
		pos   Pos
		count expression
		body  command
	}
	forCommand struct {
		pos       Pos
		first     command
		condition expression
		next      command
		body      command
	}
	foreachCommand struct {
		pos  Pos
		name string
		list expression
		body command
	}
	everyCommand struct {
		pos    Pos
		period expression
		body   command
	}
	atCommand struct {
		pos     Pos
		test    *test
		body    command
		onleave command // nil = none
	}
	wheneverCommand struct {
		pos       Pos
		test      *test
		body      command
		otherwise command // nil = none
	}
	timeoutCommand struct {
		pos   Pos
		after expression
		body  command
	}
	stopifCommand struct {
		pos  Pos
		test *test
		body command
	}
	freezeifCommand struct {
		pos  Pos
		test *test
		body command
	}
)

// A test is the condition of a watch: a value or an event.
type test struct {
	pos   Pos
	value expression // nil = an event
	event string
	of    string   // the unit of the event, "" = of any
	names []string // of the event's values
	bare  bool     // value is one name, which is an event unless a variable has it
	soft  expression
	// softTime means that soft is a time rather than a number of ticks.
	softTime bool
}

// The commands that set something.
type (
	setCommand struct {
		path      path
		only      bool // exclude the members of a group
		normal    bool // 'n: normalized, 0 to 1 over the range
		value     expression
		modifiers []modifier
		declare   bool // var
	}
	propertyCommand struct {
		path     path
		property string
		value    expression
		pos      Pos
	}
)

// A modifier specifies how a value moves.
type modifier struct {
	name  string
	value expression
	pos   Pos
}

// The actions.
type (
	valueCommand struct {
		value expression
	}
	callCommand struct {
		call *call
		only bool
	}
	waitCommand struct {
		pos  Pos
		time expression
	}
	noopCommand      struct{ pos Pos }
	waituntilCommand struct {
		pos  Pos
		test *test
	}
	echoCommand struct {
		pos   Pos
		value expression
	}
	returnCommand struct {
		pos   Pos
		value expression // nil = none
	}
	loadCommand struct {
		pos  Pos
		name expression
	}
	emitCommand struct {
		pos    Pos
		event  string
		of     string // the unit that is to hear it, "" = all
		values []expression
	}
	tagCommand struct {
		pos Pos
		tag path
		do  string // stop, freeze, unfreeze, block, unblock
	}
	defCommand struct {
		pos   Pos
		path  path
		names []string
		body  *Program
	}
	undefCommand struct{ path path }
	groupCommand struct {
		path    path
		members []path
		define  bool
	}
	blendCommand struct {
		path path
		mode string // "" = report the mode
		pos  Pos
	}
	tellCommand struct {
		path path
		what string // unit, rangemin, rangemax, info
		pos  Pos
	}
	killallCommand struct {
		pos  Pos
		name string
	}
	plainCommand struct {
		pos  Pos
		what string // quit, devices, connections, ping, motoron, motoroff
	}
)

// The expressions.
type (
	literal struct {
		pos   Pos
		value Value
	}
	listExpression struct {
		pos      Pos
		elements []expression
	}
	unaryExpression struct {
		pos  Pos
		sign string
		of   expression
	}
	binaryExpression struct {
		pos         Pos
		sign        operator
		left, right expression
	}
	readExpression struct {
		path   path
		normal bool
		only   bool
		isTime bool // the name time
	}
	propertyExpression struct {
		path     path
		property string
		pos      Pos
	}
	call struct {
		path   path
		values []expression
	}
)

func (e *literal) place() Pos            { return e.pos }
func (e *listExpression) place() Pos     { return e.pos }
func (e *unaryExpression) place() Pos    { return e.pos }
func (e *binaryExpression) place() Pos   { return e.pos }
func (e *readExpression) place() Pos     { return e.path.pos }
func (e *propertyExpression) place() Pos { return e.path.pos }
func (c *call) place() Pos               { return c.path.pos }

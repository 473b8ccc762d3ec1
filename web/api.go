package web

// APIData is what the page about the HTTP interface tells.
type APIData struct {
	Name   string // of the robot
	Build  string
	Text   string
	Groups []APIGroup
	Shapes []APIShape
}

// An APIGroup is a part of the interface.
type APIGroup struct {
	Name, Text string
	Operations []APIOperation
}

// An APIOperation is one thing to ask for.
type APIOperation struct {
	ID, Method, Path, Summary, Text string
	Role                            string // who may
	Fields                          []APIField
	Body                            *APIBody // nil = none
	Answers                         []APIAnswer
}

// An APIField is a parameter or a member of an object.
type APIField struct {
	Name, Kind, Text string
	Required         bool
}

// An APIBody is what is sent or comes back.
type APIBody struct {
	Media   string // "" = nothing
	Kind    string
	Fields  []APIField
	Example string
}

// An APIAnswer is one by its status.
type APIAnswer struct {
	Status, Text string
	Body         APIBody
}

// An APIShape is a kind of value that has a name.
type APIShape struct {
	Name, Kind, Text string
	Fields           []APIField
}

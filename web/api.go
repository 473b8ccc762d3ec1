package web

// APIData is the data of the page about the HTTP interface.
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

// An APIOperation is one operation.
type APIOperation struct {
	ID, Method, Path, Summary, Text string
	Role                            string // required role
	Fields                          []APIField
	Body                            *APIBody // nil = none
	Answers                         []APIAnswer
}

// An APIField is a parameter or a member of an object.
type APIField struct {
	Name, Kind, Text string
	Required         bool
}

// An APIBody is the body of a request or an answer.
type APIBody struct {
	Media   string // "" = nothing
	Kind    string
	Fields  []APIField
	Example string
}

// An APIAnswer is the answer for a status.
type APIAnswer struct {
	Status, Text string
	Body         APIBody
}

// An APIShape is a named type of values.
type APIShape struct {
	Name, Kind, Text string
	Fields           []APIField
}

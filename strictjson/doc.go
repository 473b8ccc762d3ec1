// Package strictjson reads JSON that people and programs send, strictly: an
// unknown field, one that comes twice, a missing one and a value of a wrong kind
// are faults. A fault names the field with its path, what it is, and what would
// be right.
//
// Check looks at a whole document. Above it there are three readers: Members,
// Elements, Unquote, Number and Numbers step through a document that is valid
// without allocating; an Object takes fields one by one and reports all faults
// of a document; Decode reads into a struct, and its error names the first fault.
package strictjson

// Package strictjson reads JSON from people and programs strictly: unknown,
// duplicate and missing fields, and values of a wrong kind are faults. A fault
// names the field with its path, what it is, and what would be right.
//
// Check checks a whole document. Three kinds of readers build on it: Members,
// Elements, Unquote, Number and Numbers step through a valid document without
// allocating; an Object takes fields one by one and reports all faults of a
// document; Decode reads into a struct, and its error names the first fault.
package strictjson

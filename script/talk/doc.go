// Package talk runs conversations with a script machine in virtual time, without a
// robot: who says what and when is in a file, and so are the devices.
//
// A conversation has a line for each text, "@MS:NAME text", and "@MS:NAME END" where
// a client leaves. A line that begins with a space or a tab belongs to the text
// before it. Empty lines, and lines that begin with #, are left out.
package talk

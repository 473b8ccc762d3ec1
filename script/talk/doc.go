// Package talk runs conversations with a script machine in virtual time, without a robot.
// One file lists who says what and when, another one the devices.
//
// A conversation has a line "@MS:NAME text" for each text, and "@MS:NAME END" when a client
// leaves. A line that starts with a space or a tab continues the text before it. Empty lines
// and lines that start with # are ignored.
package talk

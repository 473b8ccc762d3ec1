// Package pioneer drives the robots of the Pioneer family: Pioneer 2 and 3, AmigoBot
// and others whose firmware is P2OS, AROS or ARCOS. Their packets are those of the
// published operations manuals (Pioneer 3 Operations Manual, chapter "ARCOS").
//
// The firmware closes the velocity loop, adds up the odometry and has a watchdog of
// two seconds, which is too long for a robot that is driven through a network. So a
// Driver holds a command for 100 ms and then sends zero; the watchdog of the firmware
// remains for the case that this process ends. `mybot base serve pioneer` makes a base
// of it, in a process of its own.
//
// A Driver has two goroutines, which Close waits for: one reads the packets of the
// robot, one writes to it. What makes and reads packets is pure.
package pioneer

// Package pioneer drives robots of the Pioneer family: Pioneer 2 and 3, AmigoBot
// and others with P2OS, AROS or ARCOS firmware. The packets are those of the
// published operations manuals (Pioneer 3 Operations Manual, chapter "ARCOS").
//
// The firmware closes the velocity loop, integrates the odometry and has a watchdog
// of two seconds, which is too long for a robot that is driven through a network. A
// Driver therefore holds a command for 100 ms and then sends zero; the firmware's
// watchdog covers the case that this process ends. `mybot base serve pioneer`
// serves it as a base, in a process of its own.
//
// A Driver has two goroutines, which Close waits for: one reads the packets of the
// robot, one writes to it. Encoding and decoding of packets is pure.
package pioneer

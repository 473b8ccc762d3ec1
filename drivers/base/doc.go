// Package base is where a base of one's own is reached: the address of its line.
// What is said there is in package protocol, what a base decides in package
// firmware, and package bridge makes a base of a driver.
package base

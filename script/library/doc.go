// Package library stores scripts, checks them, and has examples to start from.
//
// Contract. A Library answers from memory at once, and a change has reached the store
// when the method returns. Any goroutine may call every method.
package library

//go:build race

package sim

// raced reports whether the race detector slows everything down.
const raced = true

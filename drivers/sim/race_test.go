//go:build race

package sim

// raced tells that the race detector makes everything slower.
const raced = true

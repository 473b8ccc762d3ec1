//go:build race

package mapping

// raced says that the race detector makes everything slower.
const raced = true

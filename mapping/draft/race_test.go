//go:build race

package draft_test

// raced says that the race detector makes everything slower.
const raced = true

//go:build race

package render

// raced tells that the race detector makes everything slower.
const raced = true

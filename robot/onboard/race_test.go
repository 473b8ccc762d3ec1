//go:build race

package onboard

// raced tells that the race detector makes everything slower.
const raced = true

//go:build !race

package render

const raced = false

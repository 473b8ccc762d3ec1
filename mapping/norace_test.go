//go:build !race

package mapping

const raced = false

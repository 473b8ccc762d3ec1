//go:build !race

package draft_test

const raced = false

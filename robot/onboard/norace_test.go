//go:build !race

package onboard

const raced = false

// Package models holds the built-in robot descriptions, as the bytes that
// robot.ParseDescription reads. It knows nothing else.
package models

import _ "embed"

//go:embed mybot.json
var mybot string

// Mybot returns the description of Mybot (Han 2002, section 2.1).
func Mybot() []byte { return []byte(mybot) }

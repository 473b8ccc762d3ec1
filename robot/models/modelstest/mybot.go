// Package modelstest gives tests the built-in robot.
package modelstest

import (
	"mybot/robot"
	"mybot/robot/models"
)

// Mybot returns the description of Mybot. t is a *testing.T, *testing.B or *rapid.T.
func Mybot(t interface {
	Helper()
	Fatal(args ...any)
},
) robot.Description {
	t.Helper()
	desc, err := robot.ParseDescription(models.Mybot())
	if err != nil {
		t.Fatal(err)
	}
	return desc
}

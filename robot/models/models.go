// Package models holds the built-in robot descriptions, as the bytes that
// robot.ParseDescription reads. It knows nothing else.
package models

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

// The names of the built-in robots. All have Mybot's body and wheels.
const (
	MybotName      = "mybot"       // twelve sonars
	LidarName      = "lidar"       // a lidar in place of the sonars
	LidarSonarName = "lidar+sonar" // both
	ArmName        = "arm"         // the sonars, and an arm with a gripper
)

// Names returns the names of the built-in robots, Mybot first.
func Names() []string { return []string{MybotName, LidarName, LidarSonarName, ArmName} }

// Find returns the description of a built-in robot; ok is false when there is none
// with the name.
func Find(name string) (data []byte, ok bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	data, err := files.ReadFile(name + ".json")
	return data, err == nil
}

// Mybot returns the description of Mybot (Han 2002, section 2.1).
func Mybot() []byte {
	data, _ := Find(MybotName)
	return data
}

// List names the built-in robots in a sentence: mybot, lidar, lidar+sonar or arm.
func List() string {
	names := Names()
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

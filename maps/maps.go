// Package maps holds the built-in floors, as map folders for robot/floorplan. It
// has no other purpose.
package maps

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:generate go run ./gen

//go:embed office clinic depot
var floors embed.FS

// The names of the built-in floors.
const (
	OfficeName = "office" // a corridor, seven rooms and a lounge
	ClinicName = "clinic" // corridors around a courtyard of glass, with rooms on both sides
	DepotName  = "depot"  // a hall with aisles between pallet racks, a cold room and an office
)

// Names returns the names of the built-in floors, the office first.
func Names() []string { return []string{OfficeName, ClinicName, DepotName} }

// Find returns the folder of a built-in floor; ok is false if there is none with
// the name.
func Find(name string) (folder fs.FS, ok bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	folder, err := fs.Sub(floors, name)
	return folder, err == nil
}

// List names the built-in floors as in a sentence: office, clinic or depot.
func List() string {
	names := Names()
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// Office returns the folder of the built-in office, where the simulator starts by
// default.
func Office() fs.FS {
	office, _ := Find(OfficeName)
	return office
}

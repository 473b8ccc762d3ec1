// Package maps holds the built-in floors, as the map folders that
// robot/floorplan reads. It knows nothing else.
package maps

import (
	"embed"
	"io/fs"
)

//go:generate go run ./gen

//go:embed office
var floors embed.FS

// Office returns the folder of the built-in floor: an office with a corridor,
// seven rooms and a lounge, which the simulator starts on.
func Office() fs.FS {
	office, err := fs.Sub(floors, "office")
	if err != nil {
		panic(err) // the name is a constant
	}
	return office
}

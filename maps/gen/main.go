// Gen draws the map.pgm of each built-in floor from its lines and rooms. It runs in
// the folder maps, by go generate.
package main

import (
	"log"
	"os"

	"mybot/maps"
	"mybot/robot/floorplan"
)

func main() {
	log.SetFlags(0)
	for _, name := range maps.Names() {
		if err := draw(name); err != nil {
			log.Fatal(err)
		}
	}
}

func draw(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	picture, err := floorplan.Draw(root.FS())
	if err != nil {
		return err
	}
	return root.WriteFile("map.pgm", picture, 0o644)
}

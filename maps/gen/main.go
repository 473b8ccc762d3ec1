// Gen draws office/map.pgm from the office's lines and rooms. It runs in the
// folder maps, by go generate.
package main

import (
	"log"
	"os"

	"mybot/robot/floorplan"
)

func main() {
	log.SetFlags(0)
	if err := draw("office"); err != nil {
		log.Fatal(err)
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

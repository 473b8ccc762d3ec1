package recording

import (
	"embed"

	"mybot/mcap"
)

// schemas are the JSON Schemas of the messages. Foxglove reads only a part of JSON
// Schema, which a test holds them to: objects with properties, and lists of numbers,
// texts or objects. Those of Foxglove have its names and fields.
//
//go:embed schemas/*.json
var schemas embed.FS

// schemaOf returns one of the schemas.
func schemaOf(name string) *mcap.Schema {
	data, err := schemas.ReadFile("schemas/" + name + ".json")
	if err != nil {
		panic(err) // it is not in the program; a test asks for all
	}
	return &mcap.Schema{Name: name, Encoding: "jsonschema", Data: data}
}

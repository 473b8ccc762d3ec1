package recording

import (
	"embed"

	"mybot/mcap"
)

// schemas are the JSON Schemas of the messages. Foxglove reads only a part of JSON
// Schema, and a test restricts them to that: objects with properties, and lists of
// numbers, texts or objects. Foxglove's own schemas have its names and fields.
//
//go:embed schemas/*.json
var schemas embed.FS

// schemaOf returns the schema with the name.
func schemaOf(name string) *mcap.Schema {
	data, err := schemas.ReadFile("schemas/" + name + ".json")
	if err != nil {
		panic(err) // the schema is missing from the program; a test loads all of them
	}
	return &mcap.Schema{Name: name, Encoding: "jsonschema", Data: data}
}

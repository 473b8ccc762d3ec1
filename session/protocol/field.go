package protocol

import (
	"bytes"
	"fmt"

	"mybot/strictjson"
)

// A field is one member of the object in a frame: its name and the JSON text of its
// value.
type field struct {
	name  string
	value []byte
	known bool // the request has such a field
}

// ackExample is the shortest frame.
const ackExample = `{"type":"ack","n":1}`

// splitFields appends the fields of the frame, which is valid JSON, in order. The
// fault is a sentence, "" = none.
func splitFields(frame []byte, fields []field) ([]field, string) {
	members, ok := strictjson.OpenObject(frame)
	if !ok {
		return nil, "The frame is " + Clip(string(bytes.TrimSpace(frame))) + "; it should be one JSON object, for example " + ackExample + "."
	}
	for {
		name, value, ok := members.Next()
		if !ok {
			return fields, ""
		}
		for _, f := range fields {
			if f.name == name {
				return fields, fmt.Sprintf("%q is there twice; it should be there once.", Clip(name))
			}
		}
		if len(fields) == maxFields {
			return fields, fmt.Sprintf("The frame has more than %d fields; no command has so many.", maxFields)
		}
		fields = append(fields, field{name: name, value: value})
	}
}

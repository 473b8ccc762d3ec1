// Package protocoltest reads the examples of protocol.md for tests.
package protocoltest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Examples returns the JSON examples between two headings of the protocol.md at
// path.
func Examples(t testing.TB, path, from, to string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(text), from)
	part, _, ok2 := strings.Cut(part, to)
	if !ok || !ok2 {
		t.Fatalf("protocol.md has no part from %q to %q", from, to)
	}
	var frames []string
	for {
		_, rest, ok := strings.Cut(part, "```json\n")
		if !ok {
			return frames
		}
		block, rest, _ := strings.Cut(rest, "```")
		part = rest
		d := json.NewDecoder(strings.NewReader(block))
		for d.More() {
			var frame json.RawMessage
			if err := d.Decode(&frame); err != nil {
				t.Fatalf("protocol.md: %v in\n%s", err, block)
			}
			frames = append(frames, string(frame))
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMotionsAreListedGottenAndAdded(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0")
	file := filepath.Join(h.dir, "ahead.json")
	const motion = `{"name":"Ahead","made":"2026-11-20T14:30:00Z","points":[` +
		`{"t":0,"pose":{"x":1,"y":2,"theta":0},"twist":{"linear":0,"angular":0},"want":{"linear":0.3,"angular":0}},` +
		`{"t":1,"pose":{"x":1.3,"y":2,"theta":0},"twist":{"linear":0.3,"angular":0},"want":{"linear":0,"angular":0}}]}`
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.ok("No recorded drives.", "motions", "list", "--data", h.data)
	write(motion)
	h.ok("Added as motion 1.", "motions", "add", file, "--data", h.data)
	h.ok("Ahead", "motions", "list", "--data", h.data)
	if got := h.ok("", "motions", "get", "1", "--data", h.data); got != motion+"\n" {
		t.Errorf("it comes back as %s", got)
	}
	write(`{"points":[]}`)
	h.no("the motion has 0 points", "motions", "add", file, "--data", h.data)
	h.no("no motion 7", "motions", "get", "7", "--data", h.data)
	h.no("cannot be read", "motions", "add", filepath.Join(h.dir, "none.json"), "--data", h.data)

	h.end()
	h.no("no robot of this user is running", "motions", "list", "--data", h.data)
	h.serve("--listen", "127.0.0.1:0")
	h.ok("Ahead", "motions", "list", "--data", h.data)
}

package main

import "testing"

func TestPathsThatFollowEachOtherBecomeOne(t *testing.T) {
	for shapes, want := range map[string]string{
		`<path d="M12 5v14"/><path d="m19 12-7 7-7-7"/>`:                  `<path d="M12 5v14M19 12l-7 7-7-7"/>`,
		`<path d="m1 2 3 4"/><path d="M5 6 7 8"/><path d="M9 9h1"/>`:      `<path d="m1 2 3 4M5 6L7 8M9 9h1"/>`,
		`<path d="M0 0h1"/><path d="m1.5.5-.25.75"/>`:                     `<path d="M0 0h1M1.5 .5l-.25.75"/>`,
		`<circle cx="12" cy="12" r="3"/><path d="M1 1h1"/>`:               `<circle cx="12" cy="12" r="3"/><path d="M1 1h1"/>`,
		`<path d="M1 1h1"/><circle cx="1" cy="1" r="3"/><path d="M2 2"/>`: `<path d="M1 1h1"/><circle cx="1" cy="1" r="3"/><path d="M2 2"/>`,
	} {
		if got := joinPaths(shapes); got != want {
			t.Errorf("%s\n  is   %s\n  want %s", shapes, got, want)
		}
	}
}

// Package web is the page: templ components for what the server writes,
// TypeScript and CSS (src, one folder per widget) for what the browser does.
//
// The server renders the whole shell with every repeated block as a <template>,
// so that markup lives in one place and the page can be read, and the robot be
// stopped, before any script has run. Scripts clone the templates and fill them
// from one state store. Every sentence a person can read is in strings.json,
// which both sides use.
//
// Contract: the components are pure; nothing here keeps state or does I/O.
// `go generate ./web` remakes the templ code, sprite.svg and static/dist.
package web

//go:generate go tool -modfile=../tools/go.mod templ generate -path .
//go:generate go run -C ../tools ./page

// Package web is the page: templ components for what the server renders, TypeScript and CSS
// (src, one folder per widget) for the browser.
//
// The server renders the whole shell with every repeated block as a <template>, so that markup
// is in one place, and people can read the page, and stop the robot, before a script runs.
// Scripts clone the templates and fill them from one state store. The tab Scripts makes its own
// markup, because it loads after the page. All texts for people are in strings.json, which both
// sides use.
//
// Contract: the components are pure; nothing here keeps state or does I/O. `go generate ./web`
// rebuilds the templ code, sprite.svg and static/dist.
package web

//go:generate go tool -modfile=../tools/go.mod templ generate -path .
//go:generate go run -C ../tools ./page

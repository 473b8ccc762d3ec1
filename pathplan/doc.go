// Package pathplan finds paths over a floor plan. It is pure: a plan depends on
// its arguments alone, and nothing here has a goroutine or a clock.
//
// A Field is the floor as bits, a Searcher finds shortest paths over it. A
// Searcher keeps its scratch memory from search to search and is used by one
// goroutine at a time; a Field may be shared.
package pathplan

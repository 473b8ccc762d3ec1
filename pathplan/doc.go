// Package pathplan finds paths over a floor plan. It is pure: a plan depends only
// on its arguments, and the package has no goroutine and no clock.
//
// A Field stores the free cells of a floor as bits, and a Searcher finds shortest
// paths over it. A Searcher reuses its scratch memory between searches, so only one
// goroutine may use it at a time; goroutines may share a Field.
package pathplan

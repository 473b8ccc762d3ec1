// Package pathplan finds paths over a floor plan. A Planner finds routes for one robot,
// over the via graph or over the grid, and around reported obstacles. A Route is a
// line for the axle point M; the path made from it returns the twists that follow it.
//
// A Clearance holds the distance of each cell from obstacles, a Field the free cells
// as bits, and a Searcher finds shortest paths over a Field. A Searcher reuses its
// scratch memory, so only one goroutine may use it at a time; goroutines may share a
// Field.
//
// The package is pure: it has no goroutine and no clock.
package pathplan

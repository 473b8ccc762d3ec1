// Package draft is a new map as a person reviews it before saving: its picture, its
// walls as lines, and the person's edits.
//
// A Draft takes edits one by one, each of which can be undone. View is what a page
// shows, Picture the occupancy grid, and Plan the floor plan to save.
//
// Frames: map is base_link at the first key frame, as in package mapping. The frame
// of the draft is map, rotated so that walls are parallel to its axes if the person
// wants that. Edits arrive in the frame of the draft. They are stored relative to
// nearby key frames, so that they stay in place relative to the walls when the
// draft is rotated, or when the map is extended or optimized again: Edits returns
// them, and Restore applies them to another result.
//
// The package is pure: no goroutine, clock or I/O. One goroutine owns a Draft.
package draft

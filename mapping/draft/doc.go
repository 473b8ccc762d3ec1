// Package draft is the map that was just made, as a person reviews it before it is
// saved: its picture, its walls as lines, and what the person changes of them.
//
// A Draft takes edits one by one, of which each can be undone. View is what a page
// shows, Picture the occupancy grid, and Plan the floor plan that is saved.
//
// Frames: map is base_link at the first key frame, as package mapping has it. The
// frame of the draft is map, turned so that walls are parallel to its axes if the
// person wants that. Edits arrive in the frame of the draft. They are stored relative
// to key frames that are near, so that they stay where they are relative to the walls
// when the draft is turned, or when the map is extended or optimized again: Edits
// gives them, and Restore applies them to another result.
//
// The package is pure: no goroutine, clock or I/O. One goroutine owns a Draft.
package draft

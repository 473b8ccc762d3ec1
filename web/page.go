package web

import (
	"encoding/json"

	"mybot/robot"
)

// PageData is the content of the page before a script runs.
type PageData struct {
	Name      string          // of the robot
	Place     string          // the robot's site
	Build     string          // of the server; the page sends it in its hello
	Floor     uint64          // the floor plan in use, counted from 1 by this server
	Floorplan json.RawMessage // as in session/protocol/protocol.md
	Insecure  bool            // the page is loaded over plain http from another computer, for which browsers disable some features
	Replay    bool            // the page shows a recording, which can be paused and seeked
	State     *robot.State    // the newest; nil = none yet
}

// status returns the robot's mode in words, for a browser without scripts.
func (d PageData) status() string {
	switch {
	case d.State == nil:
		return Text("noscript", "open")
	case d.State.Stop != nil:
		return Text("noscript", "stoppedBy", "name", d.State.Stop.By)
	case d.State.Base != nil && !d.State.Base.Up:
		return Text("mode", "base")
	default:
		return Text("mode", string(d.State.Mode))
	}
}

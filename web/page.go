package web

import (
	"encoding/json"

	"mybot/robot"
)

// PageData is what the page says before any script has run.
type PageData struct {
	Name      string          // of the robot
	Place     string          // where it is
	Build     string          // of the server; the page tells it in its hello
	Floor     uint64          // which of the floor plans of this server is in use, counted from 1
	Floorplan json.RawMessage // as session/protocol/protocol.md has it
	Insecure  bool            // the page travels over plain http from another computer: browsers then keep some things from it
	Replay    bool            // a recording is shown, and can be paused and wound
	State     *robot.State    // the newest; nil = none yet
}

// status is the robot's mode in words, for a browser without scripts.
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

package session

import (
	"mybot/jobs"
	"mybot/session/protocol"
)

// RunOf returns the wire form of a stored run. Changes counts its transitions.
func RunOf(r jobs.RunRecord) protocol.Run {
	return protocol.RunOf(r.Run, r.Job.Steps, len(r.Run.Log), protocol.PathsOf(r.Ways))
}

package session

import (
	"mybot/jobs"
	"mybot/session/protocol"
)

// RunOf returns a stored run as it is sent. Its changes are the transitions.
func RunOf(r jobs.RunRecord) protocol.Run {
	return protocol.RunOf(r.Run, r.Job.Steps, len(r.Run.Log), protocol.PathsOf(r.Ways))
}

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/session/protocol"
)

// Paths of the robot's REST interface.
const (
	StatePath   = "/api/v1/state"
	JobsPath    = "/api/v1/jobs"
	RunsPath    = "/api/v1/runs"
	MotionsPath = "/api/v1/motions"
	queuePath   = "/api/v1/queue"
	robotPath   = "/api/v1/robot"
	jointsPath  = "/api/v1/joints"
	UsersPath   = "/api/v1/users"

	recordingPath = "/api/v1/recording"
)

// prepareWithin is how long a robot may take to prepare a job: to plan its paths
// and synthesize its texts.
const prepareWithin = time.Minute

// askJSON sends JSON, nil = nothing, and returns the decoded JSON of the answer.
func askJSON[T any](ctx context.Context, c *Client, method, path string, body any) (T, error) {
	var answer T
	err := c.DoJSON(ctx, method, path, body, &answer)
	return answer, err
}

// JobPath returns the path of a saved job.
func JobPath(id string) string { return JobsPath + "/" + url.PathEscape(id) }

// RunPath returns the path of a run.
func RunPath(n uint64) string { return fmt.Sprintf("%s/%d", RunsPath, n) }

// StopRobot stops the robot.
func (c *Client) StopRobot(ctx context.Context) error {
	return c.DoJSON(ctx, http.MethodPost, "/api/v1/stop", nil, nil)
}

// FetchState returns the state of the robot.
func (c *Client) FetchState(ctx context.Context) (protocol.State, error) {
	return askJSON[protocol.State](ctx, c, http.MethodGet, StatePath, nil)
}

// ListJoints returns the joints of the robot, in the order of its state.
func (c *Client) ListJoints(ctx context.Context) ([]protocol.Joint, error) {
	of, err := askJSON[struct{ Joints []protocol.Joint }](ctx, c, http.MethodGet, robotPath, nil)
	return of.Joints, err
}

// MoveJoints moves joints to positions under the lease, in rad or m by their names.
// It does not wait until they arrive: see State.Joints.
func (c *Client) MoveJoints(ctx context.Context, lease uint64, at map[string]float64) error {
	return c.DoJSON(ctx, http.MethodPost, jointsPath, map[string]any{"lease": lease, "at": at}, nil)
}

// Run returns a run, with all of its steps.
func (c *Client) Run(ctx context.Context, n uint64) (protocol.Run, error) {
	return askJSON[protocol.Run](ctx, c, http.MethodGet, RunPath(n), nil)
}

// CurrentRun returns the number of the run that has not ended; 0 = none.
func (c *Client) CurrentRun(ctx context.Context) (uint64, error) {
	s, err := c.FetchState(ctx)
	if err != nil || s.Job == nil || s.Job.Phase == robot.RunEnded {
		return 0, err
	}
	return s.Job.Run, nil
}

// A RunRequest begins a run: of the saved job with the ID, or of Steps.
type RunRequest struct {
	Lease uint64      `json:"lease"`
	JobID string      `json:"job,omitempty"`
	Name  string      `json:"name,omitempty"`
	Steps []jobs.Step `json:"steps,omitempty"`
}

// StartRun begins a run and returns its number.
func (c *Client) StartRun(ctx context.Context, request RunRequest) (uint64, error) {
	answer, err := askJSON[struct{ Run uint64 }](ctx, c.WithTimeout(prepareWithin), http.MethodPost, RunsPath, request)
	return answer.Run, err
}

// A RunAction changes the current run.
type RunAction string

// The actions on a run.
const (
	PauseRun  RunAction = "pause"
	ResumeRun RunAction = "resume"
	EndRun    RunAction = "end"
	SkipStep  RunAction = "skip"
	RetryStep RunAction = "retry"
)

// ChangeRun performs an action on run n under the lease. step is the index of the
// step for SkipStep and RetryStep; nil = the current one.
func (c *Client) ChangeRun(ctx context.Context, n, lease uint64, action RunAction, step *int) (robot.Result, error) {
	request := struct {
		Lease uint64 `json:"lease"`
		Step  *int   `json:"step,omitempty"`
	}{lease, step}
	return askJSON[robot.Result](ctx, c, http.MethodPost, RunPath(n)+"/"+string(action), request)
}

// CheckJob returns the faults of a job on the robot's map.
func (c *Client) CheckJob(ctx context.Context, job jobs.Job) (jobs.Faults, error) {
	answer, err := askJSON[struct{ Faults jobs.Faults }](ctx, c, http.MethodPost, JobsPath+"/check", job)
	return answer.Faults, err
}

// SaveJob saves a new job and returns it as saved.
func (c *Client) SaveJob(ctx context.Context, job jobs.Job) (jobs.Job, error) {
	return askJSON[jobs.Job](ctx, c, http.MethodPost, JobsPath, job)
}

// ListMotions returns the recorded motions.
func (c *Client) ListMotions(ctx context.Context) ([]protocol.MotionEntry, error) {
	list, err := askJSON[protocol.MotionsEvent](ctx, c, http.MethodGet, MotionsPath, nil)
	return list.Motions, err
}

// AddMotion saves a recorded motion, a JSON file, and returns its number.
func (c *Client) AddMotion(ctx context.Context, file []byte) (uint64, error) {
	body, err := c.fetchBody(ctx, http.MethodPost, MotionsPath, "application/json", string(file))
	if err != nil {
		return 0, err
	}
	var added struct{ N uint64 }
	err = c.DecodeAnswer(body, &added)
	return added.N, err
}

// FetchQueue returns the state of the queue of timed commands.
func (c *Client) FetchQueue(ctx context.Context) (protocol.Queue, error) {
	return askJSON[protocol.Queue](ctx, c, http.MethodGet, queuePath, nil)
}

// A QueueReceipt is the robot's immediate answer to a command for its queue.
type QueueReceipt struct {
	protocol.QueueAnswer
	Accepted bool `json:"accepted"`
}

// EnqueueCommands adds commands, a JSON list, to the robot's queue under the lease.
func (c *Client) EnqueueCommands(ctx context.Context, lease uint64, commands json.RawMessage) ([]QueueReceipt, error) {
	body, err := json.Marshal(map[string]any{"lease": lease, "commands": commands})
	if err != nil {
		return nil, err
	}
	answer, err := c.fetchBody(ctx, http.MethodPost, queuePath, "application/json", string(body))
	var refused RefusedError
	if err != nil && (!errors.As(err, &refused) || refused.Status != http.StatusConflict) {
		return nil, err
	}
	var receipts struct{ Commands []QueueReceipt }
	if fault := json.Unmarshal(answer, &receipts); fault != nil || len(receipts.Commands) == 0 {
		return nil, errors.Join(err, fault)
	}
	return receipts.Commands, nil
}

// StreamRecording streams a recording in MCAP as it is made. It lasts for the given
// time, in whole seconds, or with 0 until ctx ends, in which case the file has no
// end.
func (c *Client) StreamRecording(ctx context.Context, lasts time.Duration) (io.ReadCloser, error) {
	path := recordingPath
	if lasts > 0 {
		path += fmt.Sprintf("?seconds=%d", int(lasts.Seconds()))
	}
	return c.streamBody(ctx, path)
}

// InviteUser returns a link that admits one more user, with the role.
func (c *Client) InviteUser(ctx context.Context, role string) (link string, err error) {
	made, err := askJSON[struct{ Link string }](ctx, c, http.MethodPost, "/api/v1/invite", map[string]string{"role": role})
	return made.Link, err
}

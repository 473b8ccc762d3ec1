package vda5050

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"mybot/jobs"
	"mybot/robot"
)

// Robot is the robot that an order is for.
type Robot struct {
	Manufacturer string
	SerialNumber string
	Map          string // id of its map; "" = any, when reading an order
}

// Places looks up a place of base_link on the map.
type Places func(name string) (robot.Pose, bool)

// Write21 is Write for fleet managers that speak version 2.1, in which edges name
// their nodes. It has no field for the job's name.
func Write21(job jobs.Job, to Robot, now time.Time, places Places) ([]byte, error) {
	o, err := orderOf(job, to, now, places)
	if err != nil {
		return nil, err
	}
	o.Version, o.OrderDescription = new(Version21), ""
	for i := range o.Edges {
		o.Edges[i].StartNodeID, o.Edges[i].EndNodeID = o.Nodes[i].NodeID, o.Nodes[i+1].NodeID
		removeNewFields(o.Edges[i].Actions)
	}
	for _, n := range o.Nodes {
		removeNewFields(n.Actions)
	}
	return encodeOrder(o)
}

// removeNewFields removes from actions the fields that version 2 lacks.
func removeNewFields(actions []action) {
	for i := range actions {
		actions[i].Retriable = nil
	}
}

// Write returns the job as an order with the timestamp now. The error says which
// place is not on the map.
func Write(job jobs.Job, to Robot, now time.Time, places Places) ([]byte, error) {
	o, err := orderOf(job, to, now, places)
	if err != nil {
		return nil, err
	}
	return encodeOrder(o)
}

func orderOf(job jobs.Job, to Robot, now time.Time, places Places) (order, error) {
	id := job.ID
	if id == "" {
		id = jobs.IDOf(job.Name)
	}
	o := order{
		HeaderID: new(int64(0)), Timestamp: new(now.UTC().Format("2006-01-02T15:04:05.000Z")), Version: new(Version),
		Manufacturer: &to.Manufacturer, SerialNumber: &to.SerialNumber,
		OrderID: &id, OrderUpdateID: new(int64(0)), OrderDescription: job.Name,
		Nodes: []node{{NodeID: new("start"), SequenceID: new(int64(0)), Released: new(true), Actions: []action{}}},
		Edges: []edge{},
	}
	for i, s := range job.Steps {
		act := actionOf(s, fmt.Sprintf("%s-%d", id, i+1))
		if s.Type != jobs.Move {
			last := &o.Nodes[len(o.Nodes)-1]
			last.Actions = append(last.Actions, act)
			continue
		}
		var pose robot.Pose
		switch {
		case s.Pose != nil:
			pose = robot.Pose{X: s.Pose[0], Y: s.Pose[1], Theta: s.Pose[2]}
		default:
			var ok bool
			if pose, ok = places(s.Place); !ok {
				return order{}, fmt.Errorf("vda5050: step %d goes to %q, which is not on the map", i+1, s.Place)
			}
		}
		name := s.Place
		if name == "" {
			name = fmt.Sprintf("pose-%d", i+1)
		}
		e := edge{EdgeID: new(fmt.Sprintf("way-%d", i+1)), SequenceID: new(int64(2*len(o.Nodes) - 1)), Released: new(true), Actions: []action{}}
		if len(act.ActionParameters) > 0 {
			e.Actions = append(e.Actions, act)
		}
		o.Edges = append(o.Edges, e)
		o.Nodes = append(o.Nodes, node{
			NodeID: &name, SequenceID: new(int64(2 * len(o.Nodes))), Released: new(true), Actions: []action{},
			NodePosition: &position{X: &pose.X, Y: &pose.Y, Theta: new(robot.WrapAngle(pose.Theta)), MapID: &to.Map},
		})
	}
	return o, nil
}

func encodeOrder(o order) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(o); err != nil {
		return nil, fmt.Errorf("vda5050: the order cannot be written: %w", err)
	}
	return out.Bytes(), nil
}

// actionOf converts a step, except for its destination.
func actionOf(s jobs.Step, id string) action {
	a := action{ActionType: new(string(s.Type)), ActionID: &id, BlockingType: new("HARD"), Retriable: new(s.OnFailure != jobs.FailSkip)}
	if s.Type == jobs.Move {
		a.BlockingType = new("NONE")
	}
	add := func(key string, value any, has bool) {
		if has {
			a.ActionParameters = append(a.ActionParameters, parameter{&key, value})
		}
	}
	add("text", s.Text, s.Text != "")
	add("voice", s.Voice, s.Voice != "")
	add("speed", s.Speed, s.Speed != 0)
	add("ok", s.OK, s.OK)
	add("seconds", s.Seconds, s.Seconds != 0)
	add("on_failure", s.OnFailure, s.OnFailure != "")
	add("retries", s.Retries, s.Retries != 0)
	add("retry_after", s.RetryAfter, s.RetryAfter != 0)
	return a
}

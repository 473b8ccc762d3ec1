package vda5050

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"mybot/jobs"
	"mybot/robot"
	"mybot/strictjson"
)

// samePlace is how far a node may lie from the place with its name to count as that
// place, in m and rad.
const samePlace = 1e-3

// Faults are the faults of an order: sentences that say where and what would be
// right.
type Faults []string

func (f Faults) Error() string { return strings.Join(f, "\n") }

// Read returns the job of an order, without an id. The error is Faults.
func Read(data []byte, of Robot, places Places) (jobs.Job, error) {
	r := reader{of: of, places: places}
	r.readOrder(data)
	var job jobs.Job
	if len(r.faults) == 0 {
		job = r.parseJob()
	}
	if len(r.faults) > 0 {
		return jobs.Job{}, r.faults
	}
	return job, nil
}

// A reader converts an order to steps.
type reader struct {
	of     Robot
	places Places
	name   string
	steps  []map[string]any // in the form that jobs.Parse reads
	origin []string         // where each step comes from
	faults Faults
}

func (r *reader) addFault(format string, args ...any) {
	const most = 40
	if len(r.faults) < most {
		r.faults = append(r.faults, fmt.Sprintf(format, args...))
	}
}

func (r *reader) readOrder(data []byte) {
	var o order
	if len(data) > jobs.MaxBytes {
		r.addFault("The order has %d bytes; it should have at most %d.", len(data), jobs.MaxBytes)
		return
	}
	if fault := decodeOrder(data, &o); fault != "" {
		r.addFault("%s", fault)
		return
	}
	r.checkHeader(o)
	if len(r.faults) > 0 {
		return
	}
	r.name = firstLetters(cmp.Or(strings.TrimSpace(o.OrderDescription), *o.OrderID), jobs.MaxName)
	slices.SortStableFunc(o.Nodes, func(a, b node) int { return cmp.Compare(sequenceOf(a.SequenceID), sequenceOf(b.SequenceID)) })
	slices.SortStableFunc(o.Edges, func(a, b edge) int { return cmp.Compare(sequenceOf(a.SequenceID), sequenceOf(b.SequenceID)) })
	if len(o.Edges) != len(o.Nodes)-1 {
		r.addFault("The order has %d nodes and %d edges; it should have one edge between each node and the next.", len(o.Nodes), len(o.Edges))
		return
	}
	first := sequenceOf(o.Nodes[0].SequenceID)
	var before *robot.Pose
	for i, n := range o.Nodes {
		limits := map[string]any{}
		if i > 0 {
			r.readEdge(o.Edges[i-1], first+2*int64(i)-1, limits)
			r.checkEnds(o, i-1)
		}
		before = r.readNode(n, first+2*int64(i), i == 0, before, limits)
	}
}

func sequenceOf(id *int64) int64 {
	if id == nil {
		return math.MinInt64
	}
	return *id
}

func (r *reader) checkHeader(o order) {
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"headerId", o.HeaderID != nil},
		{"timestamp", o.Timestamp != nil},
		{"version", o.Version != nil},
		{"manufacturer", o.Manufacturer != nil},
		{"serialNumber", o.SerialNumber != nil},
		{"orderId", o.OrderID != nil},
		{"orderUpdateId", o.OrderUpdateID != nil},
		{"nodes", o.Nodes != nil},
		{"edges", o.Edges != nil},
	} {
		if !f.has {
			r.addFault("The order has no %s.", f.name)
		}
	}
	if v := o.Version; v != nil && !strings.HasPrefix(*v, "3.") && !strings.HasPrefix(*v, "2.") {
		r.addFault("version is %q; it should be %s or %s. Orders of other versions of VDA 5050 have other fields.", clipText(*v), Version21, Version)
	}
	if o.Timestamp != nil {
		if _, err := time.Parse(time.RFC3339Nano, *o.Timestamp); err != nil {
			r.addFault("timestamp is %q; it should be a time such as 2026-11-20T14:21:00.000Z.", clipText(*o.Timestamp))
		}
	}
	if o.OrderUpdateID != nil && *o.OrderUpdateID != 0 {
		r.addFault("orderUpdateId is %d; it should be 0, for only whole orders are read.", *o.OrderUpdateID)
	}
	if o.ZoneSetID != "" {
		r.addFault("The order has zoneSetId; this robot does not support it; it should be left out.")
	}
	if o.Nodes != nil && len(o.Nodes) == 0 {
		r.addFault("The order has no nodes; it should have at least one.")
	}
	if len(o.Nodes) > jobs.MaxSteps+1 {
		r.addFault("The order has %d nodes; a job has at most %d steps.", len(o.Nodes), jobs.MaxSteps)
	}
}

// readEdge reads how an edge treats the failure of its MOVE.
func (r *reader) readEdge(e edge, at int64, limits map[string]any) {
	where := fmt.Sprintf("Edge %s", quoteID(e.EdgeID))
	r.checkCommon(where, "edgeId", e.EdgeID, e.SequenceID, at, e.Released, e.Actions != nil)
	v := reflect.ValueOf(e)
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Type.Kind() == reflect.Interface && !v.Field(i).IsNil() {
			field, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			r.addFault("%s has %s; this robot does not support it; it should be left out.", where, field)
		}
	}
	for _, a := range e.Actions {
		at := r.checkAction(where, a)
		if a.ActionType != nil && *a.ActionType != string(jobs.Move) {
			r.addFault("%s: this robot does nothing else while it drives; the action should be on a node.", at)
			continue
		}
		r.readParameters(at, a, limits)
	}
}

// checkEnds checks that an edge connects the nodes before and after it. In version
// 2 every edge names them.
func (r *reader) checkEnds(o order, i int) {
	e := o.Edges[i]
	for _, end := range []struct {
		field string
		says  *string
		is    *string
	}{{"startNodeId", e.StartNodeID, o.Nodes[i].NodeID}, {"endNodeId", e.EndNodeID, o.Nodes[i+1].NodeID}} {
		switch {
		case end.says == nil && strings.HasPrefix(*o.Version, "2."):
			r.addFault("Edge %s has no %s.", quoteID(e.EdgeID), end.field)
		case end.says != nil && end.is != nil && *end.says != *end.is:
			r.addFault("Edge %s: %s is %q; it should be %q, the node there.", quoteID(e.EdgeID), end.field, clipText(*end.says), clipText(*end.is))
		}
	}
}

// readNode converts a node to steps: the MOVE to it and its actions. It returns the
// node's pose; nil = unknown.
func (r *reader) readNode(n node, at int64, first bool, before *robot.Pose, step map[string]any) *robot.Pose {
	where := fmt.Sprintf("Node %s", quoteID(n.NodeID))
	r.checkCommon(where, "nodeId", n.NodeID, n.SequenceID, at, n.Released, n.Actions != nil)
	here := r.readGoal(where, n, first, before, step)
	if len(step) > 0 {
		step["type"] = jobs.Move
		r.steps, r.origin = append(r.steps, step), append(r.origin, where)
	}
	for _, a := range n.Actions {
		at := r.checkAction(where, a)
		if a.ActionType != nil && *a.ActionType == string(jobs.Move) {
			r.addFault("%s: MOVE is an action of an edge.", at)
			continue
		}
		step := map[string]any{}
		r.readParameters(at, a, step)
		if a.ActionType != nil {
			step["type"] = *a.ActionType
		}
		r.steps, r.origin = append(r.steps, step), append(r.origin, at)
	}
	return here
}

// readGoal reads the pose of a node; nil = unknown.
func (r *reader) readGoal(where string, n node, first bool, before *robot.Pose, step map[string]any) *robot.Pose {
	p := n.NodePosition
	var id string
	if n.NodeID != nil {
		id = *n.NodeID
	}
	place, known := r.places(id)
	switch {
	case p == nil && first:
		return nil
	case p == nil && known:
		step["place"] = id
		return &place
	case p == nil:
		r.addFault("%s has no nodePosition, and the map has no place of that name.", where)
		return nil
	case p.X == nil || p.Y == nil || p.MapID == nil:
		r.addFault("%s has a nodePosition without x, y or mapId; it should have all three.", where)
		return nil
	}
	if r.of.Map != "" && *p.MapID != r.of.Map {
		r.addFault("%s is on the map %q; this robot's map is %q.", where, clipText(*p.MapID), r.of.Map)
	}
	here := robot.Pose{X: *p.X, Y: *p.Y}
	switch {
	case p.Theta != nil && math.Abs(*p.Theta) > math.Pi+1e-9:
		r.addFault("%s: theta is %g; it should be -pi to pi rad.", where, *p.Theta)
	case p.Theta != nil:
		here.Theta = *p.Theta
	case before != nil:
		here.Theta = math.Atan2(here.Y-before.Y, here.X-before.X)
	}
	off := here.Point().Sub(place.Point()).Norm()
	if known && off < samePlace && (p.Theta == nil || math.Abs(robot.WrapAngle(here.Theta-place.Theta)) < samePlace) {
		step["place"] = id
	} else {
		step["pose"] = []float64{here.X, here.Y, here.Theta}
	}
	return &here
}

// firstLetters returns at most n letters of a text: names are longer in other systems.
func firstLetters(text string, n int) string {
	letters := []rune(text)
	return strings.TrimSpace(string(letters[:min(n, len(letters))]))
}

// checkCommon checks the fields that nodes and edges share.
func (r *reader) checkCommon(where, field string, id *string, seq *int64, at int64, released *bool, actions bool) {
	if id == nil {
		r.addFault("%s has no %s.", where, field)
	}
	switch {
	case seq == nil:
		r.addFault("%s has no sequenceId.", where)
	case *seq < 0 || *seq > math.MaxUint32:
		r.addFault("%s has the sequenceId %d; it should be from 0 to %d.", where, *seq, uint32(math.MaxUint32))
	case *seq != at:
		r.addFault("%s has the sequenceId %d; it should be %d, for nodes and edges are counted one after the other.", where, *seq, at)
	}
	switch {
	case released == nil:
		r.addFault("%s has no released.", where)
	case !*released:
		r.addFault("%s is not released; only whole orders are read.", where)
	}
	if !actions {
		r.addFault("%s has no list of actions; it should be empty where there are none.", where)
	}
}

// checkAction checks the common fields of an action, and returns its name in
// messages.
func (r *reader) checkAction(where string, a action) string {
	where = fmt.Sprintf("%s, action %s", where, quoteID(a.ActionID))
	if a.ActionID == nil {
		r.addFault("%s has no actionId.", where)
	}
	switch {
	case a.ActionType == nil:
		r.addFault("%s has no actionType.", where)
	case !slices.Contains([]string{"MOVE", "VOICE", "MESSAGE", "WAIT"}, *a.ActionType):
		r.addFault("%s: this robot cannot do %q; it can do VOICE, MESSAGE and WAIT.", where, clipText(*a.ActionType))
	}
	switch {
	case a.BlockingType == nil:
		r.addFault("%s has no blockingType.", where)
	case !slices.Contains([]string{"NONE", "SINGLE", "SOFT", "HARD"}, *a.BlockingType):
		r.addFault("%s: blockingType is %q; it should be NONE, SINGLE, SOFT or HARD.", where, clipText(*a.BlockingType))
	}
	return where
}

// readParameters reads the fields of a step from an action's parameters.
func (r *reader) readParameters(where string, a action, step map[string]any) {
	for _, p := range a.ActionParameters {
		switch {
		case p.Key == nil:
			r.addFault("%s has a parameter without a key.", where)
		case *p.Key == "type", *p.Key == "place", *p.Key == "pose":
			r.addFault("%s: %s is no parameter of an action.", where, *p.Key)
		case step[*p.Key] != nil:
			r.addFault("%s has the parameter %q twice.", where, clipText(*p.Key))
		case p.Value == nil:
			r.addFault("%s: the parameter %q has no value.", where, clipText(*p.Key))
		default:
			step[*p.Key] = p.Value
		}
	}
}

// parseJob reads the steps as strictly as those of a file.
func (r *reader) parseJob() jobs.Job {
	data, err := json.Marshal(map[string]any{"name": r.name, "steps": append([]map[string]any{}, r.steps...)})
	if err != nil {
		r.addFault("The order cannot be read as a job: %s.", err)
		return jobs.Job{}
	}
	job, err := jobs.Parse(data)
	var faults jobs.Faults
	if errors.As(err, &faults) {
		for _, f := range faults {
			if f.Step < 0 {
				r.addFault("%s", f.Text)
				continue
			}
			_, text, _ := strings.Cut(f.Text, ": ")
			r.addFault("%s: %s", r.origin[f.Step], text)
		}
	}
	return job
}

// decodeOrder reads one JSON object strictly. The fault is a sentence, "" = none.
func decodeOrder(data []byte, o *order) string {
	err := strictjson.Decode(data, o)
	var syntax *strictjson.SyntaxError
	var field strictjson.Fault
	switch {
	case errors.As(err, &field) && field.Problem == strictjson.Unknown:
		return fmt.Sprintf("The order has a field %s, which VDA 5050 %s and %s do not have there.", clipText(strconv.Quote(field.Name())), Version21, Version)
	case errors.As(err, &field) && field.Problem == strictjson.WrongKind:
		return fmt.Sprintf("%s is %s; it should be %s.", cmp.Or(field.Name(), "The order"), field.Is, field.Want)
	case errors.As(err, &syntax) && syntax.Defect == strictjson.Trailing:
		return "Something follows the order; it should be one JSON object."
	case errors.As(err, &syntax):
		return fmt.Sprintf("The order is not a JSON object: %v.", syntax.Err)
	case err != nil:
		return fmt.Sprintf("The order cannot be read: %v.", err)
	}
	return ""
}

// quoteID quotes an id.
func quoteID(id *string) string {
	if id == nil {
		return "without an id"
	}
	return fmt.Sprintf("%q", clipText(*id))
}

// clipText shortens text of an order for a quotation.
func clipText(s string) string { return strictjson.Clip(s, 60) }

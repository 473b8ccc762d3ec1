package vda5050

// Version is the version that is written, unless Version21 is asked for; all
// versions 2 and 3 are read.
const (
	Version   = "3.0.0"
	Version21 = "2.1.0"
)

// An order is a message of the topic order. Pointers are required fields, or fields
// that may be omitted.
type order struct {
	HeaderID         *int64  `json:"headerId"`
	Timestamp        *string `json:"timestamp"`
	Version          *string `json:"version"`
	Manufacturer     *string `json:"manufacturer"`
	SerialNumber     *string `json:"serialNumber"`
	OrderID          *string `json:"orderId"`
	OrderUpdateID    *int64  `json:"orderUpdateId"`
	OrderDescription string  `json:"orderDescription,omitempty"`
	ZoneSetID        string  `json:"zoneSetId,omitempty"` // of version 2; a constraint that this robot does not honour
	Nodes            []node  `json:"nodes"`
	Edges            []edge  `json:"edges"`
}

type node struct {
	NodeID         *string   `json:"nodeId"`
	SequenceID     *int64    `json:"sequenceId"`
	NodeDescriptor string    `json:"nodeDescriptor,omitempty"`
	Released       *bool     `json:"released"`
	NodePosition   *position `json:"nodePosition,omitempty"`
	Actions        []action  `json:"actions"`

	NodeDescription string `json:"nodeDescription,omitempty"` // the descriptor of version 2
}

// A position is in m and rad.
type position struct {
	X                     *float64 `json:"x"`
	Y                     *float64 `json:"y"`
	Theta                 *float64 `json:"theta,omitempty"`              // -pi to pi
	AllowedDeviationXY    any      `json:"allowedDeviationXY,omitempty"` // an ellipse; in version 2 a radius
	AllowedDeviationTheta *float64 `json:"allowedDeviationTheta,omitempty"`
	MapID                 *string  `json:"mapId"`
	MapDescription        string   `json:"mapDescription,omitempty"` // of version 2
}

type edge struct {
	EdgeID         *string  `json:"edgeId"`
	SequenceID     *int64   `json:"sequenceId"`
	StartNodeID    *string  `json:"startNodeId,omitempty"` // of version 2, which requires them
	EndNodeID      *string  `json:"endNodeId,omitempty"`
	EdgeDescriptor string   `json:"edgeDescriptor,omitempty"`
	Released       *bool    `json:"released"`
	Length         *float64 `json:"length,omitempty"`    // m; ignored, because the robot plans its own path
	Direction      string   `json:"direction,omitempty"` // for line-guided robots
	Actions        []action `json:"actions"`

	EdgeDescription string `json:"edgeDescription,omitempty"` // the descriptor of version 2

	// Constraints that this robot does not honour.
	MaximumSpeed                    any `json:"maximumSpeed,omitempty"`
	MaximumMobileRobotHeight        any `json:"maximumMobileRobotHeight,omitempty"`
	MinimumLoadHandlingDeviceHeight any `json:"minimumLoadHandlingDeviceHeight,omitempty"`
	Orientation                     any `json:"orientation,omitempty"`
	OrientationType                 any `json:"orientationType,omitempty"`
	ReachOrientationBeforeEntering  any `json:"reachOrientationBeforeEntering,omitempty"`
	MaximumRotationSpeed            any `json:"maximumRotationSpeed,omitempty"`
	Trajectory                      any `json:"trajectory,omitempty"`
	Corridor                        any `json:"corridor,omitempty"`

	// The same in version 2.
	MaxSpeed         any `json:"maxSpeed,omitempty"`
	MaxHeight        any `json:"maxHeight,omitempty"`
	MinHeight        any `json:"minHeight,omitempty"`
	RotationAllowed  any `json:"rotationAllowed,omitempty"`
	MaxRotationSpeed any `json:"maxRotationSpeed,omitempty"`
}

type action struct {
	ActionType       *string     `json:"actionType"`
	ActionID         *string     `json:"actionId"`
	ActionDescriptor string      `json:"actionDescriptor,omitempty"`
	BlockingType     *string     `json:"blockingType"` // NONE, SINGLE, SOFT or HARD
	ActionParameters []parameter `json:"actionParameters,omitempty"`
	Retriable        *bool       `json:"retriable,omitempty"` // absent = false

	ActionDescription string `json:"actionDescription,omitempty"` // the descriptor of version 2
}

type parameter struct {
	Key   *string `json:"key"`
	Value any     `json:"value"`
}

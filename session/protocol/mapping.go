package protocol

// A MappingEvent reports the progress of a map that a person makes, or which map is
// in use. Points and poses are in map.
type MappingEvent struct {
	State     string       `json:"state"` // none, map, mapping, paused, finishing, review or saving
	From      string       `json:"from"`  // lidar, sonars or hand: the source of the map in progress; "" = none
	Can       []string     `json:"can"`   // actions that are possible now
	Why       string       `json:"why"`   // a sentence: why no map can be made by driving, why mapping paused by itself, or what the finishing is doing
	By        string       `json:"by"`    // who makes the map; "" = no one
	Name      string       `json:"name"`  // of the map
	Extending bool         `json:"extending"`
	Version   int          `json:"version"` // how many older versions there are
	Way       Number       `json:"way"`     // m
	Seconds   Number       `json:"seconds"` // during which key frames were taken
	KeyFrames int          `json:"key_frames"`
	Loops     int          `json:"loops"`
	Behind    Number       `json:"behind"`   // s by which the map lags behind the robot
	Progress  Number       `json:"progress"` // of finishing, 0 to 1
	Loop      *MappingLoop `json:"loop"`     // null = no loop was closed yet
	Open      [][]Number   `json:"open"`     // centres of edges beyond which nothing is known
	Trail     [][]Number   `json:"trail"`
	Tiles     []MapTile    `json:"tiles"`
}

// A MappingLoop is the loop that was closed last.
type MappingLoop struct {
	N  int      `json:"n"`
	At []Number `json:"at"`
}

// A MapTile is the picture of a part of the map, placed by Pose.
type MapTile struct {
	Tile     int      `json:"tile"`
	Revision int      `json:"rev"`
	Pose     []Number `json:"pose"`   // of the tile's frame
	Origin   []Number `json:"origin"` // of the lower left corner, in the tile's frame
	Width    int      `json:"width"`  // cells
	Height   int      `json:"height"`
	Cell     Number   `json:"cell"` // m
}

// A FloorEvent says that another floor plan is in use: the page reloads, unless a map is being
// made in place of one.
type FloorEvent struct {
	Build   uint64 `json:"build"`   // counts the floor plans since the robot's program began
	Mapping bool   `json:"mapping"` // no floor plan is in use while a map is being made
}

func (MappingEvent) header() string { return `"type":"event","kind":"mapping"` }
func (FloorEvent) header() string   { return `"type":"event","kind":"floor"` }

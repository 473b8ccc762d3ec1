package pioneer

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mybot/robot"
)

//go:embed models/*.json
var descriptions embed.FS

// A Model describes the robots of one subtype.
type Model struct {
	Name        string // its subtype, as the robot reports it
	Description []byte // for robot.ParseDescription
	Distance    float64
	Speed       float64 // both in m of a unit
	Range       float64 // m of a unit of the sonars
	Raises      bool    // its firmware raises the rate of its port when it is asked to
}

// bodies names the description of each subtype, and gives its units in mm. The newer
// firmware, ARCOS (-sh), calibrates its units to mm itself, and raises the rate of its
// port; what the older ones do about that differs from version to version.
var bodies = map[string]struct {
	file                   string
	distance, speed, sonar float64
}{
	"p3dx-sh":  {"p3dx", 1, 1, 1},
	"p3dx":     {"p3dx", 0.485, 1, 1},
	"p3at-sh":  {"p3at", 1, 1, 1},
	"p3at":     {"p3at", 0.465, 1, 1},
	"p2d8+":    {"p3dx", 0.485, 1, 1},
	"p2d8":     {"p3dx", 0.485, 1, 1},
	"p2dx":     {"p3dx", 0.84, 1, 0.268},
	"p2de":     {"p3dx", 0.969, 1, 0.268},
	"p2at":     {"p3at", 1.32, 1, 0.268},
	"p2at8+":   {"p3at", 0.465, 1, 1},
	"p2at8":    {"p3at", 1.32, 1, 1},
	"amigo-sh": {"amigobot", 1, 1, 1},
	"amigo":    {"amigobot", 0.5083, 0.6154, 1},
}

// FindModel returns the model of a subtype, ignoring case. The error names the
// known subtypes.
func FindModel(subtype string) (Model, error) {
	name := strings.ToLower(subtype)
	body, ok := bodies[name]
	if !ok {
		return Model{}, fmt.Errorf("pioneer: the model %q is not known; known are %s", subtype, strings.Join(slices.Sorted(maps.Keys(bodies)), ", "))
	}
	description, err := descriptions.ReadFile("models/" + body.file + ".json")
	if err != nil {
		return Model{}, fmt.Errorf("pioneer: %w", err)
	}
	return Model{Name: name, Description: description, Distance: body.distance / 1000, Speed: body.speed / 1000, Range: body.sonar / 1000, Raises: strings.HasSuffix(name, "-sh")}, nil
}

// Describe returns the description of the model.
func (m Model) Describe() (robot.Description, error) { return robot.ParseDescription(m.Description) }

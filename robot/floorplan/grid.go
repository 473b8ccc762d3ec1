package floorplan

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"mybot/robot"
	"mybot/strictjson"
)

const settingsFile = "map.yaml"

// settings is the content of map.yaml.
type settings struct {
	name       string
	image      string
	mode       string
	resolution float64
	origin     robot.Point
	negate     bool
	occupied   float64
	free       float64
	compass    float64 // rad
}

// readSettings reads map.yaml, in the format of ROS map_server with two additional keys,
// name and compass_deg.
func readSettings(fsys fs.FS, f *faults) (settings, bool) {
	before := len(f.list)
	data, ok := readFile(fsys, settingsFile, maxYAML, false, f)
	if !ok {
		if len(f.list) == before { // map_saver names it as its picture
			hint := ""
			if others, _ := fs.Glob(fsys, "*.yaml"); len(others) > 0 {
				hint = fmt.Sprintf("; if %s has the map's settings, rename it", others[0])
			}
			f.add(settingsFile, "is missing; a map folder needs it%s", hint)
		}
		return settings{}, false
	}
	s := parseSettings(data, f)
	if _, err := fs.Stat(fsys, s.image); err != nil { // map_saver writes the path that it was given, which is another one once the folder has moved
		s.image = path.Base(s.image)
	}
	return s, len(f.list) == before
}

func parseSettings(data []byte, f *faults) settings {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		f.add(settingsFile, "%s", explainYAML(data, err))
		return settings{}
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		f.add(settingsFile, "must be a list of settings such as \"resolution: 0.05\"")
		return settings{}
	}
	y := yamlMap{nodes: map[string]*yaml.Node{}, faults: f}
	fields := doc.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		key := fields[i]
		if y.nodes[key.Value] != nil {
			f.add(settingsFile, "line %d: %s comes twice; it must come once", key.Line, key.Value)
			continue
		}
		y.nodes[key.Value] = fields[i+1]
	}
	s := settings{mode: "trinary"}
	s.image = path.Clean(strings.ReplaceAll(y.takeText("image", "the name of a PGM or PNG file in the same folder", func(v string) bool {
		return fs.ValidPath(path.Base(v)) && (strings.EqualFold(path.Ext(v), ".pgm") || strings.EqualFold(path.Ext(v), ".png"))
	}), `\`, "/"))
	s.name = strings.TrimSuffix(path.Base(s.image), path.Ext(s.image))
	if y.nodes["name"] != nil {
		s.name = y.takeText("name", "1 to 60 characters", func(v string) bool { return IsName(v, 60) })
	}
	if y.nodes["mode"] != nil {
		s.mode = y.takeText("mode", "trinary, scale or raw", func(v string) bool { return v == "trinary" || v == "scale" || v == "raw" })
	}
	s.resolution = y.takeNumber("resolution", 0.005, 1)
	s.origin = y.takeOrigin("origin")
	negate := y.takeText("negate", "0 or 1", func(v string) bool { return v == "0" || v == "1" || v == "false" || v == "true" })
	s.negate = negate == "1" || negate == "true"
	s.occupied = y.takeNumber("occupied_thresh", 0, 1)
	s.free = y.takeNumber("free_thresh", 0, 1)
	if y.nodes["compass_deg"] != nil {
		s.compass = robot.WrapAngle(robot.Radians(y.takeNumber("compass_deg", -360, 360)))
	}
	if s.free >= s.occupied && s.occupied > 0 {
		f.add(settingsFile, "free_thresh is %g; it must be less than occupied_thresh, %g", s.free, s.occupied)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		switch key := fields[i]; key.Value {
		case "image", "name", "mode", "resolution", "origin", "negate", "occupied_thresh", "free_thresh", "compass_deg":
		default:
			f.add(settingsFile, "line %d: %s is not known; the settings are image, name, mode, resolution, origin, negate, occupied_thresh, free_thresh and compass_deg", key.Line, strictjson.Clip(key.Value, maxQuoted))
		}
	}
	return s
}

// explainYAML says what is wrong with data that is not YAML.
func explainYAML(data []byte, err error) string {
	n := 0
	for line := range bytes.Lines(data) {
		n++
		for rest := line; len(rest) > 0; {
			c, size := utf8.DecodeRune(rest)
			if c == utf8.RuneError && size == 1 {
				return fmt.Sprintf("line %d: has the byte 0x%X, which is not UTF-8; save the file in UTF-8", n, rest[0])
			}
			rest = rest[size:]
		}
		if indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; bytes.ContainsRune(indent, '\t') {
			return fmt.Sprintf("line %d: is indented with a tab; YAML takes spaces only: write them in its place", n)
		}
	}
	return strings.TrimPrefix(err.Error(), "yaml: ") + `; a line must be a setting such as "resolution: 0.05"`
}

type yamlMap struct {
	nodes  map[string]*yaml.Node
	faults *faults
}

func (y yamlMap) takeText(key, want string, good func(string) bool) string {
	n := y.nodes[key]
	switch {
	case n == nil:
		y.faults.add(settingsFile, "%s is missing; it must be %s", key, want)
		return ""
	case n.Kind != yaml.ScalarNode || !good(n.Value):
		y.faults.add(settingsFile, "line %d: %s is %q; it must be %s", n.Line, key, strictjson.Clip(n.Value, maxQuoted), want)
		return ""
	}
	return n.Value
}

func (y yamlMap) takeNumber(key string, lo, hi float64) float64 {
	n := y.nodes[key]
	if n == nil {
		y.faults.add(settingsFile, "%s is missing; it must be between %g and %g", key, lo, hi)
		return 0
	}
	v, err := strconv.ParseFloat(n.Value, 64) // which may be in quotes
	if n.Kind != yaml.ScalarNode || err != nil || !(v >= lo && v <= hi) {
		y.faults.add(settingsFile, "line %d: %s is %q; it must be between %g and %g", n.Line, key, strictjson.Clip(n.Value, maxQuoted), lo, hi)
		return 0
	}
	return v
}

func (y yamlMap) takeOrigin(key string) robot.Point {
	n := y.nodes[key]
	const want = "[x, y, 0]: the lower left corner in metres, each between -100000 and 100000, and no turn"
	if n == nil {
		y.faults.add(settingsFile, "%s is missing; it must be %s", key, want)
		return robot.Point{}
	}
	var v []float64
	if err := n.Decode(&v); err != nil || len(v) != 3 || !isCoordinate(v[0]) || !isCoordinate(v[1]) || math.IsNaN(v[2]) {
		y.faults.add(settingsFile, "line %d: %s must be %s", n.Line, key, want)
		return robot.Point{}
	}
	if v[2] != 0 {
		y.faults.add(settingsFile, "line %d: the yaw of the origin is %g; it must be 0: turn the image instead", n.Line, v[2])
	}
	return robot.Point{X: v[0], Y: v[1]}
}

// isCoordinate reports whether v, in m, is a valid coordinate of a map.
func isCoordinate(v float64) bool { return math.Abs(v) <= 1e5 }

func readGrid(fsys fs.FS, s settings, f *faults) (robot.Grid, bool) {
	data, ok := readFile(fsys, s.image, maxPicture, true, f)
	if !ok {
		return robot.Grid{}, false
	}
	g := robot.Grid{Resolution: s.resolution, Origin: s.origin}
	var err error
	if bytes.HasPrefix(data, []byte(pngSignature)) { // as ROS does, whatever the name says
		g.Width, g.Height, g.Cells, err = s.decodePNG(data)
	} else {
		var p pgm
		p, err = decodePGM(data)
		g.Width, g.Height, g.Cells = p.width, p.height, s.cellsOf(p)
	}
	if err != nil {
		f.add(s.image, "%v", err)
		return robot.Grid{}, false
	}
	for low, top := 0, g.Height-1; low < top; low, top = low+1, top-1 { // the picture starts at the top
		for i := range g.Width {
			a, b := low*g.Width+i, top*g.Width+i
			g.Cells[a], g.Cells[b] = g.Cells[b], g.Cells[a]
		}
	}
	return g, true
}

// cellsOf returns the states of a picture's cells, row by row from the top.
func (s settings) cellsOf(p pgm) []robot.Cell {
	var state [256]robot.Cell
	for v := range state {
		state[v] = s.cellOf(float64(v) / float64(p.white))
	}
	cells := make([]robot.Cell, len(p.pixels))
	for i, v := range p.pixels {
		cells[i] = state[v]
	}
	return cells
}

// unknownGrey is the grey value that map_saver writes for an unknown cell; unknownShade is
// its shade.
const (
	unknownGrey  = 205
	unknownShade = unknownGrey / 255.0
)

// cellOf returns the state of a cell whose shade is 0 (black) to 1 (white), by the rules of
// ROS map_server. Between the thresholds a cell is Unknown in every mode. In trinary mode
// grey 205 of 255 is Unknown whatever free_thresh is, as map_saver intends.
func (s settings) cellOf(shade float64) robot.Cell {
	chance := 1 - shade
	switch {
	case s.mode == "raw" && math.Round(shade*255) > 100:
		return robot.Unknown
	case s.mode == "raw":
		chance = math.Round(shade*255) / 100
	case s.mode == "trinary" && shade == unknownShade:
		return robot.Unknown
	case s.negate:
		chance = shade
	}
	switch {
	case chance > s.occupied:
		return robot.Occupied
	case chance < s.free:
		return robot.Free
	}
	return robot.Unknown
}

// MaxCells is the largest number of cells of a map's grid: 4096 x 4096.
const MaxCells = 1 << 24

// A pgm is a greyscale picture, row by row from the top.
type pgm struct {
	width, height int
	white         uint8
	pixels        []uint8
}

// decodePGM reads a Netpbm greymap, P5 or P2, with 8 bits per pixel.
func decodePGM(data []byte) (pgm, error) {
	plain := bytes.HasPrefix(data, []byte("P2"))
	if !plain && !bytes.HasPrefix(data, []byte("P5")) {
		return pgm{}, errors.New("is not a PGM or PNG picture; a PGM must begin with P5 or P2")
	}
	r := pgmReader{data: data, at: 2}
	width, height, white := r.readNumber(), r.readNumber(), r.readNumber()
	switch {
	case r.bad || width < 1 || height < 1 || white < 1:
		return pgm{}, errors.New("has no proper header; it must be P5, width, height and 255")
	case white > 255:
		return pgm{}, fmt.Errorf("has grey values to %d; they must fit in 8 bits, 255", white)
	}
	if err := checkSize(width, height); err != nil {
		return pgm{}, err
	}
	p := pgm{width: width, height: height, white: uint8(white)}
	if plain {
		for i := range min(width*height, len(data)) {
			v := r.readNumber()
			switch {
			case r.bad && r.at < len(data):
				return pgm{}, fmt.Errorf("has no whole number in row %d, column %d; a grey value must be 0 to %d", i/width+1, i%width+1, white)
			case v > white:
				return pgm{}, p.explainGrey(v, i)
			case !r.bad:
				p.pixels = append(p.pixels, uint8(v))
			}
		}
	} else if r.skipComment(); r.at < len(data) {
		p.pixels = data[r.at+1:] // one white-space character ends the header
		if len(p.pixels) > width*height && bytes.HasPrefix(data[r.at:], []byte("\r\n")) {
			p.pixels = p.pixels[1:] // or two, in files of Windows
		}
	}
	if len(p.pixels) < width*height {
		return pgm{}, fmt.Errorf("ends after %d good grey values; %d x %d cells need %d", len(p.pixels), width, height, width*height)
	}
	if !plain && white < 255 {
		for i, v := range p.pixels[:width*height] {
			if int(v) > white {
				return pgm{}, p.explainGrey(int(v), i)
			}
		}
	}
	p.pixels = p.pixels[:width*height]
	return p, nil
}

// explainGrey says what is wrong with the grey value v of cell i, which is above white.
func (p pgm) explainGrey(v, i int) error {
	return fmt.Errorf("has the grey value %d in row %d, column %d; the header says at most %d: it must say the largest grey value, up to 255", v, i/p.width+1, i%p.width+1, p.white)
}

func checkSize(width, height int) error {
	if height > 0 && width > MaxCells/height { // the product may be beyond an int
		return fmt.Errorf("has %d x %d cells; Mybot takes at most %d (4096 x 4096): make the picture smaller and the resolution in map.yaml larger by the same factor, or cut the picture", width, height, MaxCells)
	}
	return nil
}

type pgmReader struct {
	data []byte
	at   int
	bad  bool
}

// skipComment skips a comment that begins here, up to the end of its line.
func (r *pgmReader) skipComment() {
	if rest := r.data[r.at:]; len(rest) > 0 && rest[0] == '#' {
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			r.at += end
		} else {
			r.at = len(r.data)
		}
	}
}

// readNumber returns the next whole number after white space and comments.
func (r *pgmReader) readNumber() int {
	start := r.at
	for r.at < len(r.data) {
		r.skipComment()
		if r.at == len(r.data) || !isSpace(r.data[r.at]) {
			break
		}
		r.at++
	}
	n, digits := 0, 0
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' && digits < 9 {
		n = n*10 + int(r.data[r.at]-'0')
		r.at++
		digits++
	}
	if digits == 0 || start == r.at || (r.at < len(r.data) && !isSpace(r.data[r.at]) && r.data[r.at] != '#') {
		r.bad = true
	}
	return n
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

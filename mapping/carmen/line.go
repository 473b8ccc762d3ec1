package carmen

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"mybot/robot"
	"mybot/strictjson"
)

// Limits of a log.
const (
	maxLine  = 1 << 20 // bytes
	maxBeams = 4096    // of a scan
)

// The kinds of lines with a scan, preferred ones first, because a log may contain
// the same scans in several.
const (
	kindRobot = "FLASER"
	kindNew   = "ROBOTLASER1"
	kindRaw   = "RAWLASER1"
)

// A line is one relevant message of the log.
type line struct {
	number int
	kind   string // of a scan, "ODOM" or "PARAM"
	words  []string
	cut    bool // the log ends within or right after it, without a line feed
}

// eachLine calls use with every relevant line, until it returns an error. other
// counts the other lines, and first is the first of them.
func eachLine(r io.Reader, use func(line) error) (other int, first string, err error) {
	br := bufio.NewReaderSize(r, 1<<16)
	var long []byte
	for number := 1; ; number++ {
		text, err := br.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long[:0], text...)
			for errors.Is(err, bufio.ErrBufferFull) && len(long) <= maxLine {
				text, err = br.ReadSlice('\n')
				long = append(long, text...)
			}
			text = long
		}
		if len(text) > maxLine {
			return other, first, fmt.Errorf("line %d is longer than 1 MiB; a line of a CARMEN log holds one scan of at most %d ranges", number, maxBeams)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return other, first, fmt.Errorf("line %d: %w", number, err)
		}
		words := strings.Fields(string(text))
		if len(words) > 0 {
			switch words[0] {
			case kindRobot, kindNew, kindRaw, "ODOM", "PARAM":
				if err := use(line{number: number, kind: words[0], words: words, cut: err != nil}); err != nil {
					return other, first, err
				}
			default:
				if other++; first == "" && words[0][0] != '#' {
					first = strings.Join(words, " ")
				}
			}
		}
		if err != nil {
			return other, first, nil
		}
	}
}

// A message is the content of a line with a scan.
type message struct {
	line   int
	time   string // as in the log; "" = none
	ranges []float64
	from   float64    // rad, of the first beam; NaN = not stated
	step   float64    // rad
	max    float64    // m; 0 = not stated
	lidar  robot.Pose // pose of the lidar according to the log
	base   robot.Pose // pose of base_link according to the log
}

// seconds returns the time of the scan in s; NaN = unknown.
func (m message) seconds() float64 {
	if t, err := strconv.ParseFloat(m.time, 64); err == nil && robot.Finite(t) {
		return t
	}
	return math.NaN()
}

// parseScan parses a line with a scan. The next call overwrites its ranges.
func parseScan(l line, ranges []float64) (message, error) {
	m := message{line: l.number, from: math.NaN()}
	w := &words{kind: l.kind, list: l.words[1:]}
	if l.kind != kindRobot {
		w.readNumber("laser_type")
		m.from = w.readNumber("start_angle")
		view := w.readNumber("field_of_view")
		m.step = w.readNumber("angular_resolution")
		m.max = w.readNumber("maximum_range")
		w.readNumber("accuracy")
		w.readNumber("remission_mode")
		m.ranges = w.readNumbers("num_readings", ranges)
		if !(m.step > 0) && view > 0 && len(m.ranges) > 1 {
			m.step = spread{m.from, view}.angleStep(len(m.ranges))
		}
		w.readNumbers("num_remissions", nil)
	} else {
		m.ranges = w.readNumbers("num_readings", ranges)
	}
	if l.kind != kindRaw {
		m.lidar, m.base = w.readPose("the lidar"), w.readPose("the robot")
	}
	if l.kind == kindNew {
		for _, name := range []string{"laser_tv", "laser_rv", "forward_safety_dist", "side_safety_dist", "turn_axis"} {
			w.readNumber(name)
		}
	}
	if w.err == nil && l.kind != kindRobot && !(m.step > 0 && robot.Finite(m.from, m.step) && math.Abs(m.from) < 10 && m.step < 1) {
		w.err = fmt.Errorf("start_angle %g and angular_resolution %g make no scan; they must be in radians, counter-clockwise: the resolution above 0 and below 1", m.from, m.step)
	}
	if w.err == nil && len(w.list) > 3 && isNumber(w.list[1]) {
		w.err = fmt.Errorf("the %s has %q after its time, where the name of a computer must be; perhaps it has more ranges than its num_readings says", l.kind, clipText(w.list[1]))
	}
	if len(w.list) > 0 {
		m.time = w.list[0]
	}
	return m, w.err
}

// parseOdometry parses an ODOM line.
func parseOdometry(l line) (robot.Pose, error) {
	w := &words{kind: l.kind, list: l.words[1:]}
	p := w.readPose("the robot")
	return p, w.err
}

// words are the unread words of a line.
type words struct {
	kind string
	list []string
	err  error // the first fault
}

func (w *words) readNumber(name string) float64 {
	if w.err != nil {
		return 0
	}
	if len(w.list) == 0 {
		w.err = fmt.Errorf("the %s ends before its %s", w.kind, name)
		return 0
	}
	v, err := strconv.ParseFloat(w.list[0], 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		w.err = fmt.Errorf("the %s of the %s is %q; it must be a number", name, w.kind, clipText(w.list[0]))
	}
	w.list = w.list[1:]
	return v
}

// readNumbers reads a count and then that many numbers, into the memory of to.
func (w *words) readNumbers(name string, to []float64) []float64 {
	n := w.readNumber(name)
	if w.err == nil && (n != math.Trunc(n) || n < 0 || n > maxBeams) {
		w.err = fmt.Errorf("the %s of the %s is %g; it must be a whole number from 0 to %d", name, w.kind, n, maxBeams)
	}
	if w.err != nil {
		return nil
	}
	to = to[:0]
	if len(w.list) < int(n) {
		w.err = fmt.Errorf("the %s ends after %d of its %d numbers", w.kind, len(w.list), int(n))
		return nil
	}
	for _, word := range w.list[:int(n)] {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			w.err = fmt.Errorf("%q stands among the ranges of the %s; they must be numbers, in m", clipText(word), w.kind)
			return nil
		}
		to = append(to, v)
	}
	w.list = w.list[int(n):]
	return to
}

// readPose reads a pose. Its heading is as in the log, which tells its unit.
func (w *words) readPose(of string) robot.Pose {
	p := robot.Pose{X: w.readNumber("x of " + of), Y: w.readNumber("y of " + of), Theta: w.readNumber("theta of " + of)}
	if w.err == nil && !(math.Abs(p.X) < 1e6 && math.Abs(p.Y) < 1e6 && math.Abs(p.Theta) < 1e6) {
		w.err = fmt.Errorf("the pose of %s in the %s is (%g, %g, %g); it must be in m and rad", of, w.kind, p.X, p.Y, p.Theta)
	}
	return p
}

func isNumber(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil
}

// clipText shortens a word of the log for a quotation.
func clipText(s string) string { return strictjson.Clip(s, 40) }

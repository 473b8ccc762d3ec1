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

// The limits of a log.
const (
	maxLine  = 1 << 20 // bytes
	maxBeams = 4096    // of a scan
)

// The kinds of lines with a scan, the preferred one first: a log may have the same
// scans in several.
const (
	kindRobot = "FLASER"
	kindNew   = "ROBOTLASER1"
	kindRaw   = "RAWLASER1"
)

// A line is one message of the log that matters here.
type line struct {
	number int
	kind   string // of a scan, "ODOM" or "PARAM"
	words  []string
	cut    bool // the log ends within or right behind it, without a line feed
}

// eachLine calls use with every line of a kind that matters, until it returns an
// error. other counts the lines of other kinds, and first is the first of them.
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

// A message is what a line with a scan says.
type message struct {
	line     int
	time     string // as the log has it; "" = the line has none
	ranges   []float64
	from     float64    // rad, of the first beam; NaN = the line does not say
	step     float64    // rad
	max      float64    // m; 0 = the line does not say
	lidar    robot.Pose // where the log says that the lidar was
	base     robot.Pose // where the log says that base_link was
	hasPoses bool
}

// parseScan reads a line with a scan. Its ranges are overwritten by the next call.
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
		if !(m.step > 0) && len(m.ranges) > 1 {
			m.step = view / float64(len(m.ranges)-1)
		}
		w.readNumbers("num_remissions", nil)
	} else {
		m.ranges = w.readNumbers("num_readings", ranges)
	}
	if l.kind != kindRaw {
		m.lidar, m.base, m.hasPoses = w.readPose("the lidar"), w.readPose("the robot"), true
	}
	if l.kind == kindNew {
		for _, name := range []string{"laser_tv", "laser_rv", "forward_safety_dist", "side_safety_dist", "turn_axis"} {
			w.readNumber(name)
		}
	}
	if w.err == nil && l.kind != kindRobot && !(m.step > 0 && robot.Finite(m.from, m.step) && math.Abs(m.from) < 10 && m.step < 1) {
		w.err = fmt.Errorf("start_angle %g and angular_resolution %g make no scan; they are in radians", m.from, m.step)
	}
	if len(w.list) > 0 {
		m.time = w.list[0]
	}
	return m, w.err
}

// parseOdometry reads an ODOM line.
func parseOdometry(l line) (robot.Pose, error) {
	w := &words{kind: l.kind, list: l.words[1:]}
	p := w.readPose("the robot")
	return p, w.err
}

// words are the words of a line that have not been read yet.
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

// readNumbers reads how many there are and then the numbers, into the memory of to.
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

func (w *words) readPose(of string) robot.Pose {
	p := robot.Pose{X: w.readNumber("x of " + of), Y: w.readNumber("y of " + of), Theta: w.readNumber("theta of " + of)}
	if w.err == nil && !(math.Abs(p.X) < 1e6 && math.Abs(p.Y) < 1e6 && math.Abs(p.Theta) < 1e6) {
		w.err = fmt.Errorf("the pose of %s in the %s is (%g, %g, %g); it must be in m and rad", of, w.kind, p.X, p.Y, p.Theta)
	}
	p.Theta = robot.WrapAngle(p.Theta)
	return p
}

// clipText shortens a word of the log for a sentence.
func clipText(s string) string { return strictjson.Clip(s, 40) }

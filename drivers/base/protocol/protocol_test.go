package protocol_test

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

// decode reads a line of the given direction.
func decode(toBase bool, line []byte, checked bool) (protocol.Message, error) {
	if toBase {
		return protocol.DecodeToBase(line, checked)
	}
	return protocol.DecodeFromBase(line, checked)
}

// examples returns the JSON lines of a section of protocol.md.
func examples(t *testing.T, from, to string) []string {
	t.Helper()
	page, err := os.ReadFile("protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(page), "## "+from+"\n")
	part, _, ok2 := strings.Cut(part, "## "+to+"\n")
	if !ok || !ok2 {
		t.Fatalf("protocol.md has no part from %q to %q", from, to)
	}
	_, block, ok := strings.Cut(part, "```json\n")
	block, _, ok2 = strings.Cut(block, "```")
	if !ok || !ok2 {
		t.Fatalf("the part %q of protocol.md has no examples", from)
	}
	return strings.Split(strings.TrimSpace(block), "\n")
}

func TestEveryExampleIsReadAndWrittenTheSameWay(t *testing.T) {
	for _, c := range []struct {
		from, to string
		toBase   bool
		kinds    int
	}{
		{"From Mybot to the base", "From the base to Mybot", true, 9},
		{"From the base to Mybot", "Rules of a base", false, 8},
	} {
		kinds := map[reflect.Type]bool{}
		for _, line := range examples(t, c.from, c.to) {
			m, err := decode(c.toBase, []byte(line), false)
			if err != nil {
				t.Error(err)
				continue
			}
			if kinds[reflect.TypeOf(m)] = true; reflect.TypeOf(m) == reflect.TypeFor[protocol.Unknown]() {
				t.Errorf("the kind of %s is not known", line)
			}
			if written, err := protocol.AppendLine(nil, m, false); err != nil || string(written) != line+"\n" {
				t.Errorf("%s\nis written as\n%s (%v)", line, written, err)
			}
		}
		if len(kinds) != c.kinds {
			t.Errorf("%s: %d kinds have an example, want %d: %v", c.from, len(kinds), c.kinds, kinds)
		}
	}
}

// TestTheConversationIsReadAndWrittenTheSameWay reads testdata/conversation.txt,
// which explains itself.
func TestTheConversationIsReadAndWrittenTheSameWay(t *testing.T) {
	text, err := os.ReadFile("testdata/conversation.txt")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for n, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		mark, content := line[:2], line[2:]
		kinds[mark]++
		if mark == "! " {
			content, want, _ := strings.Cut(content, "\t")
			for _, toBase := range []bool{true, false} {
				if m, err := decode(toBase, []byte(content), true); err == nil {
					if _, unknown := m.(protocol.Unknown); !unknown {
						t.Errorf("line %d: the malformed line was read as %+v", n+1, m)
					}
				} else if !strings.Contains(err.Error(), want) {
					t.Errorf("line %d: the fault is\n%v\nwhich does not say %q", n+1, err, want)
				}
			}
			continue
		}
		m, err := decode(mark == "> ", []byte(content), true)
		if err != nil {
			t.Errorf("line %d: %v", n+1, err)
			continue
		}
		written, err := protocol.AppendLine(nil, m, true)
		if _, unknown := m.(protocol.Unknown); unknown || strings.Contains(content, "mood") {
			continue // ignored fields are not written again
		}
		if err != nil || string(written) != content+"\n" {
			t.Errorf("line %d is written as\n%s (%v)", n+1, written, err)
		}
	}
	if kinds["> "] < 15 || kinds["< "] < 15 || kinds["! "] < 4 {
		t.Errorf("the conversation has %v lines", kinds)
	}
}

func TestAMalformedLineIsExplained(t *testing.T) {
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	for _, c := range []struct{ name, line, want string }{
		{"a GPS mouse", "$GPGGA,123519,4807.038,N", "line $GPGGA,123519,4807.038,N: it does not begin with a brace; each line must be one JSON object"},
		{"a modem", "OK", "does not begin with a brace"},
		{"a list", `[1,2]`, "does not begin with a brace"},
		{"half a line", `{"t":"reading","ms":12`, "it ends before its closing brace"},
		{"two objects", `{"t":"pong","id":1,"ms":2}{"t":"pong","id":1,"ms":2}`, "column 27: there is something behind the closing brace"},
		{"NaN", `{"t":"reading","ms":1,"wheels":[NaN,0]}`, "column 33: it is not JSON: invalid character 'N'"},
		{"not UTF-8", "{\"t\":\"log\",\"level\":\"info\",\"text\":\"\xff\"}", "not UTF-8"},
		{"no kind", `{"ms":1}`, "t is missing; it must be the kind of line"},
		{"a kind with other capitals is another key", `{"T":"reading"}`, "t is missing"},
		{"a doubled key", `{"t":"pong","id":1,"ms":1,"ms":2}`, "ms comes twice; it must come once"},
		{"a doubled key that is not known", `{"t":"pong","id":1,"ms":1,"x":1,"x":2}`, "x comes twice"},
		{"a doubled key in the battery", `{"t":"more","ms":1,"battery":{"v":12,"v":11}}`, "battery.v comes twice"},
		{"a doubled joint", `{"t":"more","ms":1,"joints":{"a":12,"a":11}}`, "joints.a comes twice"},
		{"no clock", `{"t":"reading","wheels":[0,0]}`, "ms is missing; it must be a whole number between 0 and 9007199254740991"},
		{"a clock in seconds", `{"t":"reading","ms":12.5,"wheels":[0,0]}`, "ms is 12.5; it must be a whole number"},
		{"a clock before zero", `{"t":"reading","ms":-1,"wheels":[0,0]}`, "ms is -1; it must be"},
		{"a clock of another size", `{"t":"reading","ms":99999999999999999999,"wheels":[0,0]}`, "ms is 99999999999999999999; it must be"},
		{"no travel", `{"t":"reading","ms":1}`, "the reading must have one of wheels, ticks and odom, and has none of them"},
		{"two forms of travel", `{"t":"reading","ms":1,"wheels":[0,0],"ticks":[0,0]}`, "and has wheels and ticks"},
		{"one wheel", `{"t":"reading","ms":1,"wheels":[0]}`, "wheels is [0]; it must be a list of 2 numbers between -1e+08 and 1e+08: m that each wheel has rolled since power-on"},
		{"three wheels", `{"t":"reading","ms":1,"wheels":[0,0,0]}`, "must be a list of 2 numbers"},
		{"wheels that are absent after all", `{"t":"reading","ms":1,"wheels":null}`, "wheels is null; it must be a list of 2 numbers"},
		{"a number that no float holds", `{"t":"reading","ms":1,"wheels":[1e400,0]}`, "wheels is [1e400,0]; it must be"},
		{"a fraction of a tick", `{"t":"reading","ms":1,"ticks":[0,1.5]}`, "ticks[1] is 1.5; it must be a count of 32 bits, with or without a sign, between -2147483648 and 4294967295"},
		{"a tick of 33 bits", `{"t":"reading","ms":1,"ticks":[0,4294967296]}`, "ticks[1] is 4294967296; it must be a count of 32 bits"},
		{"a pose without a direction", `{"t":"reading","ms":1,"odom":[0,0]}`, "a list of 3 numbers between -1e+08 and 1e+08: x and y in m and the direction in rad"},
		{"a range in metres", `{"t":"more","ms":1,"ranges":[0,0.81]}`, "ranges[1] is 0.81; it must be a range in whole millimetres, 0 for nothing within reach, -1 for no measurement"},
		{"65 sonars", `{"t":"more","ms":1,"ranges":[` + strings.Repeat("0,", 64) + `0]}`, "ranges has more than 64 entries"},
		{"a scan without beams", `{"t":"scan","ms":1,"lidar":0,"lasts":1,"mm":[]}`, "mm has 0 entries; it must be a list of 1 to 4096 whole numbers"},
		{"a scan without ranges", `{"t":"scan","ms":1,"lidar":0,"lasts":1}`, "mm is missing; it must be a list of 1 to 4096 whole numbers"},
		{"a lidar that cannot be", `{"t":"scan","ms":1,"lidar":4,"lasts":1,"mm":[1]}`, "lidar is 4; it must be a whole number between 0 and 3"},
		{"a bumper of text", `{"t":"more","ms":1,"bump":"yes"}`, `bump is "yes"; it must be true or false`},
		{"a battery above full", `{"t":"more","ms":1,"battery":{"charge":71}}`, "battery.charge is 71; it must be a number between 0 and 1"},
		{"a battery that is a number", `{"t":"more","ms":1,"battery":12.4}`, "battery is 12.4; it must be an object in braces"},
		{"a head in degrees", `{"t":"more","ms":1,"head":[40,0]}`, "head is [40,0]; it must be a list of 2 numbers between -3.15 and 3.15: pan and tilt in rad"},
		{"a joint that is no number", `{"t":"more","ms":1,"joints":{"a":"up"}}`, "an object of at most 12 joints"},
		{"a reason of two lines", `{"t":"more","ms":1,"refuses":"a\nb"}`, "a sentence, or empty when the base would drive, of 0 to 1000 letters in one line"},
		{"a reason that steers a terminal", "{\"t\":\"more\",\"ms\":1,\"refuses\":\"a\u009b2Jb\"}", `refuses is "a\u009b2Jb"; it must be a sentence`},
		{"a program whose name reads backwards", "{\"t\":\"describe\",\"protocol\":1,\"base\":\"a\u202eb\"}", `base is "a\u202eb"; it must be the program's name`},
		{"a kind that steers a terminal", "{\"t\":\"k\u009b\"}", `t is "k\u009b"; it must be the kind of line`},
		{"a joint that steers a terminal", "{\"t\":\"more\",\"ms\":1,\"joints\":{\"a\u009b\":1}}", "an object of at most 12 joints"},
		{"a description that is text", `{"t":"describe","protocol":1,"base":"b","robot":"r2d2"}`, "robot is \"r2d2\"; it must be the description of the robot, an object in braces"},
		{"a base without a name", `{"t":"describe","protocol":1}`, "base is missing; it must be the program's name and version"},
		{"a level that is not known", `{"t":"log","level":"loud","text":"x"}`, `level is "loud"; it must be debug, info, warn or error`},
		{"an error with an empty text", `{"t":"error","text":""}`, `text is ""; it must be a sentence, of 1 to 1000 letters in one line`},
		{"an error that is too long", `{"t":"error","text":"` + strings.Repeat("é", 1001) + `"}`, "it must be a sentence, of 1 to 1000 letters in one line"},
		{"an error without a text", `{"t":"error"}`, "text is missing; it must be a sentence"},
		{"deep nesting", `{"t":"pong","x":` + deep + `}`, "id is missing"},
		{"a long line", `{"t":"pong","id":1,"ms":1,"x":"` + strings.Repeat("x", 4096) + `"}`, "it is longer than 4096 bytes; it must be shorter, and end with a newline"},
		{"a scan that is too long", `{"t":"scan","x":"` + strings.Repeat("x", 32768) + `"}`, "it is longer than 32768 bytes"},
		{"a checksum that is no number", `{"t":"pong","id":1,"ms":1}~12G4`, `its checksum is "12G4"; it must be four hex digits`},
		{"a wrong checksum", `{"t":"pong","id":1,"ms":1}~0000`, "its checksum is 0000, but that of the line is "},
		{"bytes that cannot be printed", "\x00\x01\x02", `line "\x00\x01\x02": it does not begin with a brace`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := protocol.DecodeFromBase([]byte(c.line), false)
			if err == nil {
				t.Fatalf("it was read as %+v", m)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("the fault is\n%v\nwhich does not say\n%s", err, c.want)
			}
			if len(err.Error()) > 600 || strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("the fault cannot be printed in one line: %q", err)
			}
		})
	}
	for _, c := range []struct{ name, line, want string }{
		{"a number of zero", `{"t":"drive","n":0,"until":1,"v":0,"w":0}`, "n is 0; it must be a whole number between 1 and 2147483647"},
		{"no expiry", `{"t":"drive","n":1,"v":0,"w":0}`, "until is missing"},
		{"a speed of light", `{"t":"drive","n":1,"until":1,"v":3e8,"w":0}`, "v is 3e8; it must be a number between -100 and 100"},
		{"hello without a version", `{"t":"hello","v":[]}`, "v has 0 entries; it must be a list of 1 to 16 whole numbers"},
		{"joints without positions", `{"t":"joints"}`, "at is missing; it must be an object of at most 12 joints"},
		{"a display of numbers", `{"t":"show","lines":[1]}`, "lines is [1]; it must be a list of at most 20 texts of one line"},
		{"a line as long as a scan", `{"t":"show","lines":["` + strings.Repeat("x", 5000) + `"]}`, "it is longer than 4096 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if m, err := protocol.DecodeToBase([]byte(c.line), false); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it is %+v, %v\nwhich does not say\n%s", m, err, c.want)
			}
		})
	}
}

// TestTheLongestLinesAreRead pads lines to the maximum length and to one byte more.
func TestTheLongestLinesAreRead(t *testing.T) {
	for _, c := range []struct {
		toBase bool
		begin  string
		max    int
	}{
		{false, `{"t":"pong","id":1,"ms":1,"x":"`, protocol.MaxLine},
		{false, `{"t":"scan","ms":1,"lidar":0,"lasts":1,"mm":[1],"x":"`, protocol.MaxLongLine},
		{false, `{"t":"describe","protocol":1,"base":"b","x":"`, protocol.MaxLongLine},
		{true, `{"t":"ping","id":1,"x":"`, protocol.MaxLine},
	} {
		for _, more := range []int{0, 1} {
			line := c.begin + strings.Repeat("x", c.max-len(c.begin)-2+more) + `"}`
			if _, err := decode(c.toBase, []byte(line), false); (err == nil) != (more == 0) {
				t.Errorf("a line %s... of %d bytes: %v", c.begin, len(line), err)
			}
		}
	}
	if _, err := protocol.DecodeFromBase([]byte(`{"t":"error","text":"`+strings.Repeat("é", 1000)+`"}`), false); err != nil {
		t.Errorf("a text of 1000 letters: %v", err)
	}
	// On a serial port the checksum must fit in, too.
	show := func(bytes int) protocol.Show {
		const frame = len(`{"t":"show","lines":["","","","",""]}`)
		lines := slices.Repeat([]string{strings.Repeat("x", 1000)}, 4)
		return protocol.Show{Lines: append(lines, strings.Repeat("x", bytes-frame-4000))}
	}
	line, err := protocol.AppendLine(nil, show(protocol.MaxLine-5), true)
	if err != nil || len(line) != protocol.MaxLine+1 {
		t.Errorf("the longest line has %d bytes, %v", len(line), err)
	}
	if line, err := protocol.AppendLine(nil, show(protocol.MaxLine-4), true); err == nil {
		t.Errorf("a line of %d bytes was written", len(line))
	}
}

func TestALineOnASerialPortNeedsAChecksum(t *testing.T) {
	line := []byte(`{"t":"pong","id":1,"ms":1}`)
	if _, err := protocol.DecodeFromBase(line, true); err == nil || !strings.Contains(err.Error(), "it has no checksum; on a serial port each line must end with ~ and four hex digits") {
		t.Errorf("without a checksum: %v", err)
	}
	for _, format := range []string{"%s~%04X", "%s~%04x", "%s~%04X\r"} {
		checked := fmt.Appendf(nil, format, line, protocol.Checksum(line))
		for _, needed := range []bool{true, false} {
			if _, err := protocol.DecodeFromBase(checked, needed); err != nil {
				t.Errorf("%q: %v", checked, err)
			}
		}
	}
}

func TestWhatIsNotKnownIsIgnored(t *testing.T) {
	m, err := protocol.DecodeFromBase([]byte(`{"x":{"y":[1,{"z":null}]},"t":"pong","ms":5,"id":1,"T":"log"}`), false)
	if want := (protocol.Pong{ID: 1, At: 5}); err != nil || m != protocol.FromBase(want) {
		t.Errorf("it was read as %+v, %v; want %+v", m, err, want)
	}
	m, err = protocol.DecodeFromBase([]byte(`{"t":"weather","sun":true}`), false)
	if want := (protocol.Unknown{Kind: "weather"}); err != nil || m != protocol.FromBase(want) {
		t.Errorf("it was read as %+v, %v; want %+v", m, err, want)
	}
}

func TestTicksWrap(t *testing.T) {
	var counts []protocol.TickTotals
	for _, ticks := range []string{"[2147483640,4294967290]", "[2147483650,4]", "[-2147483640,10]"} {
		m, err := protocol.DecodeFromBase([]byte(`{"t":"reading","ms":1,"ticks":`+ticks+`}`), false)
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, m.(protocol.Reading).Totals.(protocol.TickTotals))
	}
	if left, right := counts[1].Left-counts[0].Left, counts[1].Right-counts[0].Right; left != 10 || right != 10 {
		t.Errorf("without a sign the wheels turned by %d and %d ticks, want 10 and 10", left, right)
	}
	if left, right := counts[2].Left-counts[1].Left, counts[2].Right-counts[1].Right; left != 6 || right != 6 {
		t.Errorf("the wheels turned by %d and %d ticks, want 6 and 6", left, right)
	}
}

func TestAMessageThatTheReceiverWouldRefuseIsNotWritten(t *testing.T) {
	for _, c := range []struct {
		name string
		m    protocol.Message
		want string
	}{
		{"a speed that is not finite", protocol.Drive{Number: 1, Twist: robot.Twist{Linear: math.NaN()}}, "the drive line cannot be written: v is NaN; it must be a finite number"},
		{"no number", protocol.Drive{}, "n is 0; it must be a whole number"},
		{"a reading without travel", protocol.Reading{}, "a reading must have its totals"},
		{"a battery that is not finite", protocol.More{Senses: protocol.Senses{Battery: &protocol.Battery{Volts: new(math.Inf(1))}}}, "v is +Inf; it must be a finite number"},
		{"text of two lines", protocol.Log{Level: "info", Text: "a\nb"}, "text is"},
		{"a display that is too long for a line", protocol.Show{Lines: slices.Repeat([]string{strings.Repeat("x", 1000)}, 5)}, "longer than 4091 bytes"},
		{"a description that is no JSON", protocol.Describe{Version: 1, Base: "b", Robot: []byte("{")}, "the description is not JSON"},
		{"a kind that is not known", protocol.Unknown{Kind: "dance"}, "the dance line cannot be written"},
	} {
		t.Run(c.name, func(t *testing.T) {
			line, err := protocol.AppendLine([]byte("before "), c.m, true)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, which does not say %q", err, c.want)
			}
			if string(line) != "before " {
				t.Errorf("%q was written", line)
			}
		})
	}
}

// drawDrive draws a drive line of a robot that moves at up to 5 m/s and 4 pi rad/s.
func drawDrive(t *rapid.T) protocol.Drive {
	return protocol.Drive{
		Number: rapid.Int64Range(1, protocol.MaxNumber).Draw(t, "n"),
		Until:  protocol.Millis(rapid.Int64Range(0, 1<<53-1).Draw(t, "until")),
		Twist: robot.Twist{
			Linear:  rapid.Float64Range(-5, 5).Draw(t, "v"),
			Angular: rapid.Float64Range(-4*math.Pi, 4*math.Pi).Draw(t, "w"),
		},
	}
}

func TestADriveLineIsShortAndPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawDrive(t)
		line, err := protocol.AppendLine(nil, m, true)
		if err != nil {
			t.Fatal(err)
		}
		if len(line) > 96 || strings.Contains(string(line), "e-") || strings.Contains(string(line), "e+") {
			t.Fatalf("the line is %d bytes long, or has a number with an exponent: %s", len(line), line)
		}
		back, err := protocol.DecodeToBase(line[:len(line)-1], true)
		if err != nil {
			t.Fatal(err)
		}
		d := back.(protocol.Drive)
		if d.Number != m.Number || d.Until != m.Until || math.Abs(d.Twist.Linear-m.Twist.Linear) > 5.1e-5 || math.Abs(d.Twist.Angular-m.Twist.Angular) > 5.1e-5 {
			t.Fatalf("%+v came back as %+v", m, d)
		}
	})
}

// TestNoWrongBitPassesTheChecksum flips every bit of drive lines.
func TestNoWrongBitPassesTheChecksum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawDrive(t)
		line, err := protocol.AppendLine(nil, m, true)
		if err != nil {
			t.Fatal(err)
		}
		line = line[:len(line)-1]
		right, err := protocol.DecodeToBase(line, true)
		if err != nil {
			t.Fatal(err)
		}
		for bit := range 8 * len(line) {
			line[bit/8] ^= 1 << (bit % 8)
			if got, err := protocol.DecodeToBase(line, true); err == nil && got != right { // a capital letter of the checksum may have become a small one
				t.Fatalf("%s was read as %+v", line, got)
			}
			line[bit/8] ^= 1 << (bit % 8)
		}
	})
}

// FuzzALineIsReadOrExplained checks that an accepted line is the same after
// encoding and decoding again, and that the error of a refused one is a single
// line.
func FuzzALineIsReadOrExplained(f *testing.F) {
	text, err := os.ReadFile("testdata/conversation.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		if len(line) > 2 && line[0] != '#' {
			line, _, _ = strings.Cut(line[2:], "\t")
			f.Add([]byte(line), line[0] == '>')
			line, _, _ = strings.Cut(line, "~")
			f.Add([]byte(line), line[0] == '>')
		}
	}
	f.Fuzz(func(t *testing.T, line []byte, toBase bool) {
		m, err := decode(toBase, line, false)
		if err != nil {
			if len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\n\x00\x1b") {
				t.Errorf("the fault cannot be printed in one line: %q", err)
			}
			return
		}
		if u, unknown := m.(protocol.Unknown); unknown {
			if u.Kind == "" {
				t.Error("a line without a kind was read")
			}
			return
		}
		written, err := protocol.AppendLine(nil, m, true)
		if err != nil {
			if len(line) > protocol.MaxLine-100 {
				return // it has become longer
			}
			t.Fatalf("%s was read as %+v, which is not written: %v", line, m, err)
		}
		again, err := decode(toBase, written[:len(written)-1], true)
		if err != nil {
			t.Fatalf("%s is not read: %v", written, err)
		}
		rewritten, err := protocol.AppendLine(nil, again, true)
		if err != nil || string(rewritten) != string(written) {
			t.Errorf("%s was written again as %s (%v)", written, rewritten, err)
		}
	})
}

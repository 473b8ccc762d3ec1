package firmware_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/drivers/base/firmware"
	"mybot/drivers/base/protocol"
	"mybot/robot"
)

var tinker = firmware.Config{
	Program: "tinker 1.2",
	Robot:   json.RawMessage(`{"name":"Tinker","holds_s":0.1}`),
	Hold:    firmware.RecommendedHold,
	Max:     robot.Limit{Linear: 0.5, Angular: 2},
}

// line encodes a message without its newline.
func line(t interface{ Fatal(...any) }, m protocol.Message) string {
	l, err := protocol.AppendLine(nil, m, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(l[:len(l)-1])
}

// TestTheStoryOfABase plays testdata/story.txt, which explains itself.
func TestTheStoryOfABase(t *testing.T) {
	text, err := os.ReadFile("testdata/story.txt")
	if err != nil {
		t.Fatal(err)
	}
	b := firmware.New(tinker)
	var now protocol.Millis
	from := 0
	var answer protocol.FromBase
	var order protocol.ToBase
	for n, row := range strings.Split(string(text), "\n") {
		if row == "" || row[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(row, " ")
		number := 0
		_, _ = fmt.Sscan(rest, &number)
		got, want := "", rest
		if word != "<" && answer != nil {
			t.Errorf("line %d: the base has answered %s, which is not in the story", n+1, line(t, answer))
			answer = nil
		}
		switch word {
		case "at":
			now, want = protocol.Millis(number), ""
		case "open":
			var ok bool
			if from, _, ok = b.Connect(now); !ok {
				t.Errorf("line %d: the connection was refused", n+1)
			}
			got = fmt.Sprint(from)
		case "busy":
			_, refusal, ok := b.Connect(now)
			if got = line(t, refusal); ok {
				t.Errorf("line %d: the connection was accepted", n+1)
			}
		case "close":
			b.Disconnect(number)
			want = ""
		case "from":
			from, want = number, ""
		case "refuse":
			b.Refuse(rest)
			want = ""
		case ">":
			answer, order = b.Hear(from, []byte(rest), now)
			want = ""
		case "<":
			if answer == nil {
				answer = b.Reading(now, protocol.WheelTotals{}, protocol.Senses{})
			}
			got, answer = line(t, answer), nil
		case "order":
			got = line(t, order)
		case "=":
			twist := b.Twist(now)
			got = fmt.Sprint(twist.Linear, twist.Angular)
		default:
			t.Fatalf("line %d: %q is no word of a story", n+1, word)
		}
		if got != want {
			t.Errorf("line %d: at %d it is\n%s\nwant\n%s", n+1, now, got, want)
		}
	}
}

// heardDrive is a drive line that was valid on arrival.
type heardDrive struct {
	protocol.Drive
	at        protocol.Millis
	cancelled bool // a later line or event stops the base
}

// TestTheWheelsTurnOnlyForADriveLineThatHasNotExpired sends drive lines as a
// network delivers them: late, duplicated, out of order, over several connections,
// between hello, panic, broken lines and ends of the connection. In every ms the
// twist must be that of the newest line that may be executed, and of no other.
func TestTheWheelsTurnOnlyForADriveLineThatHasNotExpired(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := tinker
		c.Hold = time.Duration(rapid.SampledFrom([]int{20, 100, 500, 3000}).Draw(t, "hold ms")) * time.Millisecond
		hold := protocol.Millis(c.Hold.Milliseconds())
		b := firmware.New(c)
		now := protocol.Millis(rapid.Int64Range(0, 1<<40).Draw(t, "power-on"))
		var connections []int
		present, greeted, panicked, refused := 0, false, false, false
		lastHeard := now
		executed := int64(0) // number of the newest valid drive line since hello
		var drives []heardDrive
		cancel := func() {
			for i := range drives {
				drives[i].cancelled = true
			}
		}
		check := func() {
			want := robot.Twist{}
			if n := len(drives); n > 0 {
				if d := drives[n-1]; !d.cancelled && now < d.at+hold && now < d.Until {
					want = c.Max.Clamp(d.Twist)
				}
			}
			if got := b.Twist(now); got != want {
				t.Fatalf("at %d the motor command is %v, want %v", now, got, want)
			}
		}
		from := func() int {
			return connections[rapid.IntRange(max(0, len(connections)-2), len(connections)-1).Draw(t, "connection")]
		}
		wait := func(t *rapid.T) {
			for range rapid.IntRange(1, 150).Draw(t, "ms") {
				now++
				check()
			}
		}
		send := func(t *rapid.T) {
			n := from()
			m := protocol.Drive{
				Number: max(1, executed+rapid.Int64Range(-2, 3).Draw(t, "number ahead")),
				Until:  max(0, now+protocol.Millis(rapid.Int64Range(-300, 600).Draw(t, "until from now"))),
				Twist:  robot.Twist{Linear: math.Round(rapid.Float64Range(0.1, 1).Draw(t, "v")*1e4) / 1e4},
			}
			b.Hear(n, []byte(line(t, m)), now)
			if n != present {
				return
			}
			lastHeard = now
			if greeted && !panicked && !refused && m.Number > executed && m.Until > now {
				drives, executed = append(drives, heardDrive{Drive: m, at: now}), m.Number
			}
		}
		connections, present, greeted = append(connections, 1), 1, true
		b.Connect(now)
		b.Hear(1, []byte(`{"t":"hello","v":[1]}`), now)
		t.Repeat(map[string]func(*rapid.T){
			"time passes": wait, "more time passes": wait,
			"drive": send, "another drive": send, "one more drive": send,
			"nothing happens for seconds": func(t *rapid.T) {
				now += protocol.Millis(rapid.IntRange(1000, 5000).Draw(t, "ms"))
			},
			"a Mybot connects": func(t *rapid.T) {
				n, refusal, ok := b.Connect(now)
				if free := present == 0 || now-lastHeard >= 2000; ok != free {
					t.Fatalf("the connection was accepted: %v, want %v", ok, free)
				}
				if !ok {
					if !strings.Contains(refusal.Text, "busy") {
						t.Fatalf("the refusal is %q", refusal.Text)
					}
					return
				}
				connections, present, greeted, executed, lastHeard = append(connections, n), n, false, 0, now
				cancel()
			},
			"a connection ends": func(*rapid.T) {
				n := from()
				b.Disconnect(n)
				if n == present {
					present, greeted = 0, false
					cancel()
				}
			},
			"hello": func(t *rapid.T) {
				n := from()
				answer, _ := b.Hear(n, []byte(`{"t":"hello","v":[1]}`), now)
				if n != present {
					if answer != nil {
						t.Fatalf("a connection that has been replaced is answered %+v", answer)
					}
					return
				}
				greeted, executed, lastHeard = true, 0, now
				cancel()
			},
			"noise": func(t *rapid.T) {
				n := from()
				b.Hear(n, rapid.SliceOfN(rapid.Byte(), 0, 50).Draw(t, "bytes"), now)
				if n == present {
					lastHeard = now
				}
			},
			"panic or clear": func(t *rapid.T) {
				n, on := from(), rapid.Bool().Draw(t, "panic")
				b.Hear(n, []byte(map[bool]string{true: `{"t":"panic"}`, false: `{"t":"clear"}`}[on]), now)
				if n == present {
					if lastHeard, panicked = now, on; on {
						cancel()
					}
				}
			},
			"the emergency stop": func(t *rapid.T) {
				if refused = rapid.Bool().Draw(t, "pressed"); refused {
					b.Refuse("The emergency stop is pressed.")
					cancel()
				} else {
					b.Refuse("")
				}
			},
			"the clock goes back": func(t *rapid.T) {
				if back := protocol.Millis(rapid.Int64Range(1, 100).Draw(t, "ms back")); back <= now {
					now -= back
					lastHeard = min(lastHeard, now)
					b.Twist(now)
					cancel()
				}
			},
			"": func(t *rapid.T) {
				check()
				if got := b.Reading(now, protocol.WheelTotals{}, protocol.Senses{}).Got; present != 0 && got != executed {
					t.Fatalf("the reading has got %d, want %d", got, executed)
				}
			},
		})
	})
}

func TestAMybotThatReplacesASilentOneFindsTheBaseStanding(t *testing.T) {
	c := tinker
	c.Hold = 5 * time.Second
	b := firmware.New(c)
	n, _, _ := b.Connect(0)
	b.Hear(n, []byte(`{"t":"hello","v":[1]}`), 0)
	b.Hear(n, []byte(`{"t":"drive","n":1,"until":5000,"v":0.3,"w":0}`), 0)
	if b.Twist(2000).IsZero() {
		t.Fatal("the base does not drive")
	}
	if _, _, ok := b.Connect(2000); !ok || !b.Twist(2000).IsZero() {
		t.Errorf("the connection was accepted: %v; the motor command is %v", ok, b.Twist(2000))
	}
}

func TestABaseHearsNobodyWhileNobodyIsConnected(t *testing.T) {
	b := firmware.New(tinker)
	for _, connection := range []int{0, 1, -1} {
		for _, l := range []string{`{"t":"hello","v":[1]}`, `{"t":"drive","n":1,"until":100,"v":0.3,"w":0}`, "noise"} {
			if answer, order := b.Hear(connection, []byte(l), 10); answer != nil || order != nil {
				t.Errorf("%s of connection %d was answered %+v, %+v", l, connection, answer, order)
			}
		}
		if answer := b.Mishear(connection, errors.New("it is too long"), 10); answer != nil {
			t.Errorf("connection %d was answered %+v", connection, answer)
		}
		b.Disconnect(connection)
	}
	if !b.Twist(10).IsZero() {
		t.Error("the base drives")
	}
	n, _, _ := b.Connect(20)
	if want := (protocol.Error{Text: "it is too long"}); b.Mishear(n, errors.New("it is too long"), 20) != protocol.FromBase(want) {
		t.Error("a line that is too long was not answered")
	}
}

func TestErrorsDoNotFloodTheLine(t *testing.T) {
	b := firmware.New(tinker)
	n, _, _ := b.Connect(0)
	answered := 0
	for i := range 10_000 {
		if answer, _ := b.Hear(n, []byte("noise"), protocol.Millis(i/10)); answer != nil {
			answered++
		}
	}
	if answered != 10 {
		t.Errorf("10000 malformed lines in a second were answered by %d errors, want 10", answered)
	}
	for _, at := range []protocol.Millis{1000, 500, 1500} { // the clock steps back between them
		for range 9 {
			b.Hear(n, []byte("noise"), at)
		}
		if answer, _ := b.Hear(n, []byte("noise"), at); (answer != nil) != (at != 500) {
			t.Errorf("at %d the tenth malformed line is answered %v", at, answer)
		}
	}
}

func TestABaseOnASerialPortHearsOnlyLinesWithAChecksum(t *testing.T) {
	c := tinker
	c.Checked = true
	b := firmware.New(c)
	n, _, _ := b.Connect(0)
	for _, m := range []protocol.Message{protocol.Hello{Versions: []int{1}}, protocol.Drive{Number: 1, Until: 100, Twist: robot.Twist{Linear: 0.3}}} {
		b.Hear(n, []byte(line(t, m)), 10)
		if b.Twist(10) != (robot.Twist{}) {
			t.Fatal("the base drives for a line without a checksum")
		}
	}
	for _, m := range []protocol.Message{protocol.Hello{Versions: []int{1}}, protocol.Drive{Number: 1, Until: 100, Twist: robot.Twist{Linear: 0.3}}} {
		l, err := protocol.AppendLine(nil, m, true)
		if err != nil {
			t.Fatal(err)
		}
		b.Hear(n, l[:len(l)-1], 10)
	}
	if got := b.Twist(10); got.Linear != 0.3 {
		t.Errorf("the base does not drive for a line with a checksum: %v", got)
	}
}

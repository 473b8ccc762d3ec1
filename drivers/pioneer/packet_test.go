package pioneer_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mybot/drivers/pioneer"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCommandsArePacketsAsTheManualsHaveThem compares with packets computed by the
// rules of the operations manuals.
func TestCommandsArePacketsAsTheManualsHaveThem(t *testing.T) {
	for _, c := range []struct {
		name   string
		packet []byte
		want   string
	}{
		{"SYNC0, which is PULSE once it is open", pioneer.AppendCommand(nil, pioneer.CommandPulse), "FA FB 03 00 00 00"},
		{"OPEN", pioneer.AppendCommand(nil, pioneer.CommandOpen), "FA FB 03 01 00 01"},
		{"CLOSE", pioneer.AppendCommand(nil, pioneer.CommandClose), "FA FB 03 02 00 02"},
		{"ENABLE 1", pioneer.AppendCommandValue(nil, pioneer.CommandEnable, 1), "FA FB 06 04 3B 01 00 05 3B"},
		{"VEL 200 mm/s", pioneer.AppendCommandValue(nil, pioneer.CommandVel, 200), "FA FB 06 0B 3B C8 00 D3 3B"},
		{"VEL -1000 mm/s", pioneer.AppendCommandValue(nil, pioneer.CommandVel, -1000), "FA FB 06 0B 1B E8 03 F3 1E"},
		{"RVEL -20 deg/s", pioneer.AppendCommandValue(nil, pioneer.CommandRVel, -20), "FA FB 06 15 1B 14 00 29 1B"},
		{"SONAR 1", pioneer.AppendCommandValue(nil, pioneer.CommandSonar, 1), "FA FB 06 1C 3B 01 00 1D 3B"},
		{"more than 15 bits", pioneer.AppendCommandValue(nil, pioneer.CommandVel, 1<<20), "FA FB 06 0B 3B FF 7F 0A BA"},
	} {
		if want := unhex(t, c.want); !bytes.Equal(c.packet, want) {
			t.Errorf("%s is % X, want % X", c.name, c.packet, want)
		}
	}
}

func TestACommandIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := pioneer.Command(rapid.Byte().Draw(t, "command"))
		value := rapid.IntRange(-math.MaxInt16, math.MaxInt16).Draw(t, "value")
		var got [][]byte
		new(pioneer.Splitter).Split(pioneer.AppendCommandValue(nil, c, value), func(data []byte) { got = append(got, bytes.Clone(data)) })
		if len(got) != 1 {
			t.Fatalf("%d packets came of one", len(got))
		}
		if readC, readValue, ok := pioneer.ReadCommand(got[0]); !ok || readC != c || readValue != value {
			t.Errorf("command %d with %d is read as %d with %d, %v", c, value, readC, readValue, ok)
		}
	})
}

// TestPacketsAreFoundHoweverTheyCome cuts a stream of packets with noise between
// them into arbitrary pieces.
func TestPacketsAreFoundHoweverTheyCome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stream []byte
		var want [][]byte
		for range rapid.IntRange(0, 8).Draw(t, "packets") {
			noise := rapid.SliceOfN(rapid.ByteRange(0, 0xF9), 0, 6).Draw(t, "noise") // has no header
			data := rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "data")
			stream = pioneer.AppendPacket(append(stream, noise...), data)
			want = append(want, data)
		}
		var splitter pioneer.Splitter
		var got [][]byte
		for len(stream) > 0 {
			n := rapid.IntRange(1, len(stream)).Draw(t, "piece")
			splitter.Split(stream[:n], func(data []byte) { got = append(got, bytes.Clone(data)) })
			stream = stream[n:]
		}
		if !reflect.DeepEqual(got, want) || splitter.Faulty() != 0 {
			t.Errorf("of %d packets %d were found, %d were faulty", len(want), len(got), splitter.Faulty())
		}
	})
}

func TestABrokenPacketIsSkippedAndTheNextOneIsFound(t *testing.T) {
	good := pioneer.AppendCommandValue(nil, pioneer.CommandVel, 200)
	for _, c := range []struct {
		name   string
		before []byte
	}{
		{"a wrong checksum", unhex(t, "FA FB 06 0B 3B C8 00 D3 3C")},
		{"a wrong byte", unhex(t, "FA FB 06 0B 3B C9 00 D3 3B")},
		{"no data", unhex(t, "FA FB 02 00 00")},
		{"more data than there may be", unhex(t, "FA FB FF")},
		{"a header inside", unhex(t, "FA FB 06 FA")},
	} {
		var splitter pioneer.Splitter
		var got [][]byte
		stream := append(bytes.Clone(c.before), good...)
		stream = append(stream, good...)
		splitter.Split(stream, func(data []byte) { got = append(got, bytes.Clone(data)) })
		if len(got) == 0 || !bytes.Equal(got[len(got)-1], good[3:7]) || splitter.Faulty() == 0 {
			t.Errorf("%s: % X were found, %d were faulty", c.name, got, splitter.Faulty())
		}
	}
}

func TestAStateIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := pioneer.SIP{
			Moving: rapid.Bool().Draw(t, "moving"), X: rapid.Uint16().Draw(t, "x"), Y: rapid.Uint16().Draw(t, "y"),
			Heading: rapid.Int16().Draw(t, "heading"), Left: rapid.Int16().Draw(t, "left"), Right: rapid.Int16().Draw(t, "right"),
			Battery: rapid.Byte().Draw(t, "battery"), Contact: rapid.Uint16().Draw(t, "contact"), Flags: rapid.Uint16().Draw(t, "flags"),
			Compass: rapid.Byte().Draw(t, "compass"),
		}
		for range rapid.IntRange(0, 32).Draw(t, "sonars") {
			s.Echoes = append(s.Echoes, pioneer.Echo{Sonar: rapid.IntRange(0, 31).Draw(t, "sonar"), Range: rapid.Uint16().Draw(t, "range")})
		}
		var got pioneer.SIP
		var err error
		new(pioneer.Splitter).Split(pioneer.AppendSIP(nil, s), func(data []byte) { got, err = pioneer.ReadSIP(data) })
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%+v is read as %+v, %v", s, got, err)
		}
	})
}

// TestTheStateOfARobotIsRead reads a packet written by hand after the manual's
// table of the standard SIP, and the fields after the sonars.
func TestTheStateOfARobotIsRead(t *testing.T) {
	data := unhex(t, "33 E8 03 0C FE 00 04 2C 01 F4 01 7B 01 00 00 00 61 00 2D 02 03 DC 05 07 88 13 00 00 00 00 00 7B 00")
	got, err := pioneer.ReadSIP(data)
	want := pioneer.SIP{
		Moving: true, X: 1000, Y: 0xFE0C, Heading: 1024, Left: 300, Right: 500, Battery: 123, Contact: 1,
		Flags: pioneer.FlagMotors | pioneer.FlagStop | pioneer.FlagEStall, Compass: 45,
		Echoes: []pioneer.Echo{{Sonar: 3, Range: 1500}, {Sonar: 7, Range: 5000}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the state is read as %+v, %v; want %+v", got, err, want)
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"another packet", []byte{0x20, 1, 2}, "is none with the robot's state"},
		{"nothing", nil, "is none with the robot's state"},
		{"cut before the sonars", data[:19], "has 19 bytes; it should have at least 20"},
		{"cut in a sonar", data[:25], "has room for 1 of 2 sonars"},
	} {
		if _, err := pioneer.ReadSIP(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, which does not say %q", c.name, err, c.want)
		}
	}
}

// FuzzRead reads arbitrary input.
func FuzzRead(f *testing.F) {
	f.Add(pioneer.AppendSIP(nil, pioneer.SIP{Flags: 1, Echoes: []pioneer.Echo{{Sonar: 3, Range: 1500}}}), 3)
	f.Add([]byte{0xFA, 0xFB, 0xFA, 0xFB, 0x03, 0, 0, 0}, 1)
	f.Fuzz(func(t *testing.T, stream []byte, piece int) {
		var whole, cut pioneer.Splitter
		var a, b int
		whole.Split(stream, func(data []byte) {
			a++
			if s, err := pioneer.ReadSIP(data); err == nil && len(s.Echoes) > 255 {
				t.Errorf("%d sonars", len(s.Echoes))
			}
			pioneer.ReadCommand(data)
		})
		if piece < 1 {
			piece = 1
		}
		for len(stream) > 0 {
			n := min(piece, len(stream))
			cut.Split(stream[:n], func([]byte) { b++ })
			stream = stream[n:]
		}
		if a != b || whole.Faulty() != cut.Faulty() {
			t.Errorf("%d packets at once, %d in pieces", a, b)
		}
	})
}

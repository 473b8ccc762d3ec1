package journal

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"mybot/mapping"
	"mybot/robot"
	"mybot/robot/scan"
)

func TestValuesSurviveTheRiceCode(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 300 {
		values := make([]uint32, n)
		for i := range values {
			values[i] = rng.Uint32N(1 << rng.IntN(valueBits+1))
		}
		var w bitWriter
		w.writeBits(5, 3)
		w.writeAll(values)
		r, got := bitReader{bytes: w.bytes}, make([]uint32, n)
		if r.readBits(3) != 5 {
			t.Fatal("the first bits are wrong")
		}
		r.readAll(got)
		if r.ended || !reflect.DeepEqual(got, values) {
			t.Fatalf("%d values: got %v, want %v", n, got, values)
		}
	}
}

// FuzzKeyFrame decodes data without a checksum.
func FuzzKeyFrame(f *testing.F) {
	var k mapping.KeyFrame
	for i := range 20 {
		k.Cloud.Beams = append(k.Cloud.Beams, scan.Beam{End: robot.Point{X: 1 + float64(i%7), Y: float64(i)}, Echo: i%5 > 0})
	}
	data, err := appendKeyFrame(nil, k)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(bytes.Repeat([]byte{0xff}, 40))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := readKeyFrame(data)
		if err != nil {
			return
		}
		if len(k.Cloud.Beams) > MaxBeams || !robot.Finite(k.Motion.X, k.Motion.Y, k.Motion.Theta) {
			t.Fatalf("%d beams, motion %v", len(k.Cloud.Beams), k.Motion)
		}
		again, err := appendKeyFrame(nil, k)
		if err != nil {
			t.Fatalf("what was read cannot be saved: %v", err)
		}
		if _, err := readKeyFrame(again); err != nil {
			t.Errorf("saved again it cannot be read: %v", err)
		}
	})
}

func TestAJournalOfANewerProgramIsRefused(t *testing.T) {
	var out bytes.Buffer
	out.WriteString(magic)
	w := &Writer{out: &out}
	if err := w.appendRecord(kindHeader, []byte(`{"version":2}`)); err != nil {
		t.Fatal(err)
	}
	_, err := Read(&out, func(Record) error { return nil })
	if want := "journal: it has version 2 of the format, and this program reads version 1"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

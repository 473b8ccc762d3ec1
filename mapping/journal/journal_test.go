package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"mybot/mapping"
	"mybot/mapping/journal"
	"mybot/robot"
	"mybot/robot/scan"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// roomFrame is a key frame of a noisy lidar in a room of 9 x 7 m with an open door.
func roomFrame(rng *rand.Rand, beams int) mapping.KeyFrame {
	at := robot.Pose{X: 6*rng.Float64() - 3, Y: 4*rng.Float64() - 2, Theta: 7 * rng.Float64()}
	k := mapping.KeyFrame{
		Motion: robot.Pose{X: 0.2 + 0.01*rng.NormFloat64(), Y: 0.002 * rng.NormFloat64(), Theta: 0.05 * rng.NormFloat64()},
		Cloud:  scan.Cloud{Lidar: 1, Time: noon.Add(time.Duration(rng.IntN(1e9))), Origin: robot.Point{X: 0.1003, Y: -0.02}},
	}
	k.Cloud.Last = k.Cloud.Time.Add(-3 * time.Millisecond)
	for i := range beams {
		angle := -math.Pi + 2*math.Pi*float64(i)/float64(beams)
		sin, cos := math.Sincos(at.Theta + angle)
		d := min(bound(at.X, cos, 4.5), bound(at.Y, sin, 3.5))
		echo := math.Abs(at.X+d*cos-1) > 0.6 || sin < 0
		if echo {
			d += 0.01 * rng.NormFloat64()
		} else {
			d = 12
		}
		turn := 1e-4 * float64(i) // by the motion during the scan
		k.Cloud.Beams = append(k.Cloud.Beams, scan.Beam{End: k.Cloud.Origin.Add(robot.Point{X: d * math.Cos(angle+turn), Y: d * math.Sin(angle+turn)}), Echo: echo})
	}
	return k
}

// bound returns the distance of a wall at plus or minus half from x in a direction.
func bound(x, direction, half float64) float64 {
	if direction < 0 {
		x = -x
	}
	return (half - x) / max(1e-9, math.Abs(direction))
}

func newWriter(t testing.TB, out *bytes.Buffer) *journal.Writer {
	t.Helper()
	w, err := journal.NewWriter(out, journal.Header{Began: noon, Map: "Ground floor", Robot: "Mybot", Lidars: []robot.Lidar{{Beams: 360, Max: 12}}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// readAll returns all records of a journal.
func readAll(data []byte) (records []journal.Record, c journal.Contents, err error) {
	c, err = journal.Read(bytes.NewReader(data), func(r journal.Record) error {
		records = append(records, r)
		return nil
	})
	return records, c, err
}

// fullJournal returns a journal with a record of each kind, the records, and the
// end of each.
func fullJournal(t testing.TB) (data []byte, want []journal.Record, ends []int) {
	t.Helper()
	var out bytes.Buffer
	w := newWriter(t, &out)
	ends = append(ends, out.Len())
	rng := rand.New(rand.NewPCG(1, 1))
	add := func(r journal.Record, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		want, ends = append(want, r), append(ends, out.Len())
		if w.Size() != int64(out.Len()) {
			t.Fatalf("the Writer counts %d bytes of %d", w.Size(), out.Len())
		}
	}
	frame := func() {
		t.Helper()
		k, err := w.AddKeyFrame(roomFrame(rng, 40))
		add(journal.Record{Kind: journal.KeyFrame, KeyFrame: k}, err)
	}
	poses := []robot.Pose{{X: 1.0 / 3, Y: -7, Theta: 3}}
	add(journal.Record{Kind: journal.Poses, Poses: poses}, w.AddPoses(poses))
	for range 4 {
		frame()
	}
	add(journal.Record{Kind: journal.Pause, Time: noon.Local()}, w.AddPause(noon))
	add(journal.Record{Kind: journal.Resume, Time: noon.Add(time.Hour).Local()}, w.AddResume(noon.Add(time.Hour)))
	add(journal.Record{Kind: journal.Undo, Keep: 2}, w.AddUndo(2))
	frame()
	add(journal.Record{Kind: journal.Finish}, w.AddFinish())
	add(journal.Record{Kind: journal.Restart}, w.AddRestart())
	edit := json.RawMessage(`{"op":"rotate","angle":0.1}`)
	add(journal.Record{Kind: journal.Edit, Edit: edit}, w.AddEdit(edit))
	return out.Bytes(), want, ends
}

func TestAJournalIsReadAsItWasWritten(t *testing.T) {
	data, want, _ := fullJournal(t)
	got, c, err := readAll(data)
	if err != nil || c.Missing != "" || c.Size != int64(len(data)) || c.Records != len(want) || c.KeyFrames != 3 || c.Fixed != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	h := c.Header
	if h.Version != 1 || !h.Began.Equal(noon) || h.Map != "Ground floor" || h.Robot != "Mybot" || len(h.Lidars) != 1 || h.Lidars[0].Beams != 360 {
		t.Errorf("%+v", h)
	}
}

func TestAKeyFrameIsSavedToMillimetres(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, beams := range []int{0, 1, 2, 61, 360, 1081} {
		var out bytes.Buffer
		w := newWriter(t, &out)
		k := roomFrame(rng, beams)
		saved, err := w.AddKeyFrame(k)
		if err != nil {
			t.Fatal(err)
		}
		off := k.Motion.Inverse().Compose(saved.Motion)
		if math.Abs(off.X)+math.Abs(off.Y)+math.Abs(off.Theta) > 2e-5 || !saved.Cloud.Time.Equal(k.Cloud.Time) || !saved.Cloud.Last.Equal(k.Cloud.Last) || saved.Cloud.Lidar != 1 || saved.Cloud.Origin.Sub(k.Cloud.Origin).Norm() > 0.001 || len(saved.Cloud.Beams) != beams {
			t.Errorf("%d beams: saved %+v", beams, saved.Motion)
		}
		for i, b := range saved.Cloud.Beams {
			if was := k.Cloud.Beams[i]; was.Echo != b.Echo || was.End.Sub(b.End).Norm() > 0.004 {
				t.Fatalf("beam %d of %d: %+v became %+v", i, beams, was, b)
			}
		}
		again, err := newWriter(t, &bytes.Buffer{}).AddKeyFrame(saved)
		if err != nil || !reflect.DeepEqual(again, saved) {
			t.Errorf("%d beams: saved a second time it differs, %v", beams, err)
		}
	}
}

func TestAKeyFrameTakesAFewHundredBytes(t *testing.T) {
	var out bytes.Buffer
	w := newWriter(t, &out)
	before := out.Len()
	rng := rand.New(rand.NewPCG(1, 3))
	for range 100 {
		if _, err := w.AddKeyFrame(roomFrame(rng, 360)); err != nil {
			t.Fatal(err)
		}
	}
	if each := (out.Len() - before) / 100; each > 400 {
		t.Errorf("a key frame of 360 beams takes %d bytes; at most 400", each)
	} else {
		t.Logf("%d bytes", each)
	}
}

func TestBeamsThatSayNothingAreLeftOut(t *testing.T) {
	beam := func(x, y float64, echo bool) scan.Beam { return scan.Beam{End: robot.Point{X: x, Y: y}, Echo: echo} }
	w := newWriter(t, &bytes.Buffer{})
	saved, err := w.AddKeyFrame(mapping.KeyFrame{Cloud: scan.Cloud{Beams: []scan.Beam{
		beam(math.NaN(), 1, true), beam(math.Inf(1), 0, false), beam(0, 0, true), beam(1000, 0, true), beam(1000, 0, false), beam(2, 0, true),
	}}})
	if err != nil || len(saved.Cloud.Beams) != 2 || saved.Cloud.Beams[0].Echo || saved.Cloud.Beams[0].End.X < 300 || saved.Cloud.Beams[1] != beam(2, 0, true) || !saved.Cloud.Time.IsZero() {
		t.Errorf("%+v, %v", saved, err)
	}
}

func TestWhatCannotBeSavedIsRefused(t *testing.T) {
	for _, c := range []struct {
		name, want string
		add        func(*journal.Writer) error
	}{
		{"a motion that is no number", "finite numbers", func(w *journal.Writer) error {
			_, err := w.AddKeyFrame(mapping.KeyFrame{Motion: robot.Pose{X: math.NaN()}})
			return err
		}},
		{"too many beams", "at most 4096", func(w *journal.Writer) error {
			_, err := w.AddKeyFrame(roomFrame(rand.New(rand.NewPCG(1, 1)), 4097))
			return err
		}},
		{"a long edit", "at most 65536", func(w *journal.Writer) error {
			return w.AddEdit(json.RawMessage(`"` + strings.Repeat("x", journal.MaxEdit) + `"`))
		}},
		{"an edit that is no JSON", "valid JSON", func(w *journal.Writer) error { return w.AddEdit(json.RawMessage(`{`)) }},
		{"key frames that are not there", "cannot be kept of 0", func(w *journal.Writer) error { return w.AddUndo(1) }},
		{"poses behind a key frame", "before the first key frame", func(w *journal.Writer) error {
			_, err := w.AddKeyFrame(mapping.KeyFrame{})
			return errors.Join(err, w.AddPoses(make([]robot.Pose, 1)))
		}},
		{"a pose that is no number", "pose 0", func(w *journal.Writer) error { return w.AddPoses([]robot.Pose{{Theta: math.Inf(1)}}) }},
		{"one key frame too many", "at most 20000 key frames", func(w *journal.Writer) error {
			for range journal.MaxKeyFrames {
				if _, err := w.AddKeyFrame(mapping.KeyFrame{}); err != nil {
					return err
				}
			}
			_, err := w.AddKeyFrame(mapping.KeyFrame{})
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			w := newWriter(t, &out)
			if err := c.add(w); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			if err := w.AddFinish(); err != nil {
				t.Errorf("after it: %v", err)
			}
			if _, contents, err := readAll(out.Bytes()); err != nil || contents.Missing != "" {
				t.Errorf("%q, %v", contents.Missing, err)
			}
		})
	}
}

// wholeBefore returns how many records end at or before a byte offset.
func wholeBefore(ends []int, at int) int {
	n := 0
	for n+1 < len(ends) && ends[n+1] <= at {
		n++
	}
	return n
}

func TestAJournalThatWasCutOffIsReadUpToTheCut(t *testing.T) {
	data, want, ends := fullJournal(t)
	for at := range len(data) {
		got, c, err := readAll(data[:at])
		if at < ends[0] {
			if err == nil {
				t.Fatalf("cut at %d, within its header: no error", at)
			}
			continue
		}
		n := wholeBefore(ends, at)
		if err != nil || len(got) != n || n > 0 && !reflect.DeepEqual(got, want[:n]) || c.Size != int64(ends[n]) {
			t.Fatalf("cut at %d: %d records, want %d; %+v, %v", at, len(got), n, c, err)
		}
		if whole := at == ends[n]; whole != (c.Missing == "") || !whole && !strings.Contains(c.Missing, fmt.Sprintf("ends in the middle of a record; its last %d bytes, after %d key frames, are left out", at-ends[n], c.KeyFrames)) {
			t.Fatalf("cut at %d: %q", at, c.Missing)
		}
	}
}

func TestNothingBehindADamagedByteIsUsed(t *testing.T) {
	data, want, ends := fullJournal(t)
	for at := range data {
		for _, bit := range []byte{1, 0x80} {
			bad := bytes.Clone(data)
			bad[at] ^= bit
			got, c, err := readAll(bad)
			if at < ends[0] {
				if err == nil {
					t.Fatalf("byte %d of the header is wrong: no error", at)
				}
				continue
			}
			if n := wholeBefore(ends, at); err != nil || len(got) != n || n > 0 && !reflect.DeepEqual(got, want[:n]) || c.Missing == "" {
				t.Fatalf("byte %d is wrong: %d records, want %d; %q, %v", at, len(got), n, c.Missing, err)
			}
		}
	}
}

func TestARecordThatIsMissingOrExchangedIsNoticed(t *testing.T) {
	data, _, ends := fullJournal(t)
	part := func(n int) []byte { return data[ends[n-1]:ends[n]] }
	for name, parts := range map[string][][]byte{
		"missing":   {data[:ends[1]], part(3), part(4)},
		"exchanged": {data[:ends[1]], part(3), part(2)},
		"doubled":   {data[:ends[2]], part(2)},
	} {
		if _, c, err := readAll(bytes.Join(parts, nil)); err != nil || !strings.Contains(c.Missing, "its checksum is wrong") || c.KeyFrames > 1 {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

func TestAJournalIsContinuedBehindItsLastWholeRecord(t *testing.T) {
	data, want, ends := fullJournal(t)
	half := (ends[3] + ends[4]) / 2
	_, c, err := readAll(data[:half])
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.NewBuffer(bytes.Clone(data[:c.Size]))
	w := c.Continue(out)
	if err := w.AddUndo(1); err != nil {
		t.Fatal(err)
	}
	if err := w.AddUndo(2); err == nil {
		t.Error("more key frames are returned than there are")
	}
	got, c, err := readAll(out.Bytes())
	if err != nil || c.Missing != "" || c.KeyFrames != 1 || len(got) != 4 || !reflect.DeepEqual(got[:3], want[:3]) || w.Size() != int64(out.Len()) {
		t.Errorf("%d records, %+v, %v", len(got), c, err)
	}
}

func TestWhatIsNoJournalIsRefused(t *testing.T) {
	data, _, ends := fullJournal(t)
	for _, c := range []struct{ name, data, want string }{
		{"nothing", "", "the file is empty"},
		{"a log", "# CARMEN Logfile\n", `this is no journal of a map: it begins with "# CARMEN" instead of "\x89mybmap\n"`},
		{"half a header", string(data[:ends[0]-1]), "its header is damaged"},
	} {
		if _, _, err := readAll([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// fullDisk accepts a number of bytes and no more.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.left)
	d.left -= n
	if n < len(p) {
		return n, errors.New("no space left on device")
	}
	return n, nil
}

func TestNothingIsAppendedBehindHalfARecord(t *testing.T) {
	disk := &fullDisk{left: 500}
	w, err := journal.NewWriter(disk, journal.Header{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for err == nil {
		_, err = w.AddKeyFrame(roomFrame(rng, 90))
	}
	disk.left = 1000
	if err := w.AddFinish(); err == nil || !strings.Contains(err.Error(), "no space left") || disk.left != 1000 {
		t.Errorf("%v, %d bytes left", err, disk.left)
	}
}

func FuzzRead(f *testing.F) {
	data, _, _ := fullJournal(f)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		records, c, err := readAll(data)
		if err != nil {
			return
		}
		if c.Size > int64(len(data)) || c.Records != len(records) || (c.Size < int64(len(data))) != (c.Missing != "") {
			t.Errorf("%d bytes: %+v", len(data), c)
		}
		if _, again, err := readAll(data[:c.Size]); err != nil || again.Missing != "" || again.KeyFrames != c.KeyFrames {
			t.Errorf("the complete records are read as %+v, %v", again, err)
		}
	})
}

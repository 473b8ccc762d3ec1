package journal_test

import (
	"bytes"
	"encoding/json"
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

// A surveyor maps a drive through a room and writes a journal of it.
type surveyor struct {
	t      *testing.T
	out    bytes.Buffer
	writer *journal.Writer
	mapper mapping.Mapper
	rng    *rand.Rand
	at     robot.Pose
	now    time.Time
}

func newSurveyor(t *testing.T) *surveyor {
	s := &surveyor{t: t, rng: rand.New(rand.NewPCG(4, 4)), now: noon}
	s.writer = newWriter(t, &s.out)
	s.must(s.writer.AddResume(noon))
	return s
}

func (s *surveyor) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// drive adds n key frames, one a second, during each of which the robot moves.
func (s *surveyor) drive(n int, motion robot.Pose) {
	s.t.Helper()
	for range n {
		s.at, s.now = s.at.Compose(motion), s.now.Add(time.Second)
		k := mapping.KeyFrame{Motion: motion, Cloud: scan.Cloud{Time: s.now, Last: s.now}}
		k.Motion.X *= 1 + 0.02*s.rng.NormFloat64()
		for i := range 180 {
			angle := 2 * math.Pi * float64(i) / 180
			sin, cos := math.Sincos(s.at.Theta + angle)
			d := min(bound(s.at.X, cos, 4.5), bound(s.at.Y, sin, 3.5)) + 0.01*s.rng.NormFloat64()
			k.Cloud.Beams = append(k.Cloud.Beams, scan.Beam{End: robot.Point{X: d * math.Cos(angle), Y: d * math.Sin(angle)}, Echo: true})
		}
		saved, err := s.writer.AddKeyFrame(k)
		s.must(err)
		s.mapper.Add(saved)
		for s.mapper.Step() {
		}
	}
}

func (s *surveyor) undo(way float64) {
	s.t.Helper()
	s.must(s.writer.AddUndo(s.mapper.Undo(way)))
}

// replay returns the Mapper of a journal, and the Replay.
func replay(t *testing.T, data []byte) (*mapping.Mapper, *journal.Replay) {
	t.Helper()
	r := &journal.Replay{Mapper: &mapping.Mapper{}}
	if c, err := journal.Read(bytes.NewReader(data), r.Take); err != nil || c.Missing != "" {
		t.Fatal(c.Missing, err)
	}
	for r.Mapper.Step() {
	}
	return r.Mapper, r
}

func drivenRoom(t *testing.T) *surveyor {
	s := newSurveyor(t)
	s.drive(40, robot.Pose{X: 0.2, Theta: 0.2})
	s.undo(1)
	s.drive(10, robot.Pose{X: 0.2, Theta: 0.2})
	s.must(s.writer.AddPause(s.now))
	s.must(s.writer.AddResume(s.now.Add(time.Hour)))
	s.mapper.Interrupt()
	s.now = s.now.Add(time.Hour)
	s.drive(5, robot.Pose{X: 0.2, Theta: -0.2})
	s.must(s.writer.AddFinish())
	s.mapper.Finish()
	for s.mapper.Step() {
	}
	return s
}

func TestAJournalMakesTheSameMap(t *testing.T) {
	s := drivenRoom(t)
	s.must(s.writer.AddEdit(json.RawMessage(`{"op":"straighten"}`)))
	m, r := replay(t, s.out.Bytes())
	if !reflect.DeepEqual(m.Poses(), s.mapper.Poses()) || m.Summary() != s.mapper.Summary() || len(m.Poses()) < 40 {
		t.Errorf("%+v, want %+v", m.Summary(), s.mapper.Summary())
	}
	if r.Lasted != 55*time.Second || len(r.Edits) != 1 || string(r.Edits[0]) != `{"op":"straighten"}` {
		t.Errorf("%v, edits %s", r.Lasted, r.Edits)
	}
}

func TestAFinishedMapIsSavedWithItsPosesAndExtended(t *testing.T) {
	s := drivenRoom(t)
	var saved bytes.Buffer
	poses := s.mapper.Poses()
	s.must(journal.Compact(&saved, bytes.NewReader(s.out.Bytes()), poses))
	m, _ := replay(t, saved.Bytes())
	if !reflect.DeepEqual(m.Poses(), poses) || m.Summary().Fixed != len(poses) || saved.Len() > s.out.Len()+24*len(poses) {
		t.Fatalf("%+v, %d bytes of %d", m.Summary(), saved.Len(), s.out.Len())
	}
	_, c, err := readAll(saved.Bytes())
	if err != nil || !c.Header.Began.Equal(noon) || c.KeyFrames != len(poses) {
		t.Fatalf("%+v, %v", c, err)
	}
	// It is extended, and saved again.
	e := &surveyor{t: t, rng: s.rng, at: s.at, now: s.now, mapper: *m}
	e.out.Write(saved.Bytes())
	e.writer = c.Continue(&e.out)
	e.drive(20, robot.Pose{X: 0.2, Theta: 0.1})
	e.undo(0.5)
	e.drive(3, robot.Pose{X: 0.2, Theta: 0.1})
	both, _ := replay(t, e.out.Bytes())
	if got := both.Poses(); !reflect.DeepEqual(got, e.mapper.Poses()) || !reflect.DeepEqual(got[:len(poses)], poses) || len(got) < len(poses)+15 {
		t.Errorf("%d poses, want %d", len(got), len(e.mapper.Poses()))
	}
	var again bytes.Buffer
	s.must(journal.Compact(&again, bytes.NewReader(e.out.Bytes()), both.Poses()))
	if last, _ := replay(t, again.Bytes()); !reflect.DeepEqual(last.Poses(), both.Poses()) || last.Summary().Fixed != len(both.Poses()) {
		t.Errorf("saved again it is %+v", last.Summary())
	}
}

func TestAJournalIsNotCompactedWithOtherPoses(t *testing.T) {
	s := drivenRoom(t)
	for _, c := range []struct {
		data  []byte
		poses []robot.Pose
		want  string
	}{
		{s.out.Bytes(), s.mapper.Poses()[1:], "there are poses of"},
		{s.out.Bytes()[:s.out.Len()-1], s.mapper.Poses(), "ends in the middle"},
		{nil, nil, "the file is empty"},
	} {
		if err := journal.Compact(&bytes.Buffer{}, bytes.NewReader(c.data), c.poses); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

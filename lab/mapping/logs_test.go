package mapping

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"mybot/robot"
)

// writtenTrial reads the log that writeDrive writes.
func writtenTrial(t *testing.T) *logTrial {
	t.Helper()
	log, _ := writeDrive(t, func(int) robot.Pose { return robot.Pose{} })
	l, err := readTrial(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// endOf returns the last pose by odometry.
func endOf(drive []drivenScan) (end robot.Pose) {
	for _, s := range drive {
		end = end.Compose(s.motion)
	}
	return end
}

func TestDisturbancesDoWhatTheySay(t *testing.T) {
	l := writtenTrial(t)
	plain := l.drive()
	beams := len(plain[0].cloud.Beams)
	longest := func(drive []drivenScan) (most float64) {
		for _, s := range drive {
			for _, b := range s.cloud.Beams {
				if b.Echo {
					most = math.Max(most, b.End.Norm())
				}
			}
		}
		return most
	}
	far := longest(plain)
	way := func(drive []drivenScan) (sum float64) {
		for _, s := range drive {
			sum += s.motion.Point().Norm()
		}
		return sum
	}
	for _, c := range []struct {
		name  string
		holds func(drive []drivenScan) bool
	}{
		{"as it is", func(d []drivenScan) bool { return len(d) == len(plain) && endOf(d) == endOf(plain) }},
		{"bias 3 %", func(d []drivenScan) bool { return math.Abs(math.Abs(way(d)/way(plain)-1)-0.03) < 1e-9 }},
		{"noise 3 deg/m", func(d []drivenScan) bool { return endOf(d) != endOf(plain) && math.Abs(way(d)-way(plain)) < 1e-9 }},
		{"reach 5.6 m", func(d []drivenScan) bool { return longest(plain) > 5.61 && longest(d) < 5.6 }},
		{"91 beams", func(d []drivenScan) bool { return beams == 181 && len(d[0].cloud.Beams) == 91 }},
		{"1 of 2 dropped", func(d []drivenScan) bool { return len(d) == 60 && d[1].index == 2 }},
		{"1 of 4 dropped", func(d []drivenScan) bool { return len(d) == 90 && d[3].index == 4 }},
		{"range noise 3 cm", func(d []drivenScan) bool { return longest(d) > longest(plain) && endOf(d) == endOf(plain) }},
		{"time jitter 20 ms", func(d []drivenScan) bool {
			return endOf(d) != endOf(plain) && endOf(plain).Inverse().Compose(endOf(d)).Point().Norm() < 0.05
		}},
		{"gaps of 5 s", func(d []drivenScan) bool { return len(d) > 60 && len(d) < 117 }},
		{"second half", func(d []drivenScan) bool { return len(d) == 60 && d[0].index == 60 }},
	} {
		cases, err := findDisturbances(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if !c.holds(cases[0].apply(l.drive(), rand.New(rand.NewPCG(1, 2)))) {
			t.Errorf("%q does not do what it claims", c.name)
		}
	}
	if longest(l.drive()) != far {
		t.Error("a disturbance changed the beams of the log")
	}
}

func TestWhereScansAreMissingOdometryContinues(t *testing.T) {
	l := writtenTrial(t)
	plain := l.drive()
	for _, name := range []string{"1 of 4 dropped", "gaps of 5 s"} {
		cases, err := findDisturbances(name)
		if err != nil {
			t.Fatal(err)
		}
		left := cases[0].apply(l.drive(), rand.New(rand.NewPCG(1, 2)))
		last := left[len(left)-1].index
		if off := endOf(left).Inverse().Compose(endOf(plain[:last+1])); off.Point().Norm() > 1e-9 {
			t.Errorf("%s: odometry ends %.3f m beside the log", name, off.Point().Norm())
		}
	}
}

func TestMapsOfALogAreMeasuredAsItIsAndDisturbed(t *testing.T) {
	log, _ := writeDrive(t, func(int) robot.Pose { return robot.Pose{} })
	out, _, err := commands.Run(t, "mapping-logs", "--log", log, "--case", "as it is,noise 3 deg/m,second half", "--seeds", "2", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var o logsOutcome
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Rows) != 3 || o.Rows[0].Runs != 1 || o.Rows[1].Runs != 2 || o.Rows[2].Runs != 1 {
		t.Fatalf("rows %+v", o.Rows)
	}
	for _, r := range o.Rows {
		if r.RMS > 0.03 || r.WorstRMS < r.RMS || r.Next.Way > 0.02 || r.Next.Way == 0 || r.False > 0 || r.Torn > 0 {
			t.Errorf("%+v; want a map of the room within 3 cm", r)
		}
	}
	out, _, err = commands.Run(t, "mapping-logs", "--log", log, "--case", "as it is", "--jitter", "10", "--seeds", "2", "--json")
	if err != nil {
		t.Fatal(err)
	}
	o = logsOutcome{}
	if err := json.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	if r := o.Rows[0]; r.Runs != 2 || r.WorstRMS == r.RMS {
		t.Errorf("%+v; with jitter the unchanged log differs from seed to seed", r)
	}
	if _, _, err := commands.Run(t, "mapping-logs", "--log", log, "--jitter", "-1"); err == nil || !strings.Contains(err.Error(), "it must be 0 to 100 ms") {
		t.Errorf("a negative jitter: %v", err)
	}
	if _, _, err := commands.Run(t, "mapping-logs"); err == nil || !strings.Contains(err.Error(), "--log LOG is needed") {
		t.Errorf("without a log: %v", err)
	}
	if _, _, err := commands.Run(t, "mapping-logs", "--log", log, "--case", "snow"); err == nil || !strings.Contains(err.Error(), `--case has "snow"`) {
		t.Errorf("an unknown case: %v", err)
	}
}

func TestTheMapOfALogEndsWhenItIsInterrupted(t *testing.T) {
	l := writtenTrial(t)
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if m, err := mapScans(ctx, l.drive()); !errors.Is(err, context.Canceled) || m.mapper.Summary().KeyFrames > 0 {
		t.Errorf("%v, with %d key frames", err, m.mapper.Summary().KeyFrames)
	}
}

func TestATornMapOfALogIsCounted(t *testing.T) {
	l := writtenTrial(t)
	for i := 60; i < len(l.scans); i++ { // the second half has other true poses
		l.scans[i].at = robot.Pose{X: 5}.Compose(l.scans[i].at)
	}
	row := logRow{Runs: 1}
	m, err := mapScans(t.Context(), l.drive())
	if err != nil {
		t.Fatal(err)
	}
	l.judge(m, &row)
	if row.Torn != 1 || row.False == 0 || row.RMS < 1 {
		t.Errorf("%+v; the map is torn and its loops are false", row)
	}
}

func TestAJumpOfTheOdometryTearsNoMapOfALog(t *testing.T) {
	l := writtenTrial(t)
	for _, jumpy := range []float64{0, 12, 45} {
		for _, name := range []string{"as it is", "1 of 2 dropped"} {
			cases, err := findDisturbances(name)
			if err != nil {
				t.Fatal(err)
			}
			drive := l.drive()
			drive[60].motion = drive[60].motion.Compose(robot.Pose{X: jumpy})
			m, err := mapScans(t.Context(), cases[0].apply(drive, nil))
			if err != nil {
				t.Fatal(err)
			}
			row := logRow{Runs: 1}
			if l.judge(m, &row); row.Torn > 0 || row.RMS > 0.05 {
				t.Errorf("%s, with a jump by %g m: %+v", name, jumpy, row)
			}
		}
	}
}

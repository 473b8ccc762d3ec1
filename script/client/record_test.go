package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

func TestARecordBeginsWithTimeZeroAndEndsWithItsContext(t *testing.T) {
	c, r := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	var got []string
	ended := make(chan error)
	go func() {
		ended <- Record(ctx, c, []string{"headPan.val", "drive.val"}, func(s Sample) error {
			if got = append(got, fmt.Sprint(s.Milliseconds, s.Values)); len(got) == 2 {
				cancel()
			}
			return nil
		})
	}()
	if heard := r.hears(t); heard != "rec: every (20) [headPan.val, drive.val]," {
		t.Errorf("the robot hears %q", heard)
	}
	r.says(t, "[000005000:rec] [1.500000, 2.000000]\n[000005020:rec] [1.600000, 2.100000]")
	if err := <-ended; err != nil || strings.Join(got, " ") != "0 [1.5 2] 20 [1.6 2.1]" {
		t.Errorf("it records %v, %v", got, err)
	}
	if heard := r.hears(t); heard != "stop rec;" {
		t.Errorf("at the end the robot hears %q", heard)
	}
}

func TestARecordEndsWithWhatIsNoSample(t *testing.T) {
	for line, want := range map[string]string{
		`[000000001:rec] !!! line 1, column 19: headPam is not known.`: "headPam is not known.",
		`[000000001:error] !!! line 1, column 19: expected a value`:    "expected a value",
		`[000000001:rec] ["x"]`:                "headPan.val is \"x\"; only numbers can be recorded",
		`[000000001:rec] [1.000000, 2.000000]`: "it should be a list of 1 numbers",
	} {
		c, r := connect(t)
		r.says(t, "%s", strings.NewReplacer(":rec]", ":x]", ":error]", ":x]").Replace(line)) // of another tag
		ended := make(chan error)
		go func() { ended <- Record(t.Context(), c, []string{"headPan.val"}, func(Sample) error { return nil }) }()
		r.hears(t)
		r.says(t, "%s", line)
		if err := <-ended; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("after %q: %v", line, err)
		}
	}
	c, r := connect(t)
	ended := make(chan error)
	full := errors.New("the disk is full")
	go func() { ended <- Record(t.Context(), c, []string{"x"}, func(Sample) error { return full }) }()
	r.hears(t)
	r.says(t, "[000000001:rec] [1.000000]")
	if err := <-ended; !errors.Is(err, full) {
		t.Errorf("when its taker fails: %v", err)
	}
}

func TestARecordHasEverySampleThatCameBeforeTheConnectionEnded(t *testing.T) {
	c, r := connect(t)
	ended := make(chan error)
	got := 0
	go func() {
		ended <- Record(t.Context(), c, []string{"x"}, func(Sample) error {
			<-c.Done() // from now on the other samples and the end compete
			got++
			return nil
		})
	}()
	r.hears(t)
	for i := range 20 {
		r.says(t, "[%09d:rec] [%d.000000]", 20*i, i)
	}
	_ = r.conn.Close()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the record ended early") || got != 20 {
		t.Errorf("it records %d of 20 samples and ends with %v", got, err)
	}
}

func TestARecordOfColumnsThatCouldNotBeReadAgainDoesNotBegin(t *testing.T) {
	c, _ := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a record that begins ends at once, without a fault
	for want, columns := range map[string][]string{
		"a record has from 1 to 32 columns, not 0":  {},
		"a record has from 1 to 32 columns, not 33": make([]string, 33),
		`"" is no name of a column`:                 {"headPan.val", "", "drive.val"},
		`"a];motoron;" is no name of a column`:      {"a];motoron;"},
		"the column headPan.val comes twice":        {"headPan.val", "drive.val", "headPan.val"},
	} {
		if err := Record(ctx, c, columns, func(Sample) error { return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a record of %q says %v", columns, err)
		}
	}
}

func TestARecordIsPlayedAsChainsOfMotions(t *testing.T) {
	c, r := connect(t)
	in, err := NewSampleReader(strings.NewReader("ms headPan.val drive.val\n0 10 5\n20 11 5.5\n20 11 5.5\n40 12 6\n"))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- Play(t.Context(), c, in) }()
	r.answers(t, "ask1: {drive.val},", "[000000001:ask1] 7.000000")
	r.answers(t, "do2+report: {headPan.val = 10 smooth:1000};", "[000000002:do2] *** stop")
	// Each aims a second ahead: 1 deg and 0.5 m in 20 ms are 50 deg and 25 m in 1 s.
	r.answers(t, "headPan.val = 60.000000 time:1000, drive.val = 32.000000 time:1000, wait(20);", "")
	r.answers(t, "headPan.val = 61.000000 time:1000, drive.val = 32.500000 time:1000, wait(20);", "")
	r.answers(t, "do3+report: {headPan.val = 12.000000 time:20 & drive.val = 8.000000 time:20};", "[000000003:do3] *** stop")
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
}

func TestPlayingEndsWithTheReasonWhyTheRobotHoldsItsMotion(t *testing.T) {
	for when, samples := range map[string]string{"before a sample is due": "0 10\n20 11\n60000 12\n90000 13\n", "before the last motion is over": "0 10\n20 11\n"} {
		c, r := connect(t)
		in, err := NewSampleReader(strings.NewReader("ms headPan.val\n" + samples))
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() { ended <- Play(t.Context(), c, in) }()
		r.answers(t, "do1+report: {headPan.val = 10 smooth:1000};", "[000000001:do1] *** stop")
		r.answers(t, "headPan.val = 60.000000 time:1000, wait(20);", "[000000002:held] *** Stopped by Jin.")
		r.leaves(t)
		if err := <-ended; err == nil || err.Error() != "the motion was held: Stopped by Jin." {
			t.Errorf("%s, it ends with %v", when, err)
		}
	}
}

// leaves ends what the robot says, and with it the connection, after what it has said.
func (r *robot) leaves(t *testing.T) {
	t.Helper()
	if err := r.conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
}

// answers waits for a line, leaves out signs of life, and answers it.
func (r *robot) answers(t *testing.T, want, answer string) {
	t.Helper()
	heard := ""
	for heard == "" {
		heard = r.hears(t)
	}
	if heard != want {
		t.Errorf("the robot hears %q; want %q", heard, want)
	}
	if answer != "" {
		r.says(t, "%s", answer)
	}
}

func TestARecordWithoutSamplesIsNotPlayed(t *testing.T) {
	c, _ := connect(t)
	in, err := NewSampleReader(strings.NewReader("ms headPan.val\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Play(t.Context(), c, in); !errors.Is(err, io.EOF) {
		t.Errorf("it says %v", err)
	}
}

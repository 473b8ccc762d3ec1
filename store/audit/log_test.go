package audit

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// record appends n entries to the log at path and closes it.
func record(t *testing.T, path string, n int) {
	t.Helper()
	log, err := Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for i := range n { // too seldom for repeats
		log.AppendEntry(noon.Add(time.Duration(i)*repeatTime), "stop", "Ana (1)", fmt.Sprintf("Ana stopped the robot, %d.", i))
	}
	cancel()
	if err := log.Run(ctx); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestALogIsOneChainAcrossRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	record(t, path, 3)
	record(t, path, 2)
	last, err := VerifyLog(bytes.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	if last.N != 5 || last.Text != "Ana stopped the robot, 1." {
		t.Errorf("the last entry is %+v, want the fifth", last)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, want 0600", info.Mode().Perm())
	}
}

func TestAnEntryThatIsNotUTF8DoesNotBreakTheChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	log.AppendEntry(noon, "stop", "An\xe1 (1)", "An\xe1 stopped the robot.")
	log.AppendEntry(noon, "stop", "Ana (1)", "Ana stopped the robot.")
	cancel()
	if err := log.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if last, err := VerifyLog(bytes.NewReader(read(t, path))); err != nil || last.N != 2 {
		t.Errorf("the log ends with entry %d, %v", last.N, err)
	}
	if text := string(read(t, path)); !strings.Contains(text, `"An� stopped the robot."`) {
		t.Errorf("it says %s", text)
	}
}

func TestTamperingIsFoundAtItsLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	record(t, path, 5)
	whole := strings.SplitAfter(strings.TrimSuffix(string(read(t, path)), "\n"), "\n")
	whole[4] += "\n"
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"a carriage return":  {[]string{whole[0], strings.Replace(whole[1], "\n", "\r\n", 1), whole[2]}, "line 2 was changed"},
		"a changed word":     {[]string{whole[0], strings.Replace(whole[1], "Ana stopped", "Jin stopped", 1), whole[2]}, "line 2 was changed"},
		"a removed line":     {[]string{whole[0], whole[2]}, "line 2 carries the number 3"},
		"a line put in":      {[]string{whole[0], whole[1], whole[1]}, "line 3 carries the number 2"},
		"swapped lines":      {[]string{whole[1], whole[0]}, "line 1 carries the number 2"},
		"a line of nonsense": {[]string{whole[0], "stop\n"}, "line 2 is not an entry"},
		"an added field":     {[]string{strings.Replace(whole[0], `{"n"`, `{"x":1,"n"`, 1)}, "line 1 was changed"},
		"another start":      {whole[1:], "line 1 carries the number 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := VerifyLog(strings.NewReader(strings.Join(test.lines, "")))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Verify says %v, want %q", err, test.want)
			}
		})
	}
}

func TestATornLastLineIsCutAwayAndSaidSo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	record(t, path, 3)
	data := read(t, path)
	if err := os.WriteFile(path, data[:len(data)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	record(t, path, 1)
	got := read(t, path)
	last, err := VerifyLog(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	if last.N != 4 || !bytes.Contains(got, []byte("had been cut short")) {
		t.Errorf("the log does not report the torn line:\n%s", got)
	}
}

func TestADamagedLogGoesOnAfterTheLastLineThatHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	record(t, path, 4)
	changed := bytes.Replace(read(t, path), []byte("the robot, 2."), []byte("the Robot, 2."), 1)
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	if report, err := VerifyFiles(path); err == nil || !strings.Contains(err.Error(), "line 3 was changed") || report.Last.N != 2 {
		t.Errorf("the change is found as %+v, %v; want line 3", report, err)
	}
	record(t, path, 1)
	report, err := VerifyFiles(path)
	if err != nil || report.Last.N != 4 || !slices.Equal(report.Moved, []uint64{3}) {
		t.Errorf("the log is %+v, %v; want four entries, of which the third says what was moved", report, err)
	}
	if got := read(t, path); !bytes.Contains(got, []byte("line 3 was changed")) {
		t.Errorf("the log does not say what was damaged:\n%s", got)
	}
	aside, err := filepath.Glob(path + ".damaged-*")
	if err != nil || len(aside) != 1 || !bytes.Contains(read(t, aside[0]), []byte("the Robot, 2.")) {
		t.Errorf("the damaged lines are not saved separately: %v, %v", aside, err)
	}
}

func TestAppendNeverWaitsAndWhatWasLostIsCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	record(t, path, 7)
	log, err := Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for range queueLength + 3 {
		log.AppendEntry(noon, "stop", "Ana (1)", "Ana stopped the robot.")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := log.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); !bytes.Contains(got, []byte("3 entries before this one were lost")) {
		t.Error("the log does not count the three lost entries")
	}
}

// count counts log records.
type count struct {
	slog.Handler
	n *int
}

func (c count) Enabled(context.Context, slog.Level) bool  { return true }
func (c count) Handle(context.Context, slog.Record) error { *c.n++; return nil }

func TestADiskThatFailsIsLoggedOnceEachTimeAndWhatItRefusedIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		told, said := 0, 0
		log, err := Open(path, slog.New(count{n: &told}))
		if err != nil {
			t.Fatal(err)
		}
		whole := log.file
		broken, err := os.Open(path) // the file is read-only
		if err != nil {
			t.Fatal(err)
		}
		defer broken.Close()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- log.Run(ctx) }()
		put := func(file *os.File, entries, want int) {
			t.Helper()
			synctest.Wait() // Run waits for an entry
			log.file = file
			for range entries {
				said++
				log.AppendEntry(noon.Add(time.Duration(said)*time.Hour), "stop", "Ana (1)", fmt.Sprintf("Ana stopped the robot, %d.", said))
			}
			synctest.Wait()
			if told != want {
				t.Errorf("after %d entries more the disk was spoken of %d times, want %d", entries, told, want)
			}
		}
		put(whole, 2, 0)
		put(broken, 3, 1)
		put(whole, 2, 1)
		put(broken, 2, 2)
		put(whole, 1, 2)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		got := read(t, path)
		last, err := VerifyLog(bytes.NewReader(got))
		if err != nil || last.N != 2+1+2+1+1 {
			t.Errorf("the last entry is %+v, %v; want the seventh:\n%s", last, err, got)
		}
		for _, text := range []string{"3 entries before this one were lost", "2 entries before this one were lost"} {
			if bytes.Count(got, []byte(text)) != 1 {
				t.Errorf("%q does not stand there once:\n%s", text, got)
			}
		}
	})
}

func FuzzVerifyNeverFails(f *testing.F) {
	f.Add([]byte("{}\n"))
	f.Add([]byte(`{"n":1,"at":"2026-11-20T12:00:00Z","kind":"stop","who":"","text":"","prev":"","hash":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if last, err := VerifyLog(bytes.NewReader(data)); err == nil && last.N == 0 && len(bytes.TrimSpace(data)) > 0 {
			t.Errorf("%q was accepted as an empty log", data)
		}
	})
}

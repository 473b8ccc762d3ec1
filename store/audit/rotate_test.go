package audit

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// small is a log whose files are small.
func small(t *testing.T, path string) *Log {
	t.Helper()
	log, err := Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	log.most, log.older = 4<<10, 16<<10
	t.Cleanup(func() { _ = log.file.Close() })
	return log
}

// fill writes n distinct entries.
func fill(t *testing.T, log *Log, n int) {
	t.Helper()
	for range n {
		if err := log.takeEntry(Entry{At: noon, Kind: "role", Who: "robot", Text: fmt.Sprintf("Number %d was paired.", log.n)}); err != nil {
			t.Fatal(err)
		}
	}
}

// onDisk returns the size of the log's directory in bytes.
func onDisk(t *testing.T, path string) (sum int64) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
	}
	return sum
}

func TestTheLogIsOneChainOverItsFilesAndBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := small(t, path)
	fill(t, log, 40)
	if report, err := VerifyFiles(path); err != nil || report.First != 1 || report.Last.N != 40 || report.Files < 3 {
		t.Fatalf("before anything is deleted the log is %+v, %v", report, err)
	}
	fill(t, log, 300)
	report, err := VerifyFiles(path)
	if err != nil || report.First == 1 || report.Last.N <= 340 {
		t.Errorf("the log is %+v, %v; want 340 entries and those that say what was deleted, without the oldest", report, err)
	}
	if got, most := onDisk(t, path), log.most+log.older+2<<10; got > most {
		t.Errorf("the log has %d bytes on the disk, at most %d are allowed", got, most)
	}
	again := small(t, path)
	if again.n != report.Last.N || again.prev != report.Last.Hash {
		t.Errorf("a restart continues after entry %d, want %d", again.n, report.Last.N)
	}
}

func TestANewFileContinuesTheOneBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := small(t, path)
	for log.size > 0 || log.n == 0 {
		fill(t, log, 1)
	}
	n := log.n // a crash or a power cut right after the file was changed
	for _, lost := range []bool{false, true} {
		if lost {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if again := small(t, path); again.n != n {
			t.Errorf("the next entry would be %d, want %d", again.n+1, n+1)
		}
	}
	fill(t, small(t, path), 1)
	if report, err := VerifyFiles(path); err != nil || report.Last.N != n+1 {
		t.Errorf("the log is %+v, %v", report, err)
	}
}

func TestTamperingIsFoundInAnyFile(t *testing.T) {
	made := filepath.Join(t.TempDir(), "audit.jsonl")
	fill(t, small(t, made), 60)
	pruned := filepath.Join(t.TempDir(), "audit.jsonl")
	fill(t, small(t, pruned), 340)
	for name, test := range map[string]struct {
		log  string
		do   func(files []string) error
		want string
	}{
		"a word in the oldest file": {made, func(files []string) error {
			return os.WriteFile(files[0], bytes.Replace(read(t, files[0]), []byte("paired"), []byte("Paired"), 1), 0o600)
		}, "line 1 was changed"},
		"a file in the middle is gone": {made, func(files []string) error { return os.Remove(files[1]) }, "line 1 carries the number"},
		"the oldest file is gone":      {made, func(files []string) error { return os.Remove(files[0]) }, "nothing after it says"},
		"more is gone than was said":   {pruned, func(files []string) error { return os.Remove(files[0]) }, "nothing after it says"},
		"the end of a file is cut off": {made, func(files []string) error {
			data := read(t, files[1])
			return os.WriteFile(files[1], data[:bytes.LastIndexByte(data[:len(data)-1], '\n')+1], 0o600)
		}, "line 1 carries the number"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Dir(test.log))); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "audit.jsonl")
			older, err := olderFiles(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := test.do(older); err != nil {
				t.Fatal(err)
			}
			if _, err := VerifyFiles(path); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("VerifyFiles says %v, want %q", err, test.want)
			}
		})
	}
}

func TestALogThatCannotBeginANewFileIsWrittenOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.Mkdir(path+".new", 0o700); err != nil {
		t.Fatal(err)
	}
	log := small(t, path)
	for i := range 40 {
		_ = log.takeEntry(Entry{At: noon, Kind: "role", Who: "robot", Text: fmt.Sprintf("Number %d was paired.", i)})
	}
	if last, err := VerifyLog(bytes.NewReader(read(t, path))); err != nil || last.N != 40 {
		t.Fatalf("the log ends with %d, %v; want 40", last.N, err)
	}
	if err := os.Remove(path + ".new"); err != nil {
		t.Fatal(err)
	}
	fill(t, log, 2)
	if report, err := VerifyFiles(path); err != nil || report.Last.N != 42 || report.Files != 2 {
		t.Errorf("after that the log is %+v, %v; want 42 entries in two files", report, err)
	}
}

// Twenty operators who did nothing but take and release control wrote 21 lines a
// second.
func TestWhatPeopleDoAgainAndAgainIsCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := small(t, path)
	log.most = fileBytes
	const minutes, each = 3, 60 // a minute
	for i := range 20 * minutes * each {
		at := noon.Add(time.Duration(i) * time.Minute / (20 * each))
		who := fmt.Sprintf("%q (%d, device %08x)", strings.Repeat("x", i%7+1), i%20, i%20)
		if err := log.takeEntry(Entry{At: at, Kind: "lease", Who: who, Text: fmt.Sprintf("Asked for control, %d.", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.writeAll(log.repeats.endStreaks(noon, true)); err != nil {
		t.Fatal(err)
	}
	if most := uint64(20 * minutes * (repeatsEach + 1)); log.n > most {
		t.Errorf("%d actions of 20 people in 3 minutes are %d lines, want at most %d", 20*minutes*each, log.n, most)
	}
	got := read(t, path)
	for _, want := range []string{"54 times more within a minute, the last: Asked for control, 3599.", "Asked for control, 0."} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("the log does not say %q", want)
		}
	}
}

func TestWhoRecordsAgainAndAgainOverTheNetworkIsCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := small(t, path)
	log.most = fileBytes
	const who = "operator (device 289ae66c) at 192.168.1.50"
	write := func(kind, text string) {
		t.Helper()
		if err := log.takeEntry(Entry{At: noon, Kind: kind, Who: who, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 900 { // 30 a second, each of another length
		write("stream", fmt.Sprintf("A recording began, of %ds at most.", i+1))
		write("stream", fmt.Sprintf("A recording ended after 0s, with %d bytes.", i))
	}
	for i := range 20 {
		write("recording", fmt.Sprintf("The recording mybot-2026-11-20-1200%02d.mcap was downloaded.", i))
	}
	if err := log.writeAll(log.repeats.endStreaks(noon, true)); err != nil {
		t.Fatal(err)
	}
	if want := uint64(repeatsEach + 1 + 20); log.n != want {
		t.Errorf("900 recordings over the network and 20 downloads within a minute are %d lines, want %d", log.n, want)
	}
}

func TestWhoMayDoWhatIsWrittenEachTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := small(t, path)
	for i := range 250 {
		if err := log.takeEntry(Entry{At: noon, Kind: "role", Who: "Ana", Text: fmt.Sprintf("The access of device %d was revoked.", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if log.n < 250 {
		t.Errorf("250 devices that were revoked are %d lines", log.n)
	}
}

// BenchmarkOpenAMillionLines opens a log that a version without rotation has
// written.
func BenchmarkOpenAMillionLines(b *testing.B) {
	path := filepath.Join(b.TempDir(), "audit.jsonl")
	var data bytes.Buffer
	e := Entry{At: noon, Kind: "lease", Who: `"Ana" (1, device 01234567 at 192.0.2.17)`, Prev: genesis}
	for n := range uint64(1_000_000) {
		e.N, e.Text = n+1, fmt.Sprintf("Ana has control. (epoch %d)", n)
		sealed, line, err := e.seal()
		if err != nil {
			b.Fatal(err)
		}
		data.Write(append(line, '\n'))
		e.Prev = sealed.Hash
	}
	if err := os.WriteFile(path, data.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		log, err := Open(path, slog.New(slog.DiscardHandler))
		if err != nil || log.n != 1_000_000 {
			b.Fatal(log, err)
		}
		_ = log.file.Close()
	}
}

func TestWhatWasCountedIsToldAfterAMinuteAndAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		log, err := Open(path, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- log.Run(ctx) }()
		again := func() {
			for i := range repeatsEach + 4 {
				log.AppendEntry(time.Now(), "lease", "Ana (1)", fmt.Sprintf("Ana asked for control, %d.", i))
			}
			synctest.Wait()
		}
		lines := func() int { return bytes.Count(read(t, path), []byte("\n")) }
		again()
		if n := lines(); n != repeatsEach {
			t.Errorf("at once %d lines are written, want %d", n, repeatsEach)
		}
		time.Sleep(2*repeatTime + time.Second)
		synctest.Wait()
		if n := lines(); n != repeatsEach+1 {
			t.Errorf("after two minutes in which nothing happens there are %d lines, want %d", n, repeatsEach+1)
		}
		again()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if n := lines(); n != 2*repeatsEach+2 {
			t.Errorf("in the end there are %d lines, want %d", n, 2*repeatsEach+2)
		}
	})
}

func TestADamagedOlderFileIsLoggedAndTheChainGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	record(t, path, 3)
	for name, damaged := range map[string]bool{"whole": false, "damaged": true} {
		older := read(t, path)
		if damaged {
			older = bytes.Replace(older, []byte("robot, 1."), []byte("robot, 7."), 1)
		}
		told := 0
		log := &Log{path: filepath.Join(t.TempDir(), "audit.jsonl"), log: slog.New(count{n: &told}), repeats: repeats{}, prev: genesis, most: fileBytes, older: olderBytes}
		if err := os.WriteFile(olderName(log.path, 3), older, 0o600); err != nil {
			t.Fatal(err)
		}
		if last, err := log.lastOlder(); err != nil || (told > 0) != damaged || !damaged && last.N != 3 {
			t.Errorf("%s: the last entry is %d, %v; it is spoken of %d times", name, last.N, err, told)
		}
	}
}

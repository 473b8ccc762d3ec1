package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mybot/app"
	"mybot/client"
	"mybot/mcap"
	"mybot/recording"
)

// topicsOf counts the messages of a file by topic.
func topicsOf(t *testing.T, path string) (topics map[string]int, end error) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := mcap.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	topics = map[string]int{}
	r.TakeAttachment = func(a mcap.Attachment) error {
		topics[a.Name]++
		return nil
	}
	for {
		m, err := r.Next()
		if err != nil {
			return topics, err
		}
		topics[m.Channel.Topic]++
	}
}

// TestARobotWhoseDiskHasNoRoomForRecordingsStartsAllTheSame guards against a fault: with
// --record such a robot did not start, and its supervisor restarted it again and again.
func TestARobotWhoseDiskHasNoRoomForRecordingsStartsAllTheSame(t *testing.T) {
	usual := recording.UsualLimits
	defer func() { recording.UsualLimits = usual }()
	recording.UsualLimits.MinFree = math.MaxInt64
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--record", filepath.Join(h.dir, "recordings"))
	if said := h.errs.String(); !strings.Contains(said, "nothing is recorded") || !strings.Contains(said, "recordings leave") {
		t.Errorf("it says %s", said)
	}
}

// A server that refuses to start has driven nothing, so its end is no crash; neither does
// it hide the crash of the server before it.
func TestAServerThatCannotStartLeavesTheNoteOfTheStopAsItWas(t *testing.T) {
	h := newHome(t)
	refuse := func() {
		t.Helper()
		h.no("not a directory", "serve", "--data", h.data, "--listen", "127.0.0.1:0", "--record", os.Args[0])
	}
	refuse()
	h.serve("--listen", "127.0.0.1:0")
	h.ok("is ready", "status", "--data", h.data)
	note := filepath.Join(h.data, app.StopFile)
	running, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	h.end()
	if err := os.WriteFile(note, running, 0o600); err != nil { // as after a power cut
		t.Fatal(err)
	}
	refuse()
	h.serve("--listen", "127.0.0.1:0")
	h.ok("not shut down properly", "status", "--data", h.data)
}

func TestMybotRecordWritesAFileOfARobotThatRuns(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0")
	path := filepath.Join(h.dir, "drive.mcap")
	said := h.ok("Recording to "+path, "record", path, "--for", "2s", "--data", h.data)
	if !strings.Contains(said, path+" has ") || strings.Contains(said, "missing") {
		t.Errorf("it says %s", said)
	}
	topics, end := topicsOf(t, path)
	if !errors.Is(end, io.EOF) || topics[recording.ReadingTopic] < 50 || topics[recording.StateTopic] < 2 || topics[recording.AboutTopic] != 4 {
		t.Errorf("two seconds have %v, and end with %v", topics, end)
	}
	for _, name := range []string{recording.RobotFile, recording.SettingsFile, recording.FloorFile} {
		if topics[name] != 1 {
			t.Errorf("%s is attached %d times", name, topics[name])
		}
	}
	h.no("exists; choose another name", "record", path, "--data", h.data)

	// Ctrl-C leaves a complete file too, which contains a STOP.
	second := filepath.Join(h.dir, "second.mcap")
	ctx, interrupt := context.WithCancel(t.Context())
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"record", second, "--data", h.data}, in, in, h.at)
		_ = in.Close()
	}()
	line := make([]byte, 256)
	if n, _ := out.Read(line); !strings.Contains(string(line[:n]), "Ctrl-C ends the recording") {
		t.Fatalf("it says %s", line[:n])
	}
	h.ok("is stopped", "stop", "--data", h.data)
	for { // until the data after the stop has been flushed
		data, err := os.ReadFile(second)
		if err != nil {
			t.Fatal(err)
		}
		if hasCommand(data) {
			break
		}
	}
	interrupt()
	rest, _ := io.ReadAll(out)
	if got := <-code; got != exitDone || !strings.Contains(string(rest), second+" has ") {
		t.Errorf("after Ctrl-C it ends with %d: %s", got, rest)
	}
	if topics, end := topicsOf(t, second); !errors.Is(end, io.EOF) || topics[recording.CommandTopic] != 1 {
		t.Errorf("the second recording has %v, and ends with %v", topics, end)
	}
	h.end()
	log, err := os.ReadFile(filepath.Join(h.data, app.AuditFile))
	if err != nil || strings.Count(string(log), "A recording began") != 2 {
		t.Errorf("the audit log has no two recordings (%v): %s", err, log)
	}
	h.no("no robot of this user is running", "record", filepath.Join(h.dir, "third.mcap"), "--data", h.data)
}

// hasCommand reports whether an unfinished file contains a command.
func hasCommand(data []byte) bool {
	r, err := mcap.NewReader(bytes.NewReader(data))
	for err == nil {
		var m mcap.Message
		if m, err = r.Next(); err == nil && m.Channel.Topic == recording.CommandTopic {
			return true
		}
	}
	return false
}

func TestARecordingOfARobotThatIsSwitchedOffIsWhole(t *testing.T) {
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0")
	key, err := app.ReadKey(h.data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(key.URL, client.Options{Token: key.Token})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := c.StreamRecording(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var made recorded
	file := newFile(t)
	ended := make(chan error, 1)
	first := make(chan struct{})
	go func() { ended <- made.copyMessages(file, &firstByte{Reader: stream, read: first}) }()
	<-first
	h.end()
	if err := <-ended; err != nil {
		t.Errorf("the recording ends with %v", err)
	}
	if made.messages == 0 {
		t.Error("nothing was recorded")
	}
}

// firstByte closes read at the first byte.
type firstByte struct {
	io.Reader
	read chan struct{}
}

func (f *firstByte) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if f.read != nil && n > 0 {
		close(f.read)
		f.read = nil
	}
	return n, err
}

func TestWhatBreaksOffIsFinishedAndSaid(t *testing.T) {
	var whole bytes.Buffer
	w, err := mcap.NewWriter(&whole, "", "test", mcap.None)
	if err != nil {
		t.Fatal(err)
	}
	id, err := w.AddChannel(mcap.Channel{Topic: recording.GapTopic, Encoding: "json"})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := errors.Join(w.Write(id, mcap.Message{Data: []byte(`{"readings":2,"scans":1,"commands":0}`)}), w.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	var made recorded
	file := newFile(t)
	err = made.copyMessages(file, bytes.NewReader(whole.Bytes()))
	if !errors.As(err, new(*mcap.CutError)) || made.messages != 3 || made.bytes != sizeOf(t, file) {
		t.Errorf("%d messages are written, and %v", made.messages, err)
	}
	if text := made.String(); !strings.Contains(text, "6 readings, 3 scans and 0 commands are missing, which the network was too slow for") {
		t.Errorf("it says %s", text)
	}
	r, err := mcap.NewReader(file)
	n := 0
	for ; err == nil; n++ {
		_, err = r.Next()
	}
	if !errors.Is(err, io.EOF) || n != 4 {
		t.Errorf("the file has %d messages and ends with %v", n-1, err)
	}
	full := errors.New("no space left on device")
	err = new(recorded).copyMessages(broken{full}, bytes.NewReader(whole.Bytes()))
	if !errors.As(err, new(diskError)) || !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

type broken struct{ error }

func (b broken) WriteAt([]byte, int64) (int, error) { return 0, b.error }

func (b broken) Truncate(int64) error { return b.error }

func newFile(t *testing.T) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "a.mcap"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func sizeOf(t *testing.T, file *os.File) int {
	t.Helper()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size())
}

func TestRecordIsCalledWithAFile(t *testing.T) {
	h := newHome(t)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"record"}, "record takes the name of the file to write"},
		{[]string{"record", "a", "b"}, "record takes the name of the file to write"},
		{[]string{"record", "a", "--for", "1.5s"}, "--for 1.5s is not a length of whole seconds"},
		{[]string{"record", "a", "--for", "-2s"}, "is not a length of whole seconds"},
		{[]string{"record", "a", "--for", "0s"}, "--for 0s is not a length of whole seconds"},
		{[]string{"script", "record", "a", "--for", "0s"}, "--for 0s is not a length"},
		{[]string{"base", "watch", "tcp:127.0.0.1:1", "--for", "0s"}, "--for 0s is not a length of time"},
	} {
		if code, said := h.do(c.args...); code != exitUsage || !strings.Contains(said, c.says) {
			t.Errorf("%v ends with %d: %s", c.args, code, said)
		}
	}
}

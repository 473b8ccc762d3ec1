package mcap_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mybot/mcap"
)

// core runs testdata/core.mjs, in which Foxglove's MCAP library for JavaScript
// reads and writes files.
func core(t *testing.T, args ...string) []byte {
	t.Helper()
	const modules = "../web/node_modules"
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(modules, "@mcap", "core"))
	}
	switch {
	case err != nil && os.Getenv("CI") != "":
		t.Fatalf("@mcap/core is not there: npm ci in web installs it (%v)", err)
	case err != nil:
		t.Skipf("@mcap/core is not there: npm ci in web installs it (%v)", err)
	}
	run := exec.CommandContext(t.Context(), node, append([]string{"testdata/core.mjs", modules}, args...)...)
	var faults strings.Builder
	run.Stderr = &faults
	out, err := run.Output()
	if err != nil {
		t.Fatalf("node %v: %v\n%s", args, err, faults.String())
	}
	return out
}

func TestTheMCAPLibraryOfNPMReadsWhatMybotWrites(t *testing.T) {
	for _, one := range []struct {
		mcap.Compression
		file   bool
		chunks int
	}{{mcap.None, false, 8}, {mcap.Zstd, false, 8}, {mcap.Zstd, true, 2}} {
		c, want := one.Compression, notes(400)
		path := filepath.Join(t.TempDir(), "a.mcap")
		data := recording(t, c, want, 50)
		if one.file {
			p := &paper{room: 1 << 30, show: func([]byte) {}}
			m, err := mcap.NewFileWriter(p, "", "test", c)
			if err == nil {
				err = errors.Join(m.Attach(aRobot), writeTo(m, want, 50, func(int) {}), m.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			data = p.data
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Messages []struct {
				Topic, Encoding, Schema, Logged, Published, Text string
				Sequence                                         uint32
			}
			Streamed, Chunks, Counted, Channels, Schemas int
			Done                                         bool
			Attachments                                  []struct{ Name, Media, Made, Text string }
			Compressions                                 []string
		}
		if err := json.Unmarshal(core(t, "read", path), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Messages) != len(want) || got.Streamed != len(want) || got.Counted != len(want) || !got.Done {
			t.Fatalf("%q: of %d messages the index finds %d, the stream %d, the statistics %d; at the end: %v", c, len(want), len(got.Messages), got.Streamed, got.Counted, got.Done)
		}
		if got.Chunks != one.chunks || got.Channels != 3 || got.Schemas != 1 || !slices.Equal(got.Compressions, []string{string(c)}) {
			t.Errorf("%q: %d chunks, %d channels, %d schemas, compressed with %q", c, got.Chunks, got.Channels, got.Schemas, got.Compressions)
		}
		if a := got.Attachments; one.file && (len(a) != 1 || a[0].Name != aRobot.Name || a[0].Media != aRobot.MediaType || a[0].Text != string(aRobot.Data) || a[0].Made != fmt.Sprint(aRobot.Made.UnixNano())) {
			t.Errorf("its attachments are %+v", a)
		}
		for i, m := range got.Messages {
			w := want[i]
			is := fmt.Sprintln(m.Topic, m.Encoding, m.Schema, m.Sequence, m.Logged, m.Published, m.Text)
			if is != fmt.Sprintln(w.topic, "json", w.schema, w.sequence, w.logged.UnixNano(), w.published.UnixNano(), w.text) {
				t.Fatalf("%q: message %d is %swant %+v", c, i, is, w)
			}
		}
	}
}

func TestMybotReadsWhatTheMCAPLibraryOfNPMWrites(t *testing.T) {
	for _, c := range []string{"none", "zstd"} {
		path := filepath.Join(t.TempDir(), "b.mcap")
		core(t, "write", path, c)
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := mcap.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		if r.Profile != "test" || !strings.Contains(r.Program, "core") {
			t.Errorf("the profile is %q, the program %q", r.Profile, r.Program)
		}
		var attached []mcap.Attachment
		r.TakeAttachment = func(a mcap.Attachment) error {
			attached = append(attached, a)
			return nil
		}
		for i := range 300 {
			m, err := r.Next()
			if err != nil {
				t.Fatalf("%s: message %d: %v", c, i, err)
			}
			at := time.Unix(0, 1_800_000_000_123_456_789+int64(i)*20_000_000)
			var data struct{ N int }
			if err := json.Unmarshal(m.Data, &data); err != nil || data.N != i || int(m.Sequence) != i || !m.Logged.Equal(at) || !m.Published.Equal(at.Add(-time.Millisecond)) {
				t.Fatalf("%s: message %d is %+v, %s (%v)", c, i, m, m.Data, err)
			}
			switch {
			case i%3 == 0 && (m.Channel.Topic != "/log" || m.Channel.Schema != nil),
				i%3 != 0 && (m.Channel.Topic != "/reading" || m.Channel.Schema == nil || m.Channel.Schema.Name != "mybot.Reading" || m.Channel.Metadata["of"] != "one"):
				t.Fatalf("%s: message %d is of %+v", c, i, m.Channel)
			}
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: after the last message: %v", c, err)
		}
		if len(attached) != 1 || attached[0].Name != "a" || attached[0].MediaType != "text/plain" || string(attached[0].Data) != "attached" {
			t.Errorf("%s: it has the attachments %+v", c, attached)
		}
		_ = file.Close()
	}
}

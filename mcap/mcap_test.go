package mcap_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"mybot/mcap"
)

// began is the time at which the recordings of the tests begin.
var began = time.Unix(1_800_000_000, 123_456_789)

// A note is the content of one message.
type note struct {
	topic, schema, text string
	sequence            uint32
	logged, published   time.Time
}

// notes returns n messages on three channels, two of which share a schema.
func notes(n int) []note {
	chance := rand.New(rand.NewPCG(1, 2))
	counts := map[string]uint32{}
	all := make([]note, n)
	for i := range all {
		topic := []string{"/reading", "/scan/0", "/log"}[chance.IntN(3)]
		schema := map[string]string{"/reading": "mybot.Reading", "/scan/0": "mybot.Reading"}[topic]
		counts[topic]++
		at := began.Add(time.Duration(i) * 20 * time.Millisecond)
		text := fmt.Sprintf(`{"n":%d,"ranges":[%s]}`, i, strings.Repeat(fmt.Sprintf("%.3f,", chance.Float64()), chance.IntN(40)))
		all[i] = note{topic, schema, text, counts[topic], at, at.Add(-time.Millisecond)}
	}
	return all
}

// write writes messages and flushes after every few of them.
func write(t testing.TB, w io.Writer, c mcap.Compression, all []note, flush int) (*mcap.Writer, error) {
	t.Helper()
	m, err := mcap.NewWriter(w, "", "test", c)
	if err != nil {
		return nil, err
	}
	return m, writeTo(m, all, flush, func(int) {})
}

// writeTo writes messages, flushes after every few of them, and calls flushed with
// how many it has written.
func writeTo(m *mcap.Writer, all []note, flush int, flushed func(messages int)) (err error) {
	schema := &mcap.Schema{Name: "mybot.Reading", Encoding: "jsonschema", Data: []byte(`{"type":"object"}`)}
	ids := map[string]uint16{}
	for i, n := range all {
		if ids[n.topic] == 0 {
			channel := mcap.Channel{Topic: n.topic, Encoding: "json", Metadata: map[string]string{"of": n.topic}}
			if n.schema != "" {
				channel.Schema = schema
			}
			if ids[n.topic], err = m.AddChannel(channel); err != nil {
				return err
			}
		}
		if err := m.Write(ids[n.topic], mcap.Message{Logged: n.logged, Published: n.published, Data: []byte(n.text)}); err != nil {
			return err
		}
		if (i+1)%flush == 0 {
			if err := m.Flush(); err != nil {
				return err
			}
			flushed(i + 1)
		}
	}
	return nil
}

// recording returns a complete file of those messages.
func recording(t testing.TB, c mcap.Compression, all []note, flush int) []byte {
	t.Helper()
	var file bytes.Buffer
	m, err := write(t, &file, c, all, flush)
	if err == nil {
		err = m.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// read returns the messages of a file and its end.
func read(file []byte) (all []note, err error) {
	r, err := mcap.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	for {
		m, err := r.Next()
		if err != nil {
			if _, again := r.Next(); !errors.Is(again, err) {
				return all, fmt.Errorf("the error is %w once and then %w", err, again)
			}
			return all, err
		}
		n := note{m.Channel.Topic, "", string(m.Data), m.Sequence, m.Logged, m.Published}
		if m.Channel.Schema != nil {
			n.schema = m.Channel.Schema.Name
		}
		all = append(all, n)
	}
}

// begins reports whether got is a prefix of want.
func begins(want, got []note) bool {
	if len(got) > len(want) {
		return false
	}
	for i, n := range got {
		if w := want[i]; n.topic != w.topic || n.schema != w.schema || n.text != w.text || n.sequence != w.sequence || !n.logged.Equal(w.logged) || !n.published.Equal(w.published) {
			return false
		}
	}
	return true
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	for _, c := range []mcap.Compression{mcap.None, mcap.Zstd} {
		for _, n := range []int{0, 1, 2, 500} {
			want := notes(n)
			file := recording(t, c, want, 70)
			got, err := read(file)
			if !errors.Is(err, io.EOF) || len(got) != n || !begins(want, got) {
				t.Errorf("%q: of %d messages %d come back, and %v", c, n, len(got), err)
			}
		}
	}
	if _, err := mcap.NewWriter(io.Discard, "", "", "lz4"); err == nil || !strings.Contains(err.Error(), `"lz4" cannot be written; it is none ("") or zstd`) {
		t.Errorf("lz4: %v", err)
	}
}

func TestALongChunkIsClosedWithoutAFlush(t *testing.T) {
	var file bytes.Buffer
	big := notes(1)[0]
	big.text = strings.Repeat("x", 300<<10)
	if _, err := write(t, &file, mcap.None, []note{big, big, big, big, big, big, big, big}, 100); err != nil {
		t.Fatal(err)
	}
	if got, _ := read(file.Bytes()); len(got) < 4 {
		t.Errorf("of 2.4 MB without a flush %d messages of 300 kB can be read", len(got))
	}
}

func TestAFileCanBeReadUpToItsLastFlush(t *testing.T) {
	for _, c := range []mcap.Compression{mcap.None, mcap.Zstd} {
		var file bytes.Buffer
		want := notes(245)
		if _, err := write(t, &file, c, want, 50); err != nil { // and not closed
			t.Fatal(err)
		}
		got, err := read(file.Bytes())
		var cut *mcap.CutError
		if !errors.As(err, &cut) || len(got) != 200 || !begins(want, got) || cut.Whole {
			t.Errorf("%q: 200 messages were flushed, %d are read, and %v", c, len(got), err)
		}
	}
}

func TestAFileThatWasCutAnywhereGivesItsWholeChunks(t *testing.T) {
	want := notes(24)
	for _, c := range []mcap.Compression{mcap.None, mcap.Zstd} {
		file := recording(t, c, want, 8)
		last := 0
		for end := range file {
			got, err := read(file[:end])
			if !begins(want, got) {
				t.Fatalf("%q, %d bytes: other messages are read than were written", c, end)
			}
			if len(got) < last {
				t.Fatalf("%q: %d messages can be read of %d bytes, but %d of one byte less", c, len(got), end, last)
			}
			last = len(got)
			var cut *mcap.CutError
			if errors.As(err, &cut) {
				if cut.Whole && len(got) != len(want) || cut.At > int64(end) {
					t.Fatalf("%q, %d bytes: %d messages, and %v", c, end, len(got), err)
				}
			} else if end >= 8 || !strings.Contains(err.Error(), "not an MCAP file") && !strings.Contains(err.Error(), "empty") {
				t.Fatalf("%q, %d bytes: %v", c, end, err)
			}
		}
		if last != len(want) {
			t.Errorf("%q: without its last byte %d messages are read", c, last)
		}
	}
}

func TestDamageIsFound(t *testing.T) {
	want := notes(16)
	for _, c := range []mcap.Compression{mcap.None, mcap.Zstd} {
		file := recording(t, c, want, 8)
		unnoticed := 0
		for i := range file {
			bad := bytes.Clone(file)
			bad[i] ^= 1 << (i % 8)
			got, err := read(bad)
			// A record outside of the chunks may be taken for one of another kind:
			// only the CRC of the whole data section reveals it.
			if !begins(want, got) && (err == nil || !strings.Contains(err.Error(), "data end at byte")) {
				t.Fatalf("%q, byte %d: a wrong message is read, and then %v", c, i, err)
			}
			if errors.Is(err, io.EOF) {
				unnoticed++
				if len(got) != len(want) {
					t.Fatalf("%q, byte %d: %d messages are missing without an error", c, i, len(want)-len(got))
				}
			}
		}
		t.Logf("%q: of %d bytes, %d may be wrong without being noticed: they are of the index", c, len(file), unnoticed)
	}
}

// A raw file is put together by hand.
type raw struct{ bytes.Buffer }

func newRaw() *raw {
	r := &raw{}
	r.WriteString("\x89MCAP0\r\n")
	return r.add(0x01, make([]byte, 8))
}

func (r *raw) add(op byte, body []byte) *raw {
	r.Write(binary.LittleEndian.AppendUint64([]byte{op}, uint64(len(body))))
	r.Write(body)
	return r
}

// chunkBody is the body of a chunk.
func chunkBody(compression string, size uint64, crc uint32, packed []byte) []byte {
	b := make([]byte, 16)
	b = binary.LittleEndian.AppendUint64(b, size)
	b = binary.LittleEndian.AppendUint32(b, crc)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(compression)))
	b = append(b, compression...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(packed)))
	return append(b, packed...)
}

func pack(t testing.TB, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(b, nil)
}

func TestWhatIsWrongWithAFileIsSaid(t *testing.T) {
	long := binary.LittleEndian.AppendUint64([]byte{0x05}, 1<<40)
	longName := chunkBody("", 0, 0, nil)
	binary.LittleEndian.PutUint32(longName[28:], 1<<31)
	longRecords := chunkBody("", 0, 0, nil)
	binary.LittleEndian.PutUint64(longRecords[32:], 1<<60)
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "the file is empty"},
		{"a text", []byte("Once upon a time there was"), `this is not an MCAP file: it begins with "Once upo" instead of "\x89MCAP0\r\n"`},
		{"a rosbag of ROS 1", []byte("#ROSBAG V2.0\n...."), "this is a rosbag of ROS 1"},
		{"a rosbag of ROS 2", []byte("SQLite format 3\x00"), "this is an SQLite database, perhaps a rosbag of ROS 2"},
		{"a compressed file", []byte("\x28\xb5\x2f\xfd........"), "compressed with zstd; unpack it first"},
		{"only the magic", []byte("\x89MCAP0\r\n"), "the recording was cut off: after byte 8 there is no whole record"},
		{"no header", (&raw{}).Bytes(), "the file is empty"},
		{"a message first", []byte("\x89MCAP0\r\n\x05\x00\x00\x00\x00\x00\x00\x00\x00"), "message at byte 8: a file begins with a header"},
		{"a record that is longer than the file", newRaw().add(0x05, nil).Bytes()[:20], "cut off: after byte 8 there is no whole header: it has 8 bytes, and 3 are there"},
		{"a record that is longer than the limit", append(newRaw().Bytes(), long...), "message at byte 25: it says that it has 1099511627776 bytes; the limit is 64 MiB"},
		{"an attachment that is longer than the file", append(newRaw().Bytes(), 0x09, 0xff, 0, 0, 0, 0, 0, 0, 0, 7), "no whole attachment: it has 255 bytes, and 1 are there"},
		{"a record of kind 0", newRaw().add(0, nil).Bytes(), "no record has the number 0"},
		{"a message of no channel", newRaw().add(0x05, make([]byte, 30)).Bytes(), "message at byte 25: it belongs to channel 0, which the file has not described"},
		{"a message that is too short", newRaw().add(0x05, make([]byte, 3)).Bytes(), "message at byte 25"},
		{"a channel of no schema", newRaw().add(0x04, append([]byte{1, 0, 9, 0}, make([]byte, 12)...)).Bytes(), `channel at byte 25: "" has schema 9, which the file has not described`},
		{"a schema with the number 0", newRaw().add(0x03, make([]byte, 14)).Bytes(), "it has the number 0, which stands for none"},
		{"an unknown compression", newRaw().add(0x06, chunkBody("brotli", 1, 0, []byte{1})).Bytes(), `chunk at byte 25: its compression "brotli" is not known; none, zstd and lz4 can be read`},
		{"a wrong CRC", newRaw().add(0x06, chunkBody("", 1, 5, []byte{1})).Bytes(), "the CRC-32 of its records is a505df1b, but it says 00000005: the file was damaged"},
		{"a chunk without a head", newRaw().add(0x06, make([]byte, 31)).Bytes(), "it has 31 bytes, too few for its head"},
		{"a compression with an endless name", newRaw().add(0x06, longName).Bytes(), "the name of its compression has 2147483648 bytes, but 8 are left in it"},
		{"a chunk with endless records", newRaw().add(0x06, longRecords).Bytes(), "its records have 1152921504606846976 bytes, but 0 are left in it"},
		{"a chunk that unpacks to too much", newRaw().add(0x06, chunkBody("zstd", 1<<40, 0, nil)).Bytes(), "it says that it unpacks to 1099511627776 bytes; the limit is 64 MiB"},
		{"a chunk that is longer than it says", newRaw().add(0x06, chunkBody("zstd", 10, 0, pack(t, make([]byte, 50)))).Bytes(), "it unpacks to 11 bytes, but says 10"},
		{"a chunk that is shorter than it says", newRaw().add(0x06, chunkBody("zstd", 60, 0, pack(t, make([]byte, 50)))).Bytes(), "it unpacks to 50 bytes, but says 60"},
		{"zstd that is none", newRaw().add(0x06, chunkBody("zstd", 60, 0, []byte("nonsense"))).Bytes(), "its zstd data is damaged"},
		{"lz4 that is none", newRaw().add(0x06, chunkBody("lz4", 60, 0, []byte("nonsense"))).Bytes(), "its lz4 data is damaged"},
		{"a record in a chunk that is longer than it", newRaw().add(0x06, chunkBody("", 9, 0, long)).Bytes(), "a message in it says that it has 1099511627776 bytes, but the chunk ends 0 bytes after"},
		{"half a record in a chunk", newRaw().add(0x06, chunkBody("", 3, 0, long[:3])).Bytes(), "its records end within the head of one"},
		{"a data section with a wrong CRC", newRaw().add(0x0f, []byte{1, 2, 3, 4}).Bytes(), "but it says 04030201: the file was damaged"},
		{"half a data end", newRaw().add(0x0f, []byte{1}).Bytes(), "data end at byte 25: it has 1 bytes, not 4"},
		{"no footer", newRaw().add(0x0f, make([]byte, 4)).Bytes(), "the index of the recording was cut off, but no message is missing"},
		{"no magic at the end", newRaw().add(0x0f, make([]byte, 4)).add(0x02, make([]byte, 20)).Bytes(), "no whole magic number of the end"},
	} {
		_, err := read(c.file)
		if err == nil || !strings.HasPrefix(err.Error(), "mcap: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestWhatMybotDoesNotKnowIsSkipped(t *testing.T) {
	file := newRaw().
		add(0x09, bytes.Repeat([]byte("attachment"), 1000)).
		add(0x0c, []byte("metadata")).
		add(0x91, []byte("private")).
		add(0x04, append([]byte{7, 0, 0, 0, 2, 0, 0, 0}, "/t\x00\x00\x00\x00\x00\x00\x00\x00"...)).
		add(0x05, append([]byte{7, 0}, make([]byte, 20)...)).
		add(0x0f, make([]byte, 4)).
		add(0x02, make([]byte, 20))
	file.WriteString("\x89MCAP0\r\n")
	got, err := read(file.Bytes())
	if !errors.Is(err, io.EOF) || len(got) != 1 || got[0].topic != "/t" {
		t.Errorf("%v and %v are read", got, err)
	}
}

func TestChunksInLZ4AreRead(t *testing.T) {
	records := newRaw().
		add(0x04, append([]byte{7, 0, 0, 0, 2, 0, 0, 0}, "/t\x00\x00\x00\x00\x00\x00\x00\x00"...)).
		add(0x05, append([]byte{7, 0}, append(make([]byte, 20), strings.Repeat("hello ", 5000)...)...)).
		Bytes()[25:]
	var packed bytes.Buffer
	w := lz4.NewWriter(&packed)
	if _, err := w.Write(records); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := read(newRaw().add(0x06, chunkBody("lz4", uint64(len(records)), crc32.ChecksumIEEE(records), packed.Bytes())).Bytes())
	if len(got) != 1 || len(got[0].text) != 30000 || !errors.As(err, new(*mcap.CutError)) {
		t.Errorf("%d messages are read, and %v", len(got), err)
	}
}

func TestAHostileFileTakesLittleMemory(t *testing.T) {
	bomb := pack(t, make([]byte, 1<<30))
	liar := binary.LittleEndian.AppendUint64(append(newRaw().Bytes(), 0x06), 60<<20)
	for name, c := range map[string]struct {
		file []byte
		most uint64 // bytes
	}{
		"a chunk of 60 MiB that is not there":  {liar, 1 << 20},
		"a chunk that unpacks to a GiB":        {newRaw().add(0x06, chunkBody("zstd", 1000, 0, bomb)).Bytes(), 80 << 20},
		"a chunk that says that it is 64 MiB":  {newRaw().add(0x06, chunkBody("zstd", 64<<20, 0, pack(t, []byte("x")))).Bytes(), 80 << 20},
		"a name of a compression without end":  {newRaw().add(0x06, append(make([]byte, 28), 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9)).Bytes(), 1 << 20},
		"metadata of a channel without an end": {newRaw().add(0x04, []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}).Bytes(), 1 << 20},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(c.file)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > c.most || err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s takes %d kB: %v", name, got>>10, err)
		}
	}
}

func TestSchemasAndChannelsWithoutEndAreRefused(t *testing.T) {
	file := newRaw()
	big := append([]byte{0, 0, 0, 0, 0, 0}, binary.LittleEndian.AppendUint32(nil, 0)...)
	big = append(big, binary.LittleEndian.AppendUint32(nil, 9<<20)...)
	big = append(big, make([]byte, 9<<20)...)
	for id := range byte(9) {
		big[0] = id + 1
		file.add(0x03, big)
	}
	if _, err := read(file.Bytes()); err == nil || !strings.Contains(err.Error(), "schemas and channels have more than 64 MiB together") {
		t.Errorf("81 MiB of schemas: %v", err)
	}
}

// A disk has room for a number of bytes.
type disk struct {
	bytes.Buffer
	room int
}

func (d *disk) Write(b []byte) (int, error) {
	if d.Len()+len(b) > d.room {
		n, _ := d.Buffer.Write(b[:d.room-d.Len()])
		return n, syscall.ENOSPC
	}
	return d.Buffer.Write(b)
}

func TestAFullDiskGivesOneErrorAndAReadableFile(t *testing.T) {
	want := notes(600)
	whole := len(recording(t, mcap.Zstd, want, 50))
	for room := 0; room < whole; room += 397 {
		d := &disk{room: room}
		m, err := write(t, d, mcap.Zstd, want, 50)
		if err == nil {
			err = m.Close()
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("with room for %d of %d bytes: %v", room, whole, err)
		}
		if m != nil {
			size := d.Len()
			d.room = 1 << 30 // there is room again, but a record is missing
			_, channel := m.AddChannel(mcap.Channel{})
			for what, again := range map[string]error{"Write": m.Write(1, mcap.Message{}), "Flush": m.Flush(), "Close": m.Close(), "AddChannel": channel} {
				if !errors.Is(again, err) {
					t.Fatalf("after %v, %s returns %v", err, what, again)
				}
			}
			if d.Len() != size {
				t.Fatal("after an error more is written")
			}
		}
		got, err := read(d.Bytes())
		if !begins(want, got) || errors.Is(err, io.EOF) {
			t.Fatalf("with room for %d bytes %d messages are read, and %v", room, len(got), err)
		}
		if room > whole/2 && len(got) < 200 {
			t.Fatalf("with room for %d of %d bytes only %d of 600 messages are read", room, whole, len(got))
		}
	}
}

func TestAWriterSaysWhatItWasAskedWrongly(t *testing.T) {
	m, err := write(t, io.Discard, mcap.None, notes(20), 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Write(9, mcap.Message{}); err == nil || !strings.Contains(err.Error(), "no channel 9 was added; there are 3") {
		t.Errorf("an unknown channel: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if err := m.Write(1, mcap.Message{}); err == nil || !strings.Contains(err.Error(), "the file is closed") {
		t.Errorf("after Close: %v", err)
	}
}

func FuzzReader(f *testing.F) {
	for _, c := range []mcap.Compression{mcap.None, mcap.Zstd} {
		f.Add(recording(f, c, notes(12), 5))
	}
	f.Add(newRaw().add(0x06, append(make([]byte, 28), 100, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)).Bytes())
	f.Add(newRaw().add(0x06, chunkBody("lz4", 5, crc32.ChecksumIEEE([]byte("hello")), []byte("\x04\x22\x4d\x18\x60\x70\x73\x05\x00\x00\x80hello\x00\x00\x00\x00"))).Bytes())
	f.Add(newRaw().add(0x04, []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}).Bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		all, err := read(file)
		if err == nil {
			t.Error("a file ends without an error and without io.EOF")
		}
		if len(all) > len(file)*1000 {
			t.Errorf("%d messages are in %d bytes", len(all), len(file))
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	all := notes(1000)
	size := 0
	for _, n := range all {
		size += len(n.text)
	}
	for _, c := range []mcap.Compression{mcap.None, mcap.Zstd} {
		b.Run(fmt.Sprintf("%q", c), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := write(b, io.Discard, c, all, 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

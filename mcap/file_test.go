package mcap_test

import (
	"bytes"
	"errors"
	"io"
	"syscall"
	"testing"

	"mybot/mcap"
)

// A paper is a rewritable file with room for a number of bytes. It keeps every
// state it has been in.
type paper struct {
	data []byte
	room int
	show func(data []byte)
}

func (p *paper) WriteAt(b []byte, at int64) (int, error) {
	defer func() { p.show(p.data) }()
	n := min(len(b), p.room-int(at))
	if end := int(at) + n; end > len(p.data) {
		p.data = append(p.data, make([]byte, end-len(p.data))...)
	}
	if copy(p.data[at:], b[:n]); n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (p *paper) Truncate(size int64) error {
	defer func() { p.show(p.data) }()
	p.data = p.data[:size]
	return nil
}

func TestAFileHasAllThatWasFlushedInEachOfItsStates(t *testing.T) {
	for _, c := range []mcap.Compression{mcap.None, mcap.Zstd} {
		for flush, n := range map[int]int{1: 260, 20: 600, 400: 900} {
			want, kept, states := notes(n), 0, 0
			p := &paper{room: 1 << 30, show: func([]byte) {}}
			m, err := mcap.NewFileWriter(p, "", "test", c)
			if err != nil {
				t.Fatal(err)
			}
			p.show = func(data []byte) {
				states++
				got, err := read(data)
				if !begins(want, got) || len(got) < kept || !errors.Is(err, io.EOF) && !errors.As(err, new(*mcap.CutError)) {
					t.Fatalf("%q, flushed after %d: of %d messages %d can be read: %v", c, kept, len(want), len(got), err)
				}
			}
			if err := writeTo(m, want, flush, func(n int) {
				kept = n
				settled, rest := m.Written()
				if !bytes.Equal(p.data[settled:], rest) {
					t.Fatalf("%q: after %d bytes the file has another content", c, settled)
				}
				if got, err := read(p.data); len(got) != n || !errors.As(err, new(*mcap.CutError)) {
					t.Fatalf("%q: of %d messages that were flushed %d are read: %v", c, n, len(got), err)
				}
			}); err != nil {
				t.Fatal(err)
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := read(p.data); len(got) != len(want) || !errors.Is(err, io.EOF) {
				t.Errorf("%q: the complete file has %d of %d messages: %v", c, len(got), len(want), err)
			}
			if states < n/flush {
				t.Errorf("%q: the file was in %d states", c, states)
			}
		}
	}
}

func TestALongChunkOfAFileIsClosedWithoutAFlush(t *testing.T) {
	p := &paper{room: 1 << 30, show: func([]byte) {}}
	m, err := mcap.NewFileWriter(p, "", "test", mcap.None)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeTo(m, notes(20_000), 1<<30, nil); err != nil {
		t.Fatal(err)
	}
	if settled, rest := m.Written(); settled < 2<<20 || len(rest) != 0 {
		t.Errorf("%d bytes are in the file, and %d for now", settled, len(rest))
	}
}

func TestAFileIsShorterThanAStream(t *testing.T) {
	all := notes(3000)
	p := &paper{room: 1 << 30, show: func([]byte) {}}
	m, err := mcap.NewFileWriter(p, "", "test", mcap.Zstd)
	if err == nil {
		err = errors.Join(writeTo(m, all, 50, func(int) {}), m.Close())
	}
	if stream := len(recording(t, mcap.Zstd, all, 50)); err != nil || len(p.data) > stream*9/10 {
		t.Errorf("a file has %d bytes, a stream %d (%v)", len(p.data), stream, err)
	}
	if settled, rest := m.Written(); int(settled) != len(p.data) || len(rest) > 0 {
		t.Errorf("at the end %d of %d bytes stay, and %d do not", settled, len(p.data), len(rest))
	}
}

func TestAFullDiskLeavesAFileThatWasFlushed(t *testing.T) {
	want := notes(600)
	for room := 0; room < 60_000; room += 1571 {
		kept := 0
		p := &paper{room: room, show: func([]byte) {}}
		m, err := mcap.NewFileWriter(p, "", "test", mcap.Zstd)
		if err == nil {
			if err = writeTo(m, want, 50, func(n int) { kept = n }); err == nil {
				err = m.Close()
			}
			size := len(p.data)
			p.room = 1 << 30
			if again := m.Flush(); err != nil && (!errors.Is(again, err) || len(p.data) != size) {
				t.Fatalf("after %v, Flush returns %v, and the file has %d bytes, before %d", err, again, len(p.data), size)
			}
		}
		got, end := read(p.data)
		if !begins(want, got) || len(got) < kept || err == nil != errors.Is(end, io.EOF) {
			t.Fatalf("with room for %d bytes: %v; of %d messages that were flushed %d are read: %v", room, err, kept, len(got), end)
		}
		if room > 50_000 && kept < 300 {
			t.Fatalf("with room for %d bytes %d messages were flushed", room, kept)
		}
	}
}

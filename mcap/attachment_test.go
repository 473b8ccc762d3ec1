package mcap_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"mybot/mcap"
)

var aRobot = mcap.Attachment{Name: "robot.json", MediaType: "application/json", Logged: began, Made: began, Data: []byte(`{"name":"Mybot"}`)}

// readAttached returns a file's attachments, the number of its messages and its
// end.
func readAttached(file []byte) (all []mcap.Attachment, messages int, err error) {
	r, err := mcap.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, 0, err
	}
	r.TakeAttachment = func(a mcap.Attachment) error {
		all = append(all, a)
		return nil
	}
	for {
		if _, err = r.Next(); err != nil {
			return all, messages, err
		}
		messages++
	}
}

func TestAttachmentsAreReadBackAlsoFromAFileThatWasCut(t *testing.T) {
	p := &paper{room: 1 << 30, show: func([]byte) {}}
	file, err := mcap.NewFileWriter(p, "", "test", mcap.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	stream, err := mcap.NewWriter(&b, "", "test", mcap.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	second := aRobot
	second.Name, second.Data = "floor.json", nil
	for _, m := range []*mcap.Writer{file, stream} {
		if err := errors.Join(m.Attach(aRobot), m.Attach(second), writeTo(m, notes(100), 10, func(int) {})); err != nil {
			t.Fatal(err)
		}
		if err := m.Attach(aRobot); err == nil || !strings.Contains(err.Error(), "before the first message") {
			t.Errorf("one after the messages: %v", err)
		}
	}
	for _, data := range [][]byte{p.data, b.Bytes()} {
		all, n, err := readAttached(data)
		if len(all) != 2 || n != 100 || !errors.As(err, new(*mcap.CutError)) {
			t.Fatalf("%d attachments and %d messages are read: %v", len(all), n, err)
		}
		if a := all[0]; a.Name != aRobot.Name || a.MediaType != aRobot.MediaType || !a.Logged.Equal(began) || !a.Made.Equal(began) || !bytes.Equal(a.Data, aRobot.Data) || all[1].Name != "floor.json" || len(all[1].Data) != 0 {
			t.Errorf("they are %+v", all)
		}
		if got, _ := read(data); len(got) != 100 {
			t.Errorf("without them %d messages are read", len(got))
		}
	}
	if err := errors.Join(file.Close(), stream.Close()); err != nil {
		t.Fatal(err)
	}
	if all, n, err := readAttached(p.data); len(all) != 2 || n != 100 || !errors.Is(err, io.EOF) {
		t.Errorf("the complete file has %d attachments and %d messages: %v", len(all), n, err)
	}
}

func TestAnAttachmentThatIsDamagedIsRefused(t *testing.T) {
	body := make([]byte, 16)
	for _, text := range []string{"name", "text/plain"} {
		body = append(binary.LittleEndian.AppendUint32(body, uint32(len(text))), text...)
	}
	body = append(binary.LittleEndian.AppendUint64(body, 5), "hello\x01\x02\x03\x04"...)
	for n := range len(body) + 1 {
		if _, _, err := readAttached(newRaw().add(0x09, body[:n]).Bytes()); err == nil || !errors.As(err, new(*mcap.FormatError)) {
			t.Fatalf("%d of %d bytes: %v", n, len(body), err)
		}
	}
	clear(body[len(body)-4:]) // no CRC
	if all, _, err := readAttached(newRaw().add(0x09, body).Bytes()); len(all) != 1 || string(all[0].Data) != "hello" {
		t.Errorf("%+v are read: %v", all, err)
	}
	stop := errors.New("enough")
	r, err := mcap.NewReader(bytes.NewReader(newRaw().add(0x09, body).Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	r.TakeAttachment = func(mcap.Attachment) error { return stop }
	if _, err := r.Next(); !errors.Is(err, stop) {
		t.Errorf("one that is not wanted: %v", err)
	}
}

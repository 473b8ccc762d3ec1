package handlers

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mybot/recording"
	"mybot/session"
)

// A tape is a recorder whose recordings have a beginning and an end.
type tape struct{ busy bool }

func (t tape) Record(ctx context.Context, w io.Writer, flush func() error) error {
	if t.busy {
		return recording.ErrBusy
	}
	if _, err := fmt.Fprintln(w, "beginning"); err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	<-ctx.Done()
	_, err := fmt.Fprintln(w, "end")
	return err
}

// taped is a server with a recorder.
func taped(t *testing.T, r Recorder) (*testServer, string) {
	t.Helper()
	d := newTestServer(t, func(c *Config) { c.Recorder = r })
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	return d, server.URL
}

// record requests a recording and reads its beginning.
func record(ctx context.Context, t *testing.T, url, token string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = got.Body.Close() })
	return got
}

func begun(t *testing.T, got *http.Response) {
	t.Helper()
	text := make([]byte, len("beginning\n"))
	if _, err := io.ReadFull(got.Body, text); err != nil || string(text) != "beginning\n" {
		t.Fatalf("%s: the recording begins with %q, and %v", got.Status, text, err)
	}
}

func ended(t *testing.T, got *http.Response) {
	t.Helper()
	if text, err := io.ReadAll(got.Body); err != nil || string(text) != "end\n" {
		t.Errorf("the recording ends with %q, and %v", text, err)
	}
}

func TestARecordingComesAsItIsMadeAndIsInTheAuditLog(t *testing.T) {
	d, address := taped(t, tape{})
	got := record(t.Context(), t, address+recordingPath+"?seconds=1", "")
	if name := got.Header.Get("Content-Disposition"); !strings.HasPrefix(name, `attachment; filename="mybot-2`) || !strings.HasSuffix(name, `.mcap"`) {
		t.Errorf("the file is to be %s", name)
	}
	begun(t, got)
	ended(t, got)
	ctx, leave := context.WithCancel(t.Context())
	begun(t, record(ctx, t, address+recordingPath, ""))
	leave()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		log := d.audit.all()
		if strings.Count(log, "A recording began") == 2 && strings.Count(log, "A recording ended") == 2 && strings.Contains(log, "stream operator at 127.0.0.1: A recording began, of 1s at most.") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the audit log is\n%s", log)
		}
	}
}

func TestARecordingEndsWholeWhenTheServerEnds(t *testing.T) {
	d, address := taped(t, tape{})
	got := record(t.Context(), t, address+recordingPath, "")
	begun(t, got)
	if err := d.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended(t, got)
}

func TestARecordingEndsWithTheAccessOfWhoRecords(t *testing.T) {
	d, address := taped(t, tape{})
	got := record(t.Context(), t, address+recordingPath, d.paired(t, session.Operator))
	begun(t, got)
	for _, g := range d.access.Grants(time.Now()) {
		grant, err := d.access.Revoke(g.ID)
		if err != nil {
			t.Fatal(err)
		}
		d.sendAway(grant, "the test", "revoked")
	}
	ended(t, got)
}

// TestTwoDevicesKeepNoThirdFromRecording has two of them ask for more and more.
func TestTwoDevicesKeepNoThirdFromRecording(t *testing.T) {
	d, address := taped(t, tape{})
	ask := func(ctx context.Context, token string) (status int, text string) {
		got := record(ctx, t, address+recordingPath, token)
		if got.StatusCode == http.StatusOK {
			begun(t, got)
			return http.StatusOK, ""
		}
		all, _ := io.ReadAll(got.Body)
		return got.StatusCode, got.Header.Get("Retry-After") + " " + string(all)
	}
	hold := func(ctx context.Context, token string, want int) {
		t.Helper()
		for range want {
			if status, text := ask(ctx, token); status != http.StatusOK {
				t.Fatalf("one of the %d recordings of a device is answered %d: %s", want, status, text)
			}
		}
		if status, text := ask(ctx, token); status != http.StatusTooManyRequests || !strings.HasPrefix(text, fmt.Sprintf("10 This device has %d recordings already", want)) {
			t.Errorf("one more is answered %d: %s", status, text)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	hold(ctx, d.paired(t, session.Operator), recording.MaxRecordings/2)
	hold(ctx, "", recording.MaxRecordings/4) // at the robot's own computer
	hold(ctx, d.paired(t, session.Operator), recording.MaxRecordings/4)
	last := d.paired(t, session.Operator)
	if status, text := ask(ctx, last); status != http.StatusServiceUnavailable || !strings.HasPrefix(text, "10 There are 4 recordings already") {
		t.Errorf("when no place is free one is answered %d: %s", status, text)
	}
	leave()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		status, text := ask(t.Context(), last)
		if status == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the others have ended it is answered %d: %s", status, text)
		}
	}
}

func TestARecordingThatCannotBeMadeIsRefused(t *testing.T) {
	_, full := taped(t, tape{busy: true})
	_, free := taped(t, tape{})
	for _, c := range []struct {
		url    string
		status int
		says   string
	}{
		{full + recordingPath, http.StatusServiceUnavailable, "4 recordings are being made, which is the most at a time; end one of them."},
		{free + recordingPath + "?seconds=0", http.StatusBadRequest, `seconds is "0"; it should be a whole number from 1 to 86400.`},
		{free + recordingPath + "?seconds=1.5", http.StatusBadRequest, `seconds is "1.5"`},
		{free + recordingPath + "?seconds=100000", http.StatusBadRequest, `seconds is "100000"`},
	} {
		got := record(t.Context(), t, c.url, "")
		text, _ := io.ReadAll(got.Body)
		if got.StatusCode != c.status || !strings.Contains(string(text), c.says) || got.Header.Get("Content-Disposition") != "" {
			t.Errorf("%s is answered %s: %s", c.url, got.Status, text)
		}
	}
}

package handlers

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mybot/mcap"
	"mybot/recording"
	"mybot/robot"
	"mybot/session"
)

// asked sends a request with a bearer token, and returns the status and the text.
func asked(t *testing.T, method, url, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(text)
}

func TestRecordingsAreBegunByAdminsReadByOperatorsAndNoted(t *testing.T) {
	recorder := recording.NewRecorder(recording.About{Build: "test"})
	folder := recording.NewFolder(filepath.Join(t.TempDir(), "recordings"), recorder, recording.Limits{FileLasts: time.Hour, FileBytes: 1 << 30, MaxBytes: 1 << 30, MaxAge: time.Hour}, slog.New(slog.DiscardHandler))
	t.Cleanup(folder.Stop)
	d := newTestServer(t, func(c *Config) { c.Recordings = folder })
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	admin, operator, observer := d.paired(t, session.Admin), d.paired(t, session.Operator), d.paired(t, session.Observer)
	url := server.URL + recordingsPath

	for _, token := range []string{operator, observer} {
		if status, _ := asked(t, "POST", url+"/start", token); status != http.StatusForbidden || recorder.Active() {
			t.Fatalf("who is no admin begins a recording: %d", status)
		}
	}
	var listed struct {
		recording.Status
		Files []recording.File `json:"files"`
	}
	if status, text := asked(t, "POST", url+"/start", admin); status != http.StatusOK || json.Unmarshal([]byte(text), &listed) != nil || !listed.Recording || !recorder.Active() {
		t.Fatalf("an admin begins a recording: %d %s", status, text)
	}
	recorder.ObserveTick(time.Now(), robot.Reading{Time: time.Now()}, robot.State{Time: time.Now()})
	if status, text := asked(t, "POST", url+"/end", admin); status != http.StatusOK || recorder.Active() {
		t.Fatalf("an admin ends it: %d %s", status, text)
	}
	status, text := asked(t, "GET", url, operator)
	if status != http.StatusOK || json.Unmarshal([]byte(text), &listed) != nil || listed.Recording || len(listed.Files) != 1 || listed.Files[0].Bytes == 0 {
		t.Fatalf("the list is %d %s", status, text)
	}
	if status, _ := asked(t, "GET", url, observer); status != http.StatusForbidden {
		t.Errorf("an observer lists recordings: %d", status)
	}
	name := listed.Files[0].Name
	status, text = asked(t, "GET", url+"/"+name, operator)
	file, err := mcap.NewReader(strings.NewReader(text))
	if status != http.StatusOK || err != nil || file.Program != "mybot test" {
		t.Fatalf("the recording is %d, %v", status, err)
	}
	if status, _ := asked(t, "DELETE", url+"/"+name, operator); status != http.StatusForbidden {
		t.Errorf("an operator deletes a recording: %d", status)
	}
	if status, text := asked(t, "DELETE", url+"/"+name, admin); status != http.StatusOK || !strings.Contains(text, `"files":[]`) {
		t.Errorf("an admin deletes a recording: %d %s", status, text)
	}
	for _, method := range []string{"GET", "DELETE"} {
		if status, text := asked(t, method, url+"/..%2Fmybot.db", admin); status != http.StatusNotFound || !strings.Contains(text, "There is no recording") {
			t.Errorf("%s of another file is answered %d %s", method, status, text)
		}
	}
	for _, want := range []string{"began", "ended", "was downloaded", "was deleted"} {
		if !strings.Contains(d.audit.all(), want) {
			t.Errorf("it is not noted that a recording %s: %q", want, d.audit.all())
		}
	}
}

// TestADownloadEndsWithTheAccessOfWhoDownloads revokes an operator who has read the
// beginning of a long recording.
func TestADownloadEndsWithTheAccessOfWhoDownloads(t *testing.T) {
	const size, name = 64 << 20, "mybot-2026-11-24-070000.mcap"
	dir := t.TempDir()
	folder := recording.NewFolder(dir, recording.NewRecorder(recording.About{}), recording.UsualLimits, slog.New(slog.DiscardHandler))
	d := newTestServer(t, func(c *Config) { c.Recordings = folder })
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
		t.Fatal(err)
	}
	got := record(t.Context(), t, server.URL+recordingsPath+"/"+name, d.paired(t, session.Operator))
	if _, err := io.CopyN(io.Discard, got.Body, 1<<20); err != nil || got.StatusCode != http.StatusOK {
		t.Fatalf("the download is %s, %v", got.Status, err)
	}
	for _, g := range d.access.Grants(time.Now()) {
		if _, err := d.access.Revoke(g.ID); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := io.Copy(io.Discard, got.Body); err == nil || n > size/2 {
		t.Errorf("who is revoked after 1 MiB reads %d MiB more: %v", n>>20, err)
	}
}

// TestARobotThatKeepsNoRecordingsSaysSo because every page asks for the list: what it
// cannot have must not be a failed request.
func TestARobotThatKeepsNoRecordingsSaysSo(t *testing.T) {
	d := wide(t)
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	admin := d.paired(t, session.Admin)
	if status, text := asked(t, "GET", server.URL+recordingsPath, admin); status != http.StatusOK || !strings.Contains(text, `"ended":"This robot keeps no recordings: `) || !strings.Contains(text, `"files":[]`) {
		t.Errorf("the list is %d %s", status, text)
	}
	if status, text := asked(t, "POST", server.URL+recordingsPath+"/start", admin); status != http.StatusNotFound || !strings.Contains(text, "keeps no recordings") {
		t.Errorf("a recording is begun with %d %s", status, text)
	}
}

// slowFolder has a disk that hangs while it records.
type slowFolder struct{ RecordingFolder }

func (slowFolder) List() ([]recording.File, error) { return nil, recording.ErrSlow }
func (slowFolder) Status() recording.Status        { return recording.Status{Recording: true} }

func TestADiskThatHangsIsSaid(t *testing.T) {
	d := newTestServer(t, func(c *Config) { c.Recordings = slowFolder{} })
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	status, text := asked(t, "GET", server.URL+recordingsPath, d.paired(t, session.Operator))
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "The recordings cannot be listed: the disk of the robot does not answer. A recording is being made") {
		t.Errorf("the list is %d %s", status, text)
	}
}

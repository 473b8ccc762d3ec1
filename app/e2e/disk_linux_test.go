package e2e_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mybot/app"
	"mybot/jobs"
	"mybot/robot"
	"mybot/session/protocol"
	"mybot/store"
)

// diskRole tells this program, as a child process, how its disk is limited, and where it is.
// With mappingRole its robot has a lidar and no map; with restartRole it is a second start,
// on a full disk.
const (
	diskRole    = "MYBOT_DISK"
	mappingRole = "MYBOT_MAPS"
	restartRole = "MYBOT_RESTART"
)

// The kinds of disk.
const (
	tmpfs   = "tmpfs"   // a file system of 1 MiB
	limited = "limited" // files with a maximum size
	plain   = "plain"   // one with space
)

// A server process whose disk is full reports that immediately, continues to drive, and works
// again when there is space.
func TestAFullDiskIsToldAtOnceAndDrivingGoesOn(t *testing.T) {
	if os.Getenv(diskRole) != "" {
		serveOnDisk(t)
		return
	}
	for _, kind := range []string{tmpfs, limited} {
		t.Run(kind, func(t *testing.T) {
			s := launched(t, kind, t.TempDir())
			cookie := s.testServer.cookie()
			ana := enter(t, s.testServer.addr, cookie, "Ana")
			short := jobs.Step{Type: jobs.Wait, Seconds: 1}
			if m := ana.do("run", "name", "A", "steps", []jobs.Step{short, short, {Type: jobs.Wait, Seconds: 600}}); m.Word != robot.Success {
				t.Fatalf("the run was answered %s %s", m.Word, m.Reason)
			}
			s.tell("fill")
			ana.until("the last step", at(2, robot.RunRunning))

			var long []jobs.Step
			for range jobs.MaxSteps {
				long = append(long, jobs.Step{Type: jobs.Message, Text: strings.Repeat("a", jobs.MaxMessage), OK: true})
			}
			body, err := json.Marshal(map[string]any{"name": "Long", "steps": long})
			if err != nil {
				t.Fatal(err)
			}
			full := make(chan string, 1)
			go func() { full <- fillUp(s.testServer.addr, cookie, string(body)) }()
			states, slow, last, over := 0, time.Duration(0), time.Now(), ""
			ana.drive(0.15, 0, func(m message) bool {
				if over == "" {
					select {
					case over = <-full:
					default:
					}
				}
				slow, last = max(slow, time.Since(last)), time.Now()
				if states++; states > 10 && !moving(m) {
					t.Errorf("the robot drives at %.2f m/s", m.Twist[0])
				}
				return states >= 20 && over != ""
			})
			ana.letGo()
			if over != "full" {
				t.Errorf("saving jobs on the full disk: %s", over)
			}
			if slow > time.Second {
				t.Errorf("no state came for %v", slow)
			}
			t.Logf("the longest time between two states was %v, %s", slow.Round(time.Millisecond), s.testServer.jitter(cookie))
			if m := ana.do("end"); m.Word != robot.Success {
				t.Errorf("ending the run was answered %s %s", m.Word, m.Reason)
			}
			began := time.Now()
			if m := ana.do("run", "name", "Long", "steps", long); m.Word != robot.Error || !strings.Contains(m.Reason, "disk is full") {
				t.Errorf("a job that cannot be saved was answered %s %s after %v", m.Word, m.Reason, time.Since(began))
			}

			s.tell("free")
			if status, answer := s.testServer.ask(cookie, http.MethodPost, "/api/v1/jobs", string(body)); status != http.StatusCreated {
				t.Errorf("with free space, saving was answered %d: %s", status, answer)
			}
			for deadline := time.Now().Add(patience); ; {
				if r := s.testServer.kept(cookie, 1); r.Phase == robot.RunEnded && r.Word == robot.Interrupted && r.Steps[1].State == robot.StepFinished {
					break
				} else if time.Now().After(deadline) {
					t.Fatalf("the events of the full disk were not saved: %+v", r)
				}
				ana.until("a state", func(m message) bool { return m.Type == "state" })
			}
			if m := ana.do("run", "name", "A", "steps", []jobs.Step{short}); m.Word != robot.Success {
				t.Errorf("with free space, the run was answered %s %s", m.Word, m.Reason)
			}
		})
	}
}

// A person makes a map while the disk is full: the page shows that, no mapped data is lost, and
// the map is saved when there is space.
func TestAMapIsMadeOnAFullDiskAndSavedWhenThereIsRoom(t *testing.T) {
	s := launched(t, tmpfs, t.TempDir(), mappingRole+"=1")
	h := s.testServer
	cookie := h.cookie()
	ana := &mapper{enter(t, h.addr, cookie, "Ana"), h, cookie}
	s.tell("fill")
	ana.wants(`"action":"start"`, http.StatusOK, "SUCCESS")
	driven := 0
	ana.drive(0.4, 0, func(m message) bool {
		if m.Type == "state" {
			driven++
		}
		return driven > 100
	})
	ana.letGo()
	ana.awaitStandstill()
	full := ana.mapping("a word about the disk", func(e protocol.MappingEvent) bool { return e.Why != "" && e.Behind == 0 })
	if full.State != "mapping" || !strings.HasPrefix(full.Why, "The disk is full") || full.KeyFrames < 8 {
		t.Errorf("on the full disk the map is %s with %d key frames: %q", full.State, full.KeyFrames, full.Why)
	}
	ana.wants(`"action":"finish"`, http.StatusOK, "SUCCESS")
	ana.mapping("the review", func(e protocol.MappingEvent) bool { return e.State == "review" })
	ana.wants(`"action":"save","name":"Attic"`, http.StatusConflict, "The map cannot be saved: the disk is full. Free some space and try again.")
	if e := ana.mapping("the review again", func(e protocol.MappingEvent) bool { return e.State == "review" }); e.KeyFrames < full.KeyFrames {
		t.Errorf("after the failure the map has %d key frames, before it had %d", e.KeyFrames, full.KeyFrames)
	}

	s.tell("free")
	ana.wants(`"action":"save","name":"Attic"`, http.StatusOK, "SUCCESS")
	saved := ana.mapping("the map in use", func(e protocol.MappingEvent) bool { return e.State == "map" && e.Name == "Attic" })
	if !slices.Contains(saved.Can, "extend") {
		t.Errorf("the saved map can %v", saved.Can)
	}

	body := fmt.Sprintf(`{"lease":%d,"via":[],"edges":[],"places":[]}`, ana.epoch)
	s.tell("fill")
	if status, answer := h.ask(cookie, http.MethodPut, "/api/v1/map", body); status != http.StatusConflict || !strings.Contains(answer, "The map cannot be saved: the disk is full. Free some space and try again.") {
		t.Errorf("on the full disk a change of its places is answered %d: %s", status, answer)
	}
	s.tell("free")
	if status, answer := h.ask(cookie, http.MethodPut, "/api/v1/map", body); status != http.StatusOK {
		t.Errorf("with free space a change of its places is answered %d: %s", status, answer)
	}
}

// A robot that nothing can be saved for is still useful, and its STOP is safe. Its supervisor
// would start it again and again.
func TestAServerStartsOnAFullDiskAndItsStopLasts(t *testing.T) {
	s := launched(t, tmpfs, t.TempDir(), restartRole+"=1")
	ana := enter(t, s.testServer.addr, s.testServer.cookie(), "Ana")
	ana.drive(0.15, 0, moving)
	ana.letGo()
	s.tell("look")
}

// A server that is killed during a job reports afterwards that the job was interrupted, and the
// robot does not move.
func TestAJobOfAServerThatIsKilledIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	s := launched(t, plain, dir)
	cookie := s.testServer.cookie()
	ana := enter(t, s.testServer.addr, cookie, "Ana")
	for range 2 {
		if status, answer := s.testServer.ask(cookie, http.MethodPost, "/api/v1/jobs", `{"name":"Paper to Jin","steps":[{"type":"WAIT","seconds":600}]}`); status != http.StatusCreated {
			t.Fatalf("saving is answered %d: %s", status, answer)
		}
	}
	if m := ana.do("run", "name", "Far away", "steps", []jobs.Step{{Type: jobs.Move, Place: "Sofa"}}); m.Word != robot.Success {
		t.Fatalf("the run was answered %s %s", m.Word, m.Reason)
	}
	ana.until("the way", moving)
	var seen keptRun
	for len(seen.Log) < 3 { // it is saved before it is reported
		seen = s.testServer.kept(cookie, 1)
	}
	s.kill()

	again := launched(t, plain, dir)
	ana = enter(t, again.testServer.addr, cookie, "Ana")
	states := 0
	ana.until("ten states", func(m message) bool {
		if m.Type == "state" && (m.Job != nil || moving(m) || m.Mode == robot.ModeJob) {
			t.Errorf("the robot is %s, has the job %+v and drives at %.2f m/s", m.Mode, m.Job, m.Twist[0])
		}
		if m.Type == "state" {
			states++
		}
		return states == 10
	})
	r := again.testServer.kept(cookie, 1)
	if r.Phase != robot.RunEnded || r.Word != robot.Interrupted || r.Reason != "The robot was switched off." || r.Steps[0].State != robot.StepFailed {
		t.Errorf("%+v", r)
	}
	for i, c := range seen.Log {
		if i >= len(r.Log) || r.Log[i] != c {
			t.Errorf("transition %d was reported as %+v, now there are %+v", i, c, r.Log)
		}
	}
	_, answer := again.testServer.ask(cookie, http.MethodGet, "/api/v1/jobs", "")
	for _, id := range []string{`"paper-to-jin"`, `"paper-to-jin-2"`} {
		if !strings.Contains(answer, id) {
			t.Errorf("the job %s is lost: %s", id, answer)
		}
	}
}

// fillUp saves jobs until one is refused because the disk is full. It returns what went wrong;
// "full" = nothing.
func fillUp(addr, cookie, body string) string {
	for range 200 {
		began := time.Now()
		r, err := http.NewRequest(http.MethodPost, "http://"+addr+"/api/v1/jobs", strings.NewReader(body))
		if err != nil {
			return err.Error()
		}
		r.Header.Set("Cookie", "mybot="+cookie)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			return err.Error()
		}
		text, _ := io.ReadAll(got.Body) // a partial answer is enough
		_ = got.Body.Close()
		took := time.Since(began)
		switch {
		case took > time.Second:
			return fmt.Sprintf("it took %v", took)
		case got.StatusCode == http.StatusInsufficientStorage && strings.Contains(string(text), "disk is full"):
			return "full"
		case got.StatusCode != http.StatusCreated:
			return fmt.Sprintf("%s: %s", got.Status, text)
		}
	}
	return "there was room for 200 jobs"
}

// jitter returns how punctual the control loop is.
func (h *testServer) jitter(cookie string) string {
	_, answer := h.ask(cookie, http.MethodGet, "/api/v1/state", "")
	_, tick, _ := strings.Cut(answer, `"tick":`)
	return "tick " + strings.TrimRight(tick, "}\n") + "}"
}

// A process is a server in its own process.
type process struct {
	t          *testing.T
	cmd        *exec.Cmd
	in         io.WriteCloser
	said       *bufio.Scanner
	testServer *testServer
}

// launched starts a server on a disk of the kind at dir, with additional environment variables.
func launched(t *testing.T, kind, dir string, more ...string) *process {
	t.Helper()
	start := func(flags uintptr) (*process, error) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAFullDiskIsToldAtOnceAndDrivingGoesOn$")
		cmd.Env = append(append(os.Environ(), diskRole+"="+kind+" "+dir), more...)
		cmd.Stderr = os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
		if flags&syscall.CLONE_NEWUSER != 0 {
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
		}
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		s := &process{t: t, cmd: cmd, in: in, said: bufio.NewScanner(out)}
		t.Cleanup(s.kill)
		for s.said.Scan() {
			if addr, ok := strings.CutPrefix(s.said.Text(), "at "); ok {
				s.testServer = &testServer{t: t, addr: addr}
				return s, nil
			}
			if strings.HasPrefix(s.said.Text(), "no mount") {
				return nil, errors.New(s.said.Text())
			}
		}
		t.Fatal("the server does not start")
		return nil, nil
	}
	flags := []uintptr{0}
	if kind == tmpfs { // with its own mounts, for which the process must be root in a user namespace
		flags = []uintptr{syscall.CLONE_NEWNS, syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER}
	}
	var err error
	for _, f := range flags {
		var s *process
		if s, err = start(f); err == nil {
			return s
		}
	}
	if kind != tmpfs {
		t.Fatal(err)
	}
	t.Skipf("this machine mounts no small disk for a test: %v", err)
	return nil
}

// tell orders the process to fill or free the disk.
func (s *process) tell(what string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, what+"\n"); err != nil {
		s.t.Fatal(err)
	}
	for s.said.Scan() {
		switch s.said.Text() {
		case "done":
			return
		case "failed":
			s.t.Fatalf("the disk is in a wrong state after %q", what)
		}
	}
	s.t.Fatal("the server has ended")
}

// kill kills the server.
func (s *process) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// serveOnDisk runs a server until its standard input ends. Lines of the input tell it to fill
// or free its disk.
func serveOnDisk(t *testing.T) {
	kind, dir, _ := strings.Cut(os.Getenv(diskRole), " ")
	if kind == tmpfs {
		if err := errors.Join(syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""), syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m")); err != nil {
			fmt.Println("no mount:", err)
			return
		}
	}
	onDisk := func(c *app.Config) { c.DataDir = dir }
	h := (*testServer)(nil)
	if os.Getenv(restartRole) != "" {
		t.Run("before", func(t *testing.T) { open(t, onDisk) })
		if err := crowd(kind, dir, true); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv(mappingRole) == "" {
		h = open(t, onDisk)
	} else {
		h = openLidar(t, withoutMap, onDisk)
	}
	fmt.Println("at " + h.addr)
	signal.Ignore(syscall.SIGXFSZ)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		err := error(nil)
		if lines.Text() == "look" {
			err = lookAtFullDisk(dir)
		} else {
			err = crowd(kind, dir, lines.Text() == "fill")
		}
		if err != nil {
			fmt.Println(err)
			fmt.Println("failed")
			continue
		}
		fmt.Println("done")
	}
}

// lookAtFullDisk reports what a server that was started on a full disk may not leave there:
// half a key, or a note that the robot may drive.
func lookAtFullDisk(dir string) error {
	_, err := app.ReadKey(dir)
	note, noteErr := os.ReadFile(filepath.Join(dir, app.StopFile))
	if !errors.Is(err, fs.ErrNotExist) || noteErr != nil || len(note) > 0 && !strings.HasPrefix(string(note), `{"running":true`) {
		return fmt.Errorf("the key: %w; the note of the stop: %s, %w", err, note, noteErr)
	}
	return nil
}

// crowd fills the disk of the kind at dir, or frees space on it.
func crowd(kind, dir string, full bool) error {
	filler := filepath.Join(dir, "filler")
	switch {
	case kind == limited:
		var most syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &most); err != nil {
			return err
		}
		most.Cur = most.Max
		if full {
			file, err := os.Stat(filepath.Join(dir, store.File))
			if err != nil {
				return err
			}
			most.Cur = uint64(file.Size())
		}
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &most)
	case full:
		err := os.WriteFile(filler, make([]byte, 2<<20), 0o600)
		if errors.Is(err, syscall.ENOSPC) {
			return nil
		}
		return fmt.Errorf("the disk is not full: %w", err)
	default:
		return os.Remove(filler)
	}
}

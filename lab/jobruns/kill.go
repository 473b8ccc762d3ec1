package jobruns

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"mybot/app"
	"mybot/client"
	"mybot/drivers/sim"
	"mybot/jobs"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

// killOutcome is what survived of the data that killed servers had acknowledged.
type killOutcome struct {
	Kills       int      `json:"kills"`
	Definitions int      `json:"acknowledged_definitions"` // new, changed and deleted ones
	Transitions int      `json:"acknowledged_transitions"` // that a server had reported as saved
	Cut         int      `json:"runs_cut_off"`             // that were underway when their server was killed
	Lost        int      `json:"lost"`
	Losses      []string `json:"losses,omitempty"`
}

func (o *killOutcome) String() string {
	text := fmt.Sprintf("%d servers killed with SIGKILL while they kept jobs: %d definitions and %d transitions acknowledged, %d lost; %d runs cut off, which came back INTERRUPTED.",
		o.Kills, o.Definitions, o.Transitions, o.Lost, o.Cut)
	return strings.Join(append([]string{text}, o.Losses...), "\n  ")
}

// The work of a server before it is killed.
const (
	killAfter   = 1500 * time.Millisecond // longest time
	killedSteps = jobs.MaxSteps           // steps of the jobs that they run, more than they can finish by then
	startWithin = 20 * time.Second
	askEvery    = 10 * time.Millisecond
)

// killServers kills servers while they save jobs and run some: two sequences, each on the same
// data.
func killServers(ctx context.Context, errOut io.Writer, kills int, seed uint64) (killOutcome, error) {
	const lines = 2
	ledgers, err := experiment.RunParallel(ctx, errOut, "lines of servers", min(lines, kills), func(ctx context.Context, n int) (*ledger, error) {
		return killLine(ctx, kills*(n+1)/lines-kills*n/lines, rand.New(rand.NewPCG(seed, uint64(70+n))))
	})
	if err != nil {
		return killOutcome{}, fmt.Errorf("lab: jobs: %w", err)
	}
	o := killOutcome{}
	for _, l := range ledgers {
		o.Kills += l.Kills
		o.Definitions += l.Definitions
		o.Transitions += l.Transitions
		o.Cut += l.Cut
		o.Losses = append(o.Losses, l.Losses...)
	}
	o.Lost = len(o.Losses)
	return o, nil
}

// A ledger is what the servers on the same data have acknowledged.
type ledger struct {
	killOutcome
	rng    *rand.Rand
	jobs   map[string]jobs.Job // by id
	gone   map[string]bool     // ids of the deleted ones
	doubt  *jobs.Job           // a request to save it was open when the server was killed; without steps: to delete it
	runs   map[uint64]*ranRun  // that a server has reported
	newest uint64              // the highest number of a run
	names  int
}

// ranRun is a run as a server reported it.
type ranRun struct {
	Phase  robot.RunPhase    `json:"phase"`
	Word   robot.Word        `json:"word"`
	Reason string            `json:"reason"`
	Log    []json.RawMessage `json:"log"`
}

// killLine runs a sequence of servers on the same data, and kills each.
func killLine(ctx context.Context, kills int, rng *rand.Rand) (*ledger, error) {
	l := &ledger{rng: rng, jobs: map[string]jobs.Job{}, gone: map[string]bool{}, runs: map[uint64]*ranRun{}}
	dir, err := os.MkdirTemp("", "mybot-jobs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is temporary
	for ; l.Kills < kills; l.Kills++ {
		if err := l.runServer(ctx, dir, func(s *victim) error { return s.keepJobs(ctx, l) }); err != nil {
			return nil, err
		}
	}
	return l, l.runServer(ctx, dir, func(*victim) error { return nil })
}

// runServer starts a server on the data, checks the data, gives it work, and kills it.
func (l *ledger) runServer(ctx context.Context, dir string, work func(*victim) error) error {
	s, err := startVictim(ctx, dir)
	if err != nil {
		return err
	}
	defer s.killAndWait()
	if err := l.compareWith(s); err != nil {
		return err
	}
	return work(s)
}

// noteLoss notes a difference from what was acknowledged.
func (l *ledger) noteLoss(format string, args ...any) {
	l.Losses = append(l.Losses, fmt.Sprintf("After %d kills: ", l.Kills)+fmt.Sprintf(format, args...))
}

// compareWith checks everything that was acknowledged.
func (l *ledger) compareWith(s *victim) error {
	var list struct {
		Jobs []struct{ ID string }
	}
	if err := s.robot.DoJSON(context.Background(), http.MethodGet, client.JobsPath, nil, &list); err != nil {
		return err
	}
	kept := map[string]jobs.Job{}
	for _, entry := range list.Jobs {
		var job jobs.Job
		if err := s.robot.DoJSON(context.Background(), http.MethodGet, client.JobPath(entry.ID), nil, &job); err != nil {
			return err
		}
		kept[job.ID] = job
	}
	for id, was := range l.jobs {
		now, ok := kept[id]
		changing := l.doubt != nil && l.doubt.ID == id
		switch {
		case ok && isSameJob(now, was) || changing && !ok && len(l.doubt.Steps) == 0 || changing && ok && now.Name == l.doubt.Name:
		case !ok:
			l.noteLoss("The job %s is gone.", id)
		default:
			l.noteLoss("The job %s has the revision %d and %d steps, not %d and %d.", id, now.Revision, len(now.Steps), was.Revision, len(was.Steps))
		}
	}
	for id, now := range kept {
		if _, known := l.jobs[id]; l.gone[id] && !known {
			l.noteLoss("The job %s was deleted and is back.", id)
		} else if !known && (l.doubt == nil || now.Name != l.doubt.Name) {
			l.noteLoss("The job %s was never kept.", id)
		}
	}
	l.jobs, l.doubt = kept, nil
	for n, was := range l.runs {
		var now ranRun
		if err := s.robot.DoJSON(context.Background(), http.MethodGet, client.RunPath(n), nil, &now); err != nil {
			l.noteLoss("Run %d cannot be read: %v.", n, err)
			continue
		}
		for k, t := range was.Log {
			if k >= len(now.Log) || !bytes.Equal(t, now.Log[k]) {
				l.noteLoss("Of the transitions of run %d number %d of %d is gone.", n, k+1, len(was.Log))
				break
			}
		}
		if was.Phase != robot.RunEnded {
			l.Cut++
		}
		if !cameBack(was, &now) {
			l.noteLoss("Run %d was %s and is now %s: %s %s", n, was.Phase, now.Phase, now.Word, now.Reason)
		}
		delete(l.runs, n) // it was seen to the end; the robot only stores the newest ones
	}
	return nil
}

// cameBack reports whether the state of a run is right after its server was killed: ended, and
// INTERRUPTED if it was underway.
func cameBack(was, now *ranRun) bool {
	return now.Phase == robot.RunEnded && (was.Phase == robot.RunEnded && now.Word == was.Word || was.Phase != robot.RunEnded && now.Word == robot.Interrupted)
}

// isSameJob reports whether two definitions are equal.
func isSameJob(a, b jobs.Job) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Revision == b.Revision && slices.EqualFunc(a.Steps, b.Steps, jobs.Step.Equal)
}

// A victim is a server that will be killed, and a person with control of its robot.
type victim struct {
	cmd     *exec.Cmd
	stop    context.CancelFunc // kills the server and ends what reads from it
	robot   *client.Client
	lease   uint64 // of the person in control
	reading sync.WaitGroup
}

// startVictim starts a server on the data.
func startVictim(ctx context.Context, dir string) (s *victim, err error) {
	s = &victim{}
	ctx, s.stop = context.WithCancel(ctx)
	defer func() {
		if err != nil {
			s.killAndWait()
		}
	}()
	s.cmd = experiment.Child(ctx, "keeper", "-data", dir)
	if _, err = s.cmd.StdinPipe(); err != nil { // the server ends with it
		return s, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return s, err
	}
	if err := s.cmd.Start(); err != nil {
		return s, err
	}
	late := time.AfterFunc(startWithin, s.stop)
	defer late.Stop()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return s, fmt.Errorf("a server does not start: %w", err)
	}
	if s.robot, err = client.New("http://"+strings.TrimSpace(line), client.Options{Identity: client.NewIdentity()}); err != nil {
		return s, err
	}
	s.robot = s.robot.WithTimeout(startWithin)
	conn, err := s.robot.Connect(ctx, "Lab", "lab")
	if err != nil {
		return s, err
	}
	err = conn.TakeControl(ctx)
	s.lease = conn.Epoch()
	s.reading.Go(func() { // until the server is gone
		defer conn.Close()
		for err := error(nil); err == nil; {
			_, err = conn.Next(ctx)
		}
	})
	return s, err
}

// killAndWait kills the server, if it still runs, and waits until it is gone.
func (s *victim) killAndWait() {
	s.stop() // SIGKILL
	if s.cmd.Process != nil {
		_ = s.cmd.Wait() // it was killed
	}
	s.reading.Wait()
}

// keepJobs saves jobs and runs some until the server is killed.
func (s *victim) keepJobs(ctx context.Context, l *ledger) error {
	soon := time.Duration(l.rng.Int64N(int64(killAfter)))
	begin := time.Now()
	runs := rand.New(rand.NewPCG(l.rng.Uint64(), 1))
	var both sync.WaitGroup
	var told map[uint64]*ranRun
	var newest uint64
	both.Go(func() { told, newest = s.runJobs(runs, l.newest) })
	both.Go(func() {
		time.Sleep(time.Until(begin.Add(soon)))
		s.stop()
	})
	err := s.churnDefinitions(l)
	both.Wait()
	if newest > 0 && newest <= l.newest {
		l.noteLoss("The number %d was given to a run again.", newest)
	}
	l.newest = max(l.newest, newest)
	for n, r := range told {
		l.runs[n] = r
		l.Transitions += len(r.Log)
	}
	return errors.Join(err, ctx.Err())
}

// churnDefinitions saves, changes and deletes definitions until the server is gone.
func (s *victim) churnDefinitions(l *ledger) error {
	for {
		l.names++
		job := jobs.Job{Name: fmt.Sprintf("Job %d", l.names)}
		for k := range 1 + l.rng.IntN(8) {
			job.Steps = append(job.Steps, jobs.Step{Type: jobs.Wait, Seconds: float64(1 + k + l.names%7)})
		}
		ids := make([]string, 0, len(l.jobs))
		for id := range l.jobs {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		method, path := http.MethodPost, client.JobsPath
		switch k := l.rng.IntN(4); {
		case len(ids) > 0 && (k == 0 || len(ids) > 40):
			job = jobs.Job{ID: ids[l.rng.IntN(len(ids))]}
			method, path = http.MethodDelete, client.JobPath(job.ID)
		case len(ids) > 0 && k == 1:
			was := l.jobs[ids[l.rng.IntN(len(ids))]]
			job.ID, job.Revision = was.ID, was.Revision
			method, path = http.MethodPut, client.JobPath(job.ID)
		}
		l.doubt = &job
		var kept jobs.Job
		var into any = &kept
		if method == http.MethodDelete {
			into = nil
		}
		if gone, refused := s.sendRequest(method, path, job, into); gone {
			return nil
		} else if refused != nil {
			return fmt.Errorf("%s %s: %w", method, path, refused)
		}
		l.Definitions++
		l.doubt = nil
		if method == http.MethodDelete {
			delete(l.jobs, job.ID)
			l.gone[job.ID] = true
			continue
		}
		l.jobs[kept.ID] = kept
		delete(l.gone, kept.ID)
	}
}

// runJobs runs and disturbs jobs until the server is gone. It returns what the server reported
// as saved, and the highest number of a run.
func (s *victim) runJobs(rng *rand.Rand, after uint64) (told map[uint64]*ranRun, newest uint64) {
	told = map[uint64]*ranRun{}
	steps := slices.Repeat([]jobs.Step{{Type: jobs.Message, Text: "Touch OK.", OK: true}}, killedSteps)
	for ; ; time.Sleep(askEvery) {
		var begun struct{ Run uint64 }
		gone, refused := s.sendRequest(http.MethodPost, client.RunsPath, client.RunRequest{Lease: s.lease, Name: "Paper", Steps: steps}, &begun)
		if refused != nil {
			// There were many runs, or the robot starts stopped because its program was killed.
			gone, _ = s.sendRequest(http.MethodPost, "/api/v1/unstop", map[string]any{"lease": s.lease}, nil)
		}
		switch {
		case gone:
			return told, newest
		case refused != nil:
			continue
		}
		if newest = max(newest, begun.Run); begun.Run <= after {
			return told, begun.Run
		}
		path := client.RunPath(begun.Run)
		for over := false; !over; time.Sleep(askEvery) {
			what := []string{"ok", "skip", "pause", "resume", "resume"}[rng.IntN(5)]
			if rng.IntN(50) == 0 {
				what = "end"
			}
			gone, _ := s.sendRequest(http.MethodPost, path+"/"+what, map[string]any{"lease": s.lease}, nil)
			var now ranRun
			if !gone {
				gone, refused = s.sendRequest(http.MethodGet, path, nil, &now)
			}
			if gone {
				return told, newest
			}
			if refused == nil { // otherwise it is not saved yet
				told[begun.Run] = &now
				over = now.Phase == robot.RunEnded
			}
		}
	}
}

// sendRequest sends a request to the server. refused is its answer if it refuses; gone means
// that the server was killed meanwhile.
func (s *victim) sendRequest(method, path string, body, into any) (gone bool, refused error) {
	err := s.robot.DoJSON(context.Background(), method, path, body, into)
	if errors.As(err, &client.RefusedError{}) {
		return false, err
	}
	return err != nil, nil
}

// KeeperPart is the child process that saves jobs: a server with a simulated robot, until its
// standard input ends. It prints its address.
func KeeperPart(ctx context.Context, c experiment.Call) error {
	var dir string
	if err := c.Parse(func(f *experiment.Flags) { f.StringVar(&dir, "data", "", "the data `folder`") }); err != nil {
		return err
	}
	desc := testbed.Mybot()
	ln, err := net.Listen("tcp", testbed.Loopback)
	if err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	cfg := testbed.OpenFloor()
	cfg.DataDir = dir
	cfg.Ready = func() { _, _ = fmt.Fprintln(c.Out, ln.Addr()) } // without a reader it ends
	return app.Serve(ctx, ln, sim.NewDriver(sim.NewWorld(desc, nil, sim.DefaultScene(), sim.Options{Seed: 1})), cfg, slog.New(slog.DiscardHandler))
}

package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/jobs"
	"mybot/jobs/rehearsal"
	"mybot/robot"
	"mybot/session"
	"mybot/store"
)

// A cabinet keeps jobs in memory, or fails.
type cabinet struct {
	mu     sync.Mutex
	kept   map[string]jobs.Job
	owners map[string]string
	runs   []jobs.RunRecord
	ready  []jobs.Job // that were prepared
	from   robot.Pose // of the last rehearsal
	refuse error
}

func newCabinet() *cabinet { return &cabinet{kept: map[string]jobs.Job{}, owners: map[string]string{}} }

func (k *cabinet) List() []jobs.Job {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []jobs.Job
	for _, j := range k.kept {
		list = append(list, j)
	}
	slices.SortFunc(list, func(a, b jobs.Job) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func (k *cabinet) Get(id string) (jobs.Job, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	j, ok := k.kept[id]
	return j, ok
}

func (k *cabinet) Save(j jobs.Job, owner string) (jobs.Job, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.refuse != nil:
		return j, k.refuse
	case j.ID == "":
		j.ID = jobs.IDOf(j.Name)
		k.owners[j.ID] = owner
	case k.kept[j.ID].Revision != j.Revision:
		return j, jobs.ErrStale
	}
	j.Revision++
	j.Changed = time.Now().UTC()
	k.kept[j.ID] = j
	return j, nil
}

func (k *cabinet) OwnerOf(id string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.owners[id]
}

func (k *cabinet) Delete(id string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, id)
	return k.refuse
}

func (k *cabinet) Check(j jobs.Job) []jobs.Fault {
	return j.Check(func(name string) (robot.Pose, bool) { return robot.Pose{}, name != "Moon" })
}

func (k *cabinet) Rehearse(_ context.Context, from robot.Pose, j jobs.Job) (jobs.Rehearsal, error) {
	k.from = from
	out := jobs.Rehearsal{Time: 12.34567, Length: 3, Path: []jobs.RehearsedPoint{{T: 0.1, Pose: robot.Pose{X: 1, Y: 2, Theta: 0.5}}}}
	for range j.Steps {
		out.Steps = append(out.Steps, jobs.RehearsedStep{Time: 1, Result: robot.Result{Word: robot.Success}, Way: []robot.Point{{X: 1, Y: 2}}})
	}
	return out, k.refuse
}

func (k *cabinet) Runs() []jobs.RunRecord { return k.runs }

func (k *cabinet) Run(n uint64) (jobs.RunRecord, bool) {
	for _, r := range k.runs {
		if r.Run.Number == n {
			return r, true
		}
	}
	return jobs.RunRecord{}, false
}

func (k *cabinet) Prepare(_ context.Context, _ robot.Pose, j jobs.Job) (uint64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ready = append(k.ready, j)
	return uint64(16 + len(k.ready)), k.refuse
}

func (k *cabinet) PrepareChange(ctx context.Context, _ uint64, from robot.Pose, j jobs.Job) (uint64, error) {
	return k.Prepare(ctx, from, j)
}

func (k *cabinet) Prepared(uint64) (jobs.PreparedRun, bool) { return jobs.PreparedRun{}, false }
func (k *cabinet) Discard(uint64)                           {}
func (k *cabinet) ReplaceSteps(uint64, uint64)              {}

const paperJob = `{"name":"Paper to Jin","steps":[{"type":"MOVE","place":"Sofa"},{"type":"VOICE","text":"Hello!"}]}`

func TestAJobIsKeptChangedAndForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, _, heard, ask := drivenBy(t)
		heard()
		want := func(method, path, body string, status int, say ...string) string {
			t.Helper()
			got := ask(method, path, body)
			answer := text(t, got)
			if got.StatusCode != status {
				t.Fatalf("%s %s is answered %s: %s", method, path, got.Status, answer)
			}
			for _, s := range say {
				if !strings.Contains(answer, s) {
					t.Errorf("%s %s is answered %s, want it to say %s", method, path, answer, s)
				}
			}
			return answer
		}
		want("GET", "/api/v1/jobs", "", 200, `{"jobs":[]}`)
		if got := ask("POST", "/api/v1/jobs", paperJob); got.StatusCode != http.StatusCreated || got.Header.Get("Location") != "/api/v1/jobs/paper-to-jin" {
			t.Errorf("a new job is answered %s at %q", got.Status, got.Header.Get("Location"))
		}
		if news := heard(); !strings.Contains(news, `"kind":"jobs"`) || !strings.Contains(news, `"id":"paper-to-jin","name":"Paper to Jin","steps":2,"revision":1`) {
			t.Errorf("people hear %s", news)
		}
		want("GET", "/api/v1/jobs", "", 200, `"id":"paper-to-jin","name":"Paper to Jin","steps":2,"revision":1`)
		was := want("GET", "/api/v1/jobs/paper-to-jin", "", 200, `"steps":[{"type":"MOVE","place":"Sofa"},{"type":"VOICE","text":"Hello!"}],"revision":1`)
		want("PUT", "/api/v1/jobs/paper-to-jin", strings.Replace(was, "Hello!", "Good day!", 1), 200, "Good day!", `"revision":2`)
		want("PUT", "/api/v1/jobs/paper-to-jin", was, 409, "Someone else has saved this job.")
		want("PUT", "/api/v1/jobs/paper-to-jin", paperJob, 400, "no revision")
		want("PUT", "/api/v1/jobs/paper-to-jin", strings.Replace(was, "paper-to-jin", "other", 1), 400, `"other"`)
		want("PUT", "/api/v1/jobs/other", was, 404, `There is no job "other"`)
		want("POST", "/api/v1/jobs", `{"name":"J","steps":[{"type":"FLY"}]}`, 400, `Step 1: type is "FLY"`)
		want("POST", "/api/v1/jobs", strings.Repeat(" ", maxMapBody+1), 413, "at most 256 KiB")
		d.jobs.refuse = fmt.Errorf("writing: %w", store.ErrFull)
		want("POST", "/api/v1/jobs", paperJob, 507, "disk is full")
		want("DELETE", "/api/v1/jobs/paper-to-jin", "", 507, "disk is full")
		d.jobs.refuse = fmt.Errorf("the moon is full")
		want("POST", "/api/v1/jobs", paperJob, 500, "log says why")
		d.jobs.refuse = nil
		want("POST", "/api/v1/jobs", paperJob, 201)
		heard()
		want("DELETE", "/api/v1/jobs/paper-to-jin", "", 204)
		if news := heard(); !strings.Contains(news, `"kind":"jobs","jobs":[]`) {
			t.Errorf("people hear %s", news)
		}
		want("DELETE", "/api/v1/jobs/paper-to-jin", "", 404)
	})
}

func TestFaultsOfAJobAreToldByStepAndField(t *testing.T) {
	d := newTestServer(t)
	for _, c := range []struct{ body, want string }{
		{paperJob, `{"faults":[]}`},
		{`{"name":"J","steps":[{"type":"MOVE","place":"Moon"},{"type":"WAIT","seconds":1}]}`, `{"faults":[{"step":0,"field":"place","text":"Step 1: there is no place \"Moon\" on the map; choose one that exists, or give a pose."}]}`},
		{`{"name":"J","steps":[{"type":"WAIT"}]}`, `{"faults":[{"step":0,"field":"seconds","text":"Step 1: seconds is 0; it should be 1 to 3600 s."}]}`},
		{`{"name":"J"}`, `{"faults":[{"step":-1,"field":"steps","text":"The job has no steps."}]}`},
	} {
		got := d.ask("POST", "/api/v1/jobs/check", body(c.body))
		if answer := text(t, got); got.StatusCode != http.StatusOK || answer != c.want+"\n" {
			t.Errorf("%s is answered %s: %s", c.body, got.Status, answer)
		}
	}
	if got := d.ask("GET", "/api/v1/job.schema.json"); got.Header.Get("Content-Type") != "application/schema+json" || !json.Valid([]byte(text(t, got))) {
		t.Errorf("the schema is answered %s", got.Status)
	}
}

// body gives a request a body.
func body(text string) func(*http.Request) {
	return func(r *http.Request) {
		next, _ := http.NewRequest(r.Method, r.URL.String(), strings.NewReader(text))
		r.Body, r.ContentLength = next.Body, next.ContentLength
	}
}

func TestAJobIsRehearsedFromWhereTheRobotIs(t *testing.T) {
	d := newTestServer(t)
	d.state.Estimate.Pose = robot.Pose{X: 4, Y: 7}
	const steps = `"steps":[{"type":"MOVE","place":"Sofa"}]`
	const want = `{"time":12.3457,"length":3,"steps":[{"time":1,"length":0,"word":"SUCCESS","reason":"","way":[[1,2]]}],"path":[[0.1,1,2,0.5]]}` + "\n"
	for _, c := range []struct {
		body   string
		status int
		want   string
		from   robot.Pose
	}{
		{`{` + steps + `}`, 200, want, robot.Pose{X: 4, Y: 7}},
		{`{` + steps + `,"name":"J","from":[1,2,3.5]}`, 200, want, robot.Pose{X: 1, Y: 2, Theta: robot.WrapAngle(3.5)}},
		{`{` + steps + `,"from":[1,2]}`, 400, "from has 2 numbers", robot.Pose{}},
		{`{` + steps + `,"from":[1e308,2,0]}`, 400, "from is at 1e+308, 2; it should be in m, at most 100000 either way.", robot.Pose{}},
		{`{` + steps + `,"from":[1,-100001,0]}`, 400, "from is at 1, -100001;", robot.Pose{}},
		{`{"steps":[{"type":"MOVE","place":"Moon"}]}`, 400, "Moon", robot.Pose{}},
		{`{"steps":[{}]}`, 400, "Step 1: it has no type", robot.Pose{}},
		{`{}`, 400, "There are no steps", robot.Pose{}},
		{`{"step":1}`, 400, `The body has a field "step", which is not known; the fields are name, steps, from.`, robot.Pose{}},
	} {
		d.jobs.from = robot.Pose{}
		got := d.ask("POST", "/api/v1/rehearse", body(c.body))
		if answer := text(t, got); got.StatusCode != c.status || !strings.Contains(answer, c.want) {
			t.Errorf("%s is answered %s: %s", c.body, got.Status, answer)
		}
		if d.jobs.from != c.from {
			t.Errorf("%s is rehearsed from %v", c.body, d.jobs.from)
		}
	}
	d.jobs.refuse = robot.Refusal{Word: robot.Error, Reason: "The robot does not know where it is."}
	if got := d.ask("POST", "/api/v1/rehearse", body(`{`+steps+`}`)); got.StatusCode != http.StatusConflict || text(t, got) != "The robot does not know where it is.\n" {
		t.Errorf("a rehearsal that cannot be is answered %s", got.Status)
	}
	d.state = nil
	if got := d.ask("POST", "/api/v1/rehearse", body(`{`+steps+`}`)); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a rehearsal from nowhere is answered %s", got.Status)
	}
}

func TestAJobGoesOutAndComesBackAsAnOrder(t *testing.T) {
	d := newTestServer(t)
	if got := d.ask("POST", "/api/v1/jobs", body(paperJob)); got.StatusCode != http.StatusCreated {
		t.Fatal(got.Status)
	}
	got := d.ask("GET", "/api/v1/jobs/paper-to-jin/vda5050")
	order := text(t, got)
	if got.StatusCode != http.StatusOK || got.Header.Get("Content-Disposition") != `attachment; filename="paper-to-jin.vda5050.json"` || !strings.Contains(order, `"orderId": "paper-to-jin"`) {
		t.Fatalf("the order is answered %s: %s", got.Status, order)
	}
	if got := d.ask("POST", "/api/v1/jobs/vda5050", body(strings.Replace(order, "Paper to Jin", "Again", 1))); got.StatusCode != http.StatusCreated || !strings.Contains(text(t, got), `"id":"again"`) {
		t.Errorf("the order is answered %s", got.Status)
	}
	if j := d.jobs.kept["again"]; !slices.Equal(j.Steps, d.jobs.kept["paper-to-jin"].Steps) {
		t.Errorf("it came back as %+v", j)
	}
	if got := d.ask("POST", "/api/v1/jobs/vda5050", body(strings.Replace(order, `"3.0.0"`, `"1.1.0"`, 1))); got.StatusCode != http.StatusBadRequest || !strings.Contains(text(t, got), "it should be 2.1.0 or 3.0.0") {
		t.Errorf("an old order is answered %s", got.Status)
	}
	older := text(t, d.ask("GET", "/api/v1/jobs/paper-to-jin/vda5050?version=2.1"))
	if got := d.ask("POST", "/api/v1/jobs/vda5050", body(older)); got.StatusCode != http.StatusCreated || !strings.Contains(older, `"startNodeId": "start"`) {
		t.Errorf("an order of version 2.1 is answered %s: %s", got.Status, text(t, got))
	}
	if got := d.ask("GET", "/api/v1/jobs/paper-to-jin/vda5050?version=9"); got.StatusCode != http.StatusBadRequest || !strings.Contains(text(t, got), `version is "9"; it should be 2.1 or 3.0.`) {
		t.Errorf("version 9 is answered %s", got.Status)
	}
	if got := d.ask("POST", "/api/v1/jobs", body(strings.ReplaceAll(paperJob, "Sofa", "Atlantis"))); got.StatusCode != http.StatusCreated {
		t.Fatal(got.Status)
	}
	if got := d.ask("GET", "/api/v1/jobs/paper-to-jin/vda5050"); got.StatusCode != http.StatusConflict || !strings.Contains(text(t, got), "Atlantis") {
		t.Errorf("an order to nowhere is answered %s", got.Status)
	}
}

func TestRunsAreTold(t *testing.T) {
	d := newTestServer(t)
	began := time.Date(2026, 11, 20, 14, 21, 0, 0, time.UTC)
	d.jobs.runs = []jobs.RunRecord{{
		PreparedRun: jobs.PreparedRun{Job: jobs.Job{Steps: []jobs.Step{{Type: jobs.Wait, Seconds: 1}}}},
		Run: robot.Run{
			Number: 17, Job: "a", Name: "A", Phase: robot.RunEnded, Result: robot.Result{Word: robot.Success}, Step: 1, Began: began, Ended: began.Add(time.Second),
			Steps: []robot.StepRun{{State: robot.StepFinished, Began: began, Ended: began.Add(time.Second), Tries: 1}},
			Log:   []robot.Transition{{At: began, Step: -1, From: "", To: "running"}},
		},
	}}
	if got := text(t, d.ask("GET", "/api/v1/runs")); got != `{"runs":[{"n":17,"job":"a","name":"A","phase":"ended","step":1,"steps":1,"began":"2026-11-20T14:21:00Z","ended":"2026-11-20T14:21:01Z","word":"SUCCESS","reason":""}]}`+"\n" {
		t.Errorf("the runs are %s", got)
	}
	got := text(t, d.ask("GET", "/api/v1/runs/17"))
	for _, want := range []string{`"n":17`, `"steps":[{"type":"WAIT","seconds":1,"state":"FINISHED"`, `"log":[{"at":"2026-11-20T14:21:00Z","step":-1,"from":"","to":"running","word":"","reason":""}]`} {
		if !strings.Contains(got, want) {
			t.Errorf("the run is %s, want it to say %s", got, want)
		}
	}
	for _, n := range []string{"18", "x", "-1"} {
		if got := d.ask("GET", "/api/v1/runs/"+n); got.StatusCode != http.StatusNotFound {
			t.Errorf("run %s is answered %s", n, got.Status)
		}
	}
}

func TestTheHolderRunsAndSteersAJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, lease, _, ask := drivenBy(t)
		if got := ask("POST", "/api/v1/jobs", paperJob); got.StatusCode != http.StatusCreated {
			t.Fatal(got.Status)
		}
		d.robot.did = nil
		for _, c := range []struct {
			body   string
			status int
			want   string
		}{
			{`{"lease":%d,"job":"paper-to-jin"}`, 201, `{"reason":"","run":17,"word":"SUCCESS"}`},
			{`{"lease":%d,"name":"Wait","steps":[{"type":"WAIT","seconds":1}]}`, 201, `"run":18`},
			{`{"lease":%d,"steps":[{"type":"WAIT","seconds":1}]}`, 201, `"run":19`},
			{`{"lease":%d}`, 400, "names no job"},
			{`{"lease":%d,"job":"other"}`, 404, `"other"`},
			{`{"lease":%d,"steps":[{"type":"MOVE","place":"Moon"}]}`, 400, "Moon"},
			{`{"lease":%d,"steps":[]}`, 400, "0 steps"},
		} {
			got := ask("POST", "/api/v1/runs", fmt.Sprintf(c.body, lease))
			if answer := text(t, got); got.StatusCode != c.status || !strings.Contains(answer, c.want) {
				t.Errorf("%s is answered %s: %s", c.body, got.Status, answer)
			}
			if c.status == 201 && got.Header.Get("Location") == "" {
				t.Errorf("%s has no location", c.body)
			}
		}
		if got := ask("POST", "/api/v1/runs", fmt.Sprintf(`{"lease":%d,"job":"paper-to-jin"}`, lease+1)); got.StatusCode != http.StatusConflict {
			t.Errorf("a run with another lease is answered %s", got.Status)
		}
		d.jobs.refuse = fmt.Errorf("The job is not run. The robot's disk is full: %w", store.ErrFull)
		if got := ask("POST", "/api/v1/runs", fmt.Sprintf(`{"lease":%d,"job":"paper-to-jin"}`, lease)); got.StatusCode != http.StatusInsufficientStorage || !strings.Contains(text(t, got), "The job is not run. The robot's disk is full") {
			t.Errorf("a run that the disk has no room for is answered %s", got.Status)
		}
		d.jobs.refuse, d.jobs.ready = nil, d.jobs.ready[:3]
		if len(d.jobs.ready) != 3 || d.jobs.ready[0].ID != "paper-to-jin" || d.jobs.ready[1].Name != "Wait" {
			t.Errorf("made ready were %+v", d.jobs.ready)
		}
		for _, shown := range []*robot.Run{nil, {Number: 16, Phase: robot.RunEnded}, {Number: 16, Phase: robot.RunRunning}} {
			d.state.Run, d.robot.did = shown, nil
			d.jobs.runs = []jobs.RunRecord{{Run: robot.Run{Number: 17, Phase: robot.RunRunning}}, {Run: robot.Run{Number: 15, Phase: robot.RunEnded}}}
			begins := shown == nil || shown.Phase == robot.RunEnded // 17 can have begun
			if got := ask("POST", "/api/v1/runs/17/pause", fmt.Sprintf(`{"lease":%d}`, lease)); (got.StatusCode == http.StatusOK) != begins || slices.Contains(d.robot.did, "robot.PauseRun") != begins {
				t.Errorf("while the newest state has %+v, the pause of a run that has just begun is answered %s", shown, got.Status)
			}
			for _, n := range []int{15, 18} {
				if got := ask("POST", fmt.Sprintf("/api/v1/runs/%d/pause", n), fmt.Sprintf(`{"lease":%d}`, lease)); got.StatusCode != http.StatusConflict {
					t.Errorf("while the newest state has %+v, the pause of run %d is answered %s", shown, n, got.Status)
				}
			}
		}
		d.state.Run = &robot.Run{Number: 17, Phase: robot.RunRunning, Steps: make([]robot.StepRun, 2)}
		d.hub.Publish(*d.state)
		synctest.Wait()
		for action, want := range map[string]string{
			"pause": "robot.PauseRun", "resume": "robot.ResumeRun", "skip": "robot.SkipStep", "retry": "robot.RetryStep", "end": "robot.EndRun", "ok": "robot.OK",
		} {
			d.robot.did = nil
			got := ask("POST", "/api/v1/runs/17/"+action, fmt.Sprintf(`{"lease":%d}`, lease))
			if got.StatusCode != http.StatusOK || !slices.Contains(d.robot.did, want) {
				t.Errorf("%s is answered %s: %s; the robot did %v", action, got.Status, text(t, got), d.robot.did)
			}
			if got := ask("POST", "/api/v1/runs/16/"+action, fmt.Sprintf(`{"lease":%d}`, lease)); got.StatusCode != http.StatusConflict || !strings.Contains(text(t, got), "Run 16 is not under way.") {
				t.Errorf("%s of an old run is answered %s", action, got.Status)
			}
			if got := ask("POST", "/api/v1/runs/17/"+action, fmt.Sprintf(`{"lease":%d}`, lease+1)); got.StatusCode != http.StatusConflict {
				t.Errorf("%s with another lease is answered %s", action, got.Status)
			}
			if got := ask("POST", "/api/v1/runs/x/"+action, `{}`); got.StatusCode != http.StatusNotFound {
				t.Errorf("%s of no run is answered %s", action, got.Status)
			}
		}
		for _, c := range []struct {
			action, named string
			status        int
			want          robot.Command
		}{
			{"skip", `"step":1`, 200, robot.SkipStep{Reason: "Skipped by Ana.", Nth: 2}},
			{"retry", `"step":0`, 200, robot.RetryStep{Nth: 1}},
			{"ok", `"message":17000002`, 200, robot.OK{By: "Ana", Message: 17000002}},
			{"skip", `"step":-1`, 400, nil},
			{"skip", `"message":1`, 400, nil},
			{"pause", `"step":1`, 400, nil},
			{"ok", `"step":1`, 400, nil},
		} {
			time.Sleep(time.Second) // in the bubble's time: no one plans too many paths
			d.robot.last = nil
			got := ask("POST", "/api/v1/runs/17/"+c.action, fmt.Sprintf(`{"lease":%d,%s}`, lease, c.named))
			if got.StatusCode != c.status || d.robot.last != c.want {
				t.Errorf("%s of %s is answered %s: %s; the robot heard %+v", c.action, c.named, got.Status, text(t, got), d.robot.last)
			}
		}
	})
}

func TestARobotWithoutAKeeperRunsNoJobs(t *testing.T) {
	d := newTestServer(t, func(c *Config) { c.Jobs = nil })
	for _, path := range []string{"/api/v1/jobs", "/api/v1/jobs/a", "/api/v1/runs"} {
		if got := d.ask("GET", path); got.StatusCode != http.StatusNotFound || text(t, got) != "This robot cannot run jobs.\n" {
			t.Errorf("%s is answered %s", path, got.Status)
		}
	}
}

func TestTheRobotIsTold(t *testing.T) {
	d := newTestServer(t)
	got := text(t, d.ask("GET", "/api/v1/robot"))
	for _, want := range []string{`"name":"Mybot"`, `"sonars":[[`, `"hardware":[2.09,3.1416,0.52,1.5708]`, `"head":{"pan":[`, `"camera":{"at":[`} {
		if !strings.Contains(got, want) {
			t.Errorf("the robot is %s, want it to say %s", got, want)
		}
	}
	d = newTestServer(t, func(c *Config) { c.Description.Head = nil })
	if got := text(t, d.ask("GET", "/api/v1/robot")); !strings.Contains(got, `"head":null`) {
		t.Errorf("a robot without a head is %s", got)
	}
}

func TestAJobIsDeletedByItsMakerOrAnAdminAlone(t *testing.T) {
	d := newTestServer(t, func(c *Config) { c.Hosts = []string{"robot.local"} })
	maker, other, admin := d.paired(t, session.Operator), d.paired(t, session.Operator), d.paired(t, session.Admin)
	from := func(token string) []func(*http.Request) {
		return []func(*http.Request){host("robot.local"), with("Authorization", "Bearer "+token), func(r *http.Request) { r.RemoteAddr = "192.168.1.50:40000" }}
	}
	for _, tc := range []struct {
		what string
		by   []func(*http.Request)
		want int
	}{
		{"another operator", from(other), http.StatusForbidden},
		{"its maker", from(maker), http.StatusNoContent},
		{"an admin", from(admin), http.StatusNoContent},
		{"somebody at the robot's own computer", nil, http.StatusNoContent},
	} {
		made := append(from(maker), func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(paperJob)) })
		if got := d.ask("POST", "/api/v1/jobs", made...); got.StatusCode != http.StatusCreated {
			t.Fatalf("a job is answered %s: %s", got.Status, text(t, got))
		}
		if got := d.ask("DELETE", "/api/v1/jobs/paper-to-jin", tc.by...); got.StatusCode != tc.want {
			t.Errorf("%s who deletes a job is answered %s, want %d", tc.what, got.Status, tc.want)
		}
	}
}

// A slowCabinet rehearses jobs and tries scripts until end is closed.
type slowCabinet struct {
	*cabinet
	end chan struct{}
}

func (k slowCabinet) wait(ctx context.Context) error {
	select {
	case <-k.end:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k slowCabinet) Rehearse(ctx context.Context, _ robot.Pose, _ jobs.Job) (jobs.Rehearsal, error) {
	return jobs.Rehearsal{}, k.wait(ctx)
}

func (k slowCabinet) TryScript(ctx context.Context, _ rehearsal.ScriptTrial) (rehearsal.Trial, error) {
	return rehearsal.Trial{}, k.wait(ctx)
}

// TestTwoDevicesKeepNoThirdFromRehearsing has them rehearse jobs, and then try scripts, more
// and more.
func TestTwoDevicesKeepNoThirdFromRehearsing(t *testing.T) {
	for _, c := range []struct{ path, sent, of string }{
		{rehearsePath, `{"steps":[{"type":"WAIT","seconds":1}]}`, "rehearsals"},
		{scriptsTryPath, `{"text":"1"}`, "trials of scripts"},
	} {
		t.Run(c.of, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := slowCabinet{newCabinet(), make(chan struct{})}
				d := newTestServer(t, withStage(t, &stage{}, &scriptShelf{}), func(c *Config) { c.Jobs, c.Scripts.Trials = k, k })
				var slow sync.WaitGroup
				hold := func(from func(*http.Request)) {
					slow.Go(func() {
						if got := d.ask("POST", c.path, body(c.sent), from); got.StatusCode != http.StatusOK {
							t.Errorf("one is answered %s: %s", got.Status, text(t, got))
						}
					})
					synctest.Wait()
				}
				refused := func(from func(*http.Request), status int, why string) {
					t.Helper()
					got := d.ask("POST", c.path, body(c.sent), from)
					if says := text(t, got); got.StatusCode != status || got.Header.Get("Retry-After") != "1" || !strings.Contains(says, why) {
						t.Errorf("one more is answered %s: %s, want %d: %s", got.Status, says, status, why)
					}
				}
				for _, want := range []int{2, 1, 1} {
					device := as(d.paired(t, session.Operator))
					for range want {
						hold(device)
					}
					refused(device, http.StatusTooManyRequests, fmt.Sprintf("This device has %d %s already", want, c.of))
				}
				last := as(d.paired(t, session.Operator))
				refused(last, http.StatusServiceUnavailable, fmt.Sprintf("There are 4 %s already", c.of))
				close(k.end)
				slow.Wait()
				hold(last)
				slow.Wait()
			})
		})
	}
}

package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"mybot/jobs"
	"mybot/jobs/vda5050"
	"mybot/robot"
	"mybot/session"
	"mybot/session/protocol"
	"mybot/store"
)

// Jobs stores jobs and their runs: jobs/library. Any goroutine may call it. An
// error may be jobs.ErrStale; one that is store.ErrFull or a robot.Refusal is a
// sentence for the caller of the URL.
type Jobs interface {
	List() []jobs.Job // by name; read-only
	Get(id string) (jobs.Job, bool)
	// Save saves the job: a new one if it has no id, otherwise in place of the one
	// with its id and revision. It returns the job as saved. A new job belongs to
	// the owner, as returned by session.Owner.
	Save(job jobs.Job, owner string) (jobs.Job, error)
	OwnerOf(id string) string // "" = unknown
	Delete(id string) error
	Check(job jobs.Job) []jobs.Fault // with places looked up on the map
	// Rehearse runs the job on a simulated robot that stands at from, in map.
	Rehearse(ctx context.Context, from robot.Pose, job jobs.Job) (jobs.Rehearsal, error)
	Runs() []jobs.RunRecord // the last ones, newest first
	Run(n uint64) (jobs.RunRecord, bool)
}

const (
	jobsPath     = "/api/v1/jobs"
	checkPath    = jobsPath + "/check"
	orderPath    = jobsPath + "/vda5050"
	rehearsePath = "/api/v1/rehearse"
	runsPath     = "/api/v1/runs"
)

const (
	readyWithin   = time.Minute // for rehearsing or preparing a job
	maxRehearsals = 4           // requested at a time, besides runs in preparation
)

// manufacturer is the manufacturer in orders of VDA 5050.
const manufacturer = "Mybot"

// withJobs refuses requests if the robot has no job library.
func (h *Handler) withJobs(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if h.cfg.Jobs == nil {
			writeSentence(w, http.StatusNotFound, "This robot cannot run jobs.")
			return
		}
		serve(w, r)
	}
}

// serveJobs lists the saved jobs.
func (h *Handler) serveJobs(w http.ResponseWriter, _ *http.Request) {
	h.writeJSON(w, http.StatusOK, map[string]any{"jobs": protocol.JobsOf(h.cfg.Jobs.List())})
}

// serveJob answers with a saved job.
func (h *Handler) serveJob(w http.ResponseWriter, r *http.Request) {
	if job, ok := h.savedJob(w, r); ok {
		h.writeJSON(w, http.StatusOK, job)
	}
}

// savedJob returns the job that the address names.
func (h *Handler) savedJob(w http.ResponseWriter, r *http.Request) (jobs.Job, bool) {
	id := pathParam(r, "id")
	job, ok := h.cfg.Jobs.Get(id)
	if !ok {
		noJob(w, id)
	}
	return job, ok
}

func noJob(w http.ResponseWriter, id string) {
	writeSentence(w, http.StatusNotFound, fmt.Sprintf("There is no job %q; %s lists the jobs.", clipText(id), jobsPath))
}

// pathParam returns an unescaped parameter of the path.
func pathParam(r *http.Request, name string) string {
	raw := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return raw
	}
	if s, err := url.PathUnescape(raw); err == nil {
		return s
	}
	return raw
}

// serveNewJob saves a new job.
func (h *Handler) serveNewJob(w http.ResponseWriter, r *http.Request) {
	if job, ok := readJob(w, r); ok {
		h.saveJob(w, r, jobs.Job{Name: job.Name, Steps: job.Steps}, http.StatusCreated)
	}
}

// serveSaveJob saves a new version of a job.
func (h *Handler) serveSaveJob(w http.ResponseWriter, r *http.Request) {
	was, ok := h.savedJob(w, r)
	if !ok {
		return
	}
	job, ok := readJob(w, r)
	switch {
	case !ok:
		return
	case job.ID != "" && job.ID != was.ID:
		writeSentence(w, http.StatusBadRequest, fmt.Sprintf("The id of the job is %q, but the address says %q.", job.ID, was.ID))
		return
	case job.Revision == 0:
		writeSentence(w, http.StatusBadRequest, "The job has no revision; it should have the one that it was read with.")
		return
	}
	job.ID = was.ID
	h.saveJob(w, r, job, http.StatusOK)
}

// readJob reads a job strictly.
func readJob(w http.ResponseWriter, r *http.Request) (jobs.Job, bool) {
	data, ok := readBody(w, r)
	if !ok {
		return jobs.Job{}, false
	}
	job, err := jobs.Parse(data)
	if err != nil {
		writeSentence(w, http.StatusBadRequest, err.Error())
		return jobs.Job{}, false
	}
	return job, true
}

func (h *Handler) saveJob(w http.ResponseWriter, r *http.Request, job jobs.Job, status int) {
	saved, err := h.cfg.Jobs.Save(job, session.Owner(callerOf(r).Grant))
	if err != nil {
		h.writeJobError(w, "the job cannot be saved", err)
		return
	}
	h.cfg.Hub.JobsChanged()
	w.Header().Set("Location", jobsPath+"/"+saved.ID)
	h.writeJSON(w, status, saved)
}

// acceptJob reports whether a job has no faults, and otherwise answers with them.
func (h *Handler) acceptJob(w http.ResponseWriter, job jobs.Job) bool {
	faults := jobs.Faults(h.cfg.Jobs.Check(job))
	if len(faults) > 0 {
		writeSentence(w, http.StatusBadRequest, faults.Error())
	}
	return len(faults) == 0
}

// writeJobError answers with what went wrong with a job.
func (h *Handler) writeJobError(w http.ResponseWriter, what string, err error) {
	refusal := robot.Refusal{}
	switch {
	case errors.Is(err, jobs.ErrStale):
		writeSentence(w, http.StatusConflict, "Someone else has saved this job. Open it again, then make your change.")
	case errors.Is(err, store.ErrFull):
		writeSentence(w, http.StatusInsufficientStorage, err.Error())
	case errors.As(err, &refusal):
		writeSentence(w, http.StatusConflict, refusal.Reason)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		writeSentence(w, http.StatusServiceUnavailable, fmt.Sprintf("It takes longer than %.0f s, or the client hung up.", readyWithin.Seconds()))
	default:
		h.cfg.Log.Error(what, "error", err)
		writeSentence(w, http.StatusInternalServerError, "It cannot be done. The robot's log says why.")
	}
}

func (h *Handler) serveDeleteJob(w http.ResponseWriter, r *http.Request) {
	job, ok := h.savedJob(w, r)
	if !ok {
		return
	}
	c := callerOf(r)
	if !session.MayDelete(c.Role, c.Grant, h.cfg.Jobs.OwnerOf(job.ID)) {
		writeSentence(w, http.StatusForbidden, "Only the person who made this job and admins may delete it.")
		return
	}
	if err := h.cfg.Jobs.Delete(job.ID); err != nil {
		h.writeJobError(w, "the job cannot be deleted", err)
		return
	}
	h.cfg.Hub.JobsChanged()
	h.recordAs("settings", c.deviceName(), fmt.Sprintf("The job %q was deleted.", job.ID))
	w.WriteHeader(http.StatusNoContent)
}

// serveCheck answers with the faults of a job.
func (h *Handler) serveCheck(w http.ResponseWriter, r *http.Request) {
	data, ok := readBody(w, r)
	if !ok {
		return
	}
	job, err := jobs.Parse(data)
	faults := jobs.Faults{}
	if err == nil {
		faults = append(faults, h.cfg.Jobs.Check(job)...)
	} else if !errors.As(err, &faults) {
		writeSentence(w, http.StatusBadRequest, err.Error())
		return
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"faults": faults})
}

// serveSchema answers with the JSON schema of a job.
func serveSchema(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/schema+json")
	_, _ = w.Write(jobs.Schema()) // the caller may be gone
}

// serveRehearse rehearses a job on a virtual robot.
func (h *Handler) serveRehearse(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Name  string          `json:"name"`
		Steps json.RawMessage `json:"steps"`
		From  []float64       `json:"from"`
	}
	if err := readJSON(r, &ask); err != nil {
		writeBodyFault(w, err)
		return
	}
	job, err := jobOf(ask.Name, ask.Steps)
	if err != nil {
		writeSentence(w, http.StatusBadRequest, err.Error())
		return
	}
	state, ok := h.cfg.State()
	from := state.Estimate.Pose
	switch {
	case ask.From != nil && len(ask.From) != 3:
		writeSentence(w, http.StatusBadRequest, fmt.Sprintf("from has %d numbers; it should be a pose [x, y, theta], in m and rad.", len(ask.From)))
		return
	case ask.From != nil && max(math.Abs(ask.From[0]), math.Abs(ask.From[1])) > jobs.MaxCoordinate:
		writeSentence(w, http.StatusBadRequest, fmt.Sprintf("from is at %g, %g; it should be in m, at most 100000 either way.", ask.From[0], ask.From[1]))
		return
	case ask.From != nil:
		from = robot.Pose{X: ask.From[0], Y: ask.From[1], Theta: robot.WrapAngle(ask.From[2])}
	case !ok:
		writeSentence(w, http.StatusServiceUnavailable, "The robot has not reported its state yet.")
		return
	}
	if !h.acceptJob(w, job) {
		return
	}
	leave, ok := h.quotas.rehearsals.takeFor(w, r, 1) // so that the person in control does not wait behind many others
	if !ok {
		return
	}
	defer leave()
	ctx, cancel := withJobTimeout(w, r)
	defer cancel()
	rehearsal, err := h.cfg.Jobs.Rehearse(ctx, from, job)
	if err != nil {
		h.writeJobError(w, "the job cannot be rehearsed", err)
		return
	}
	h.writeJSON(w, http.StatusOK, rehearsalOf(rehearsal))
}

// withJobTimeout extends the time-out of an answer to that of preparing a job.
func withJobTimeout(w http.ResponseWriter, r *http.Request) (context.Context, context.CancelFunc) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(readyWithin + time.Second)) // a writer without deadlines needs none
	return context.WithTimeout(r.Context(), readyWithin)
}

// jobOf parses a job that need not have a name.
func jobOf(name string, steps json.RawMessage) (jobs.Job, error) {
	job := jobs.Job{Name: name}
	if strings.TrimSpace(name) == "" {
		job.Name = "Job"
	}
	if steps == nil {
		return job, jobs.Faults{{Step: -1, Field: "steps", Text: "There are no steps; steps should be a list of 1 to 100."}}
	}
	var err error
	job.Steps, err = jobs.ParseSteps(steps)
	return job, err
}

// A rehearsed is the wire form of a jobs.Rehearsal.
type rehearsed struct {
	Time   float64         `json:"time"`   // s
	Length float64         `json:"length"` // m
	Steps  []rehearsedStep `json:"steps"`
	Path   [][4]float64    `json:"path"` // t, x, y, theta
}

type rehearsedStep struct {
	Time   float64      `json:"time"`   // s
	Length float64      `json:"length"` // m
	Word   robot.Word   `json:"word"`
	Reason string       `json:"reason"`
	Way    [][2]float64 `json:"way"` // m
}

func rehearsalOf(r jobs.Rehearsal) rehearsed {
	out := rehearsed{roundToPage(r.Time), roundToPage(r.Length), make([]rehearsedStep, len(r.Steps)), pathOnPage(r.Path)}
	for i, s := range r.Steps {
		out.Steps[i] = rehearsedStep{roundToPage(s.Time), roundToPage(s.Length), s.Result.Word, s.Result.Reason, make([][2]float64, len(s.Way))}
		for k, p := range s.Way {
			out.Steps[i].Way[k] = [2]float64{roundToPage(p.X), roundToPage(p.Y)}
		}
	}
	return out
}

// pathOnPage returns the path of a virtual robot as t, x, y, theta.
func pathOnPage(path []jobs.RehearsedPoint) [][4]float64 {
	out := make([][4]float64, len(path))
	for i, p := range path {
		out[i] = [4]float64{roundToPage(p.T), roundToPage(p.Pose.X), roundToPage(p.Pose.Y), roundToPage(p.Pose.Theta)}
	}
	return out
}

// roundToPage rounds to the digits that pages need, as in the other answers.
func roundToPage(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// serveOrder answers with a job as an order of VDA 5050.
func (h *Handler) serveOrder(w http.ResponseWriter, r *http.Request) {
	job, ok := h.savedJob(w, r)
	if !ok {
		return
	}
	write := vda5050.Write
	switch version := r.URL.Query().Get("version"); version {
	case "", "3.0":
	case "2.1":
		write = vda5050.Write21
	default:
		writeSentence(w, http.StatusBadRequest, fmt.Sprintf("version is %q; it should be 2.1 or 3.0.", clipText(version)))
		return
	}
	order, err := write(job, h.vdaRobot(), time.Now(), h.poseOfPlace)
	if err != nil {
		writeSentence(w, http.StatusConflict, "The job cannot be written as an order: "+strings.TrimPrefix(err.Error(), "vda5050: ")+".")
		return
	}
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.vda5050.json"`, job.ID))
	sendJSON(w, http.StatusOK, order)
}

// serveNewOrder saves an order of VDA 5050 as a new job.
func (h *Handler) serveNewOrder(w http.ResponseWriter, r *http.Request) {
	data, ok := readBody(w, r)
	if !ok {
		return
	}
	job, err := vda5050.Read(data, h.vdaRobot(), h.poseOfPlace)
	if err != nil {
		writeSentence(w, http.StatusBadRequest, err.Error())
		return
	}
	h.saveJob(w, r, job, http.StatusCreated)
}

// vdaRobot identifies this robot to a fleet controller.
func (h *Handler) vdaRobot() vda5050.Robot {
	return vda5050.Robot{Manufacturer: manufacturer, SerialNumber: h.cfg.Description.Name, Map: h.cfg.floorplan().Name}
}

// poseOfPlace finds a place on the map.
func (h *Handler) poseOfPlace(name string) (robot.Pose, bool) {
	return h.cfg.floorplan().Place(name)
}

// A runEntry is a run in the list of runs.
type runEntry struct {
	N      uint64         `json:"n"`
	Job    string         `json:"job"`
	Name   string         `json:"name"`
	Phase  robot.RunPhase `json:"phase"`
	Step   int            `json:"step"`
	Steps  int            `json:"steps"`
	Began  time.Time      `json:"began"`
	Ended  *time.Time     `json:"ended"` // null = not yet
	Word   robot.Word     `json:"word"`
	Reason string         `json:"reason"`
}

// serveRuns lists the last runs.
func (h *Handler) serveRuns(w http.ResponseWriter, _ *http.Request) {
	list := []runEntry{}
	for _, record := range h.cfg.Jobs.Runs() {
		r := record.Run
		e := runEntry{N: r.Number, Job: r.Job, Name: r.Name, Phase: r.Phase, Step: r.Step, Steps: len(r.Steps), Began: r.Began.UTC(), Word: r.Result.Word, Reason: r.Result.Reason}
		if !r.Ended.IsZero() {
			ended := r.Ended.UTC()
			e.Ended = &ended
		}
		list = append(list, e)
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"runs": list})
}

// A transition is the wire form of one change of a run.
type transition struct {
	At     time.Time  `json:"at"`
	Step   int        `json:"step"` // index; -1 = of the run itself
	From   string     `json:"from"`
	To     string     `json:"to"`
	Word   robot.Word `json:"word"`
	Reason string     `json:"reason"`
}

// serveRun answers with the complete record of a run.
func (h *Handler) serveRun(w http.ResponseWriter, r *http.Request) {
	n, ok := runNumber(w, r)
	if !ok {
		return
	}
	record, ok := h.cfg.Jobs.Run(n)
	if !ok {
		noRun(w, pathParam(r, "n"))
		return
	}
	out := struct {
		protocol.Run
		Log []transition `json:"log"`
	}{session.RunOf(record), []transition{}}
	for _, t := range record.Run.Log {
		out.Log = append(out.Log, transition{t.At.UTC(), t.Step, t.From, t.To, t.Word, t.Reason})
	}
	h.writeJSON(w, http.StatusOK, out)
}

func runNumber(w http.ResponseWriter, r *http.Request) (uint64, bool) {
	n, err := strconv.ParseUint(pathParam(r, "n"), 10, 64)
	if err != nil {
		noRun(w, pathParam(r, "n"))
	}
	return n, err == nil
}

func noRun(w http.ResponseWriter, n string) {
	writeSentence(w, http.StatusNotFound, fmt.Sprintf("There is no run %q; %s lists the latest.", clipText(n), runsPath))
}

// serveNewRun begins a run for the holder: of a saved job, of a saved job with the
// given steps, or of steps alone.
func (h *Handler) serveNewRun(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Lease uint64          `json:"lease"`
		Job   string          `json:"job"`
		Name  string          `json:"name"`
		Steps json.RawMessage `json:"steps"`
	}
	if err := readJSON(r, &ask); err != nil {
		writeBodyFault(w, err)
		return
	}
	var job jobs.Job
	switch {
	case ask.Steps != nil:
		var err error
		if job, err = jobOf(ask.Name, ask.Steps); err != nil {
			writeSentence(w, http.StatusBadRequest, err.Error())
			return
		}
		job.ID = ask.Job
	case ask.Job == "":
		writeSentence(w, http.StatusBadRequest, "The body names no job; it should have job, the id of one, or name and steps.")
		return
	default:
		var ok bool
		if job, ok = h.cfg.Jobs.Get(ask.Job); !ok {
			noJob(w, ask.Job)
			return
		}
	}
	if !h.acceptJob(w, job) {
		return
	}
	ctx, cancel := withJobTimeout(w, r)
	defer cancel()
	run, err := h.cfg.Hub.RunJob(ctx, callerOf(r).Identity, ask.Lease, job)
	switch no := (robot.Refusal{}); {
	case errors.As(err, &no):
		h.writeResult(w, robot.Result(no))
	case err != nil:
		h.writeJobError(w, "the job cannot be run", err)
	default:
		w.Header().Set("Location", fmt.Sprintf("%s/%d", runsPath, run))
		h.writeJSON(w, http.StatusCreated, map[string]any{"run": run, "word": robot.Success, "reason": ""})
	}
}

// A steering is what a body requests about a run.
type steering struct {
	Lease   uint64  `json:"lease"`
	Step    *uint32 `json:"step"`    // for skip and retry: the index of the intended step; nil = the current one
	Message *uint64 `json:"message"` // for ok: the message that is answered; nil = the one on display
}

// commandOf returns the command with the parameters of the body.
func (s steering) commandOf(cmd robot.Command) (robot.Command, error) {
	nth := 0
	if s.Step != nil {
		nth = int(*s.Step) + 1
	}
	switch c := cmd.(type) {
	case robot.SkipStep:
		s.Step, cmd = nil, robot.SkipStep{Nth: nth}
	case robot.RetryStep:
		s.Step, cmd = nil, robot.RetryStep{Nth: nth}
	case robot.OK:
		if s.Message != nil {
			c.Message = *s.Message
		}
		s.Message, cmd = nil, c
	}
	switch {
	case s.Step != nil:
		return nil, errors.New("step belongs only to skip and retry; it should be left out")
	case s.Message != nil:
		return nil, errors.New("message belongs only to ok; it should be left out")
	}
	return cmd, nil
}

// isUnderWay reports whether a run is under way. The newest state may be older than a
// run that has just begun; then the library knows it, and the hub decides.
func (h *Handler) isUnderWay(n uint64) bool {
	s, _ := h.cfg.State()
	if s.Run != nil && (s.Run.Number >= n || s.Run.Phase != robot.RunEnded) {
		return s.Run.Number == n && s.Run.Phase != robot.RunEnded
	}
	if h.cfg.Jobs == nil {
		return false
	}
	record, ok := h.cfg.Jobs.Run(n)
	return ok && record.Run.Phase != robot.RunEnded
}

// serveSteering passes the holder's command about the current run to the hub.
func (h *Handler) serveSteering(cmd robot.Command) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, ok := runNumber(w, r)
		if !ok {
			return
		}
		var ask steering
		err := readJSON(r, &ask)
		cmd := cmd
		if err == nil {
			cmd, err = ask.commandOf(cmd)
		}
		if err != nil {
			writeBodyFault(w, err)
			return
		}
		if !h.isUnderWay(n) {
			h.writeResult(w, robot.Result{Word: robot.Error, Reason: fmt.Sprintf("Run %d is not under way.", n)})
			return
		}
		h.writeResult(w, h.cfg.Hub.Command(r.Context(), callerOf(r).Identity, session.Order{Lease: ask.Lease, Command: cmd}))
	}
}

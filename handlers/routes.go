package handlers

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"mybot/media"
	"mybot/ratelimit"
	"mybot/recording"
	"mybot/robot"
	"mybot/session"
	"mybot/static"
	"mybot/web"
)

// New returns the handler. The error says which part of the page cannot be built.
func New(cfg Config) (*Handler, error) {
	h := &Handler{
		cfg: cfg, router: chi.NewRouter(),
		clock:   newClock(cfg.Began),
		pace:    rateLimiter{buckets: map[payer]ratelimit.Bucket{}},
		sockets: sockets{limits: cfg.Limits.orUsual()},
		screens: make(chan struct{}, maxScreens),
		closing: make(chan struct{}),
		turn:    make(turn, 1),
	}
	h.quotas.recordings = quota{of: "recordings", max: recording.MaxRecordings}
	h.quotas.uploads = quota{of: "uploads of motions", max: maxUploads, each: maxUploadsOf}
	h.quotas.screens = quota{of: "screens", max: maxScreens}
	h.quotas.rehearsals = quota{of: "rehearsals", max: maxRehearsals}
	h.quotas.channels = quota{of: "data channels", max: media.MaxChannels - 1}
	h.quotas.driver = quota{max: 1}
	h.quotas.trials = quota{of: "trials of scripts", max: maxTrials}
	if h.cfg.CookieKey == nil {
		h.cfg.CookieKey = make([]byte, cookieBytes)
		_, _ = rand.Read(h.cfg.CookieKey) // never fails
	}
	if cfg.Listen != nil {
		h.own = addressOf(cfg.Listen.String())
	}
	for _, name := range cfg.Hosts {
		h.names = append(h.names, hostOf(name))
	}
	h.about = sync.OnceValues(h.aboutAPI)
	h.metrics = newMetrics(cfg, h.sockets.countOpen)
	first, err := newDrawing(h.cfg.floorplan())
	if err != nil {
		return nil, fmt.Errorf("handlers: %w", err)
	}
	h.drawing.Store(first)
	if cfg.Scripts.Router != nil {
		h.silence = cfg.Scripts.Router.Subscribe("", h.lines.add)
	}

	const stranger, observer, operator, admin = session.Stranger, session.Observer, session.Operator, session.Admin
	h.router.Use(h.withCaller, setHeaders, h.checkHost, checkOrigin, h.limitRate, http.NewCrossOriginProtection().Handler, middleware.GetHead)
	h.router.NotFound(requireRole(observer, h.notFound))
	h.router.MethodNotAllowed(requireRole(observer, h.methodNotAllowed))
	r := h.router.With(h.compress())
	for _, route := range []struct {
		method, path string
		role         session.Role
		serve        http.HandlerFunc
	}{
		{"GET", "/pair", stranger, h.servePair},
		{"POST", "/pair", stranger, h.servePairing},
		{"GET", "/static/*", stranger, static.Handler().ServeHTTP},
		{"GET", "/healthz", stranger, h.serveHealth},
		{"GET", "/ca", stranger, h.serveInstall},
		{"GET", "/ca.crt", stranger, h.serveAuthority},

		{"GET", "/", stranger, h.servePage}, // redirects strangers to /pair
		{"GET", "/map.svg", observer, h.servePicture},
		{"POST", whepPath, observer, h.serveWatch},
		{"OPTIONS", whepPath, observer, h.serveOfferOptions},
		{"PATCH", whepPath + "/{id}", observer, h.serveTrickle},
		{"DELETE", whepPath + "/{id}", observer, h.serveEndWatch},
		{"POST", whipPath, operator, h.serveTalk},
		{"OPTIONS", whipPath, operator, h.serveOfferOptions},
		{"PATCH", whipPath + "/{id}", operator, h.serveTalkTrickle},
		{"DELETE", whipPath + "/{id}", operator, h.serveEndTalk},
		{"GET", "/screen", stranger, h.serveScreen}, // redirects strangers to /pair
		{"POST", "/screen/ok", operator, h.serveScreenOK},
		{"POST", "/screen/spoken", operator, h.serveScreenSpoken},
		{"POST", "/screen/stop", observer, h.serveScreenStop},
		{"GET", "/api/v1/voices", observer, h.serveVoices},
		{"GET", speechPath, observer, h.serveSpeech},
		{"POST", "/stop", observer, h.serveStop},
		{"GET", "/metrics", observer, h.metrics.ServeHTTP},
		{"GET", "/api/v1/state", observer, h.serveState},
		{"POST", "/api/v1/stop", observer, h.serveStopCommand},
		{"POST", controlPath, operator, h.serveTakeControl},
		{"DELETE", controlPath, operator, h.serveGiveUpControl},
		{"POST", "/api/v1/drive", operator, h.serveCommand(driveCommand)},
		{"POST", "/api/v1/halt", operator, h.serveCommand(haltCommand)},
		{"POST", "/api/v1/unstop", operator, h.serveCommand(clearStopCommand)},
		{"POST", "/api/v1/plan", operator, h.serveOrderOf("plan")},
		{"POST", "/api/v1/goto", operator, h.serveOrderOf("goto")},
		{"POST", "/api/v1/goal", operator, h.serveOrderOf("goal")},
		{"POST", "/api/v1/pose", operator, h.serveOrderOf("pose")},
		{"POST", "/api/v1/joints", operator, h.serveJoints},
		{"GET", queuePath, observer, h.serveQueue},
		{"POST", queuePath, operator, h.serveEnqueue},
		{"GET", "/api/v1/map", observer, h.serveMap},
		{"PUT", "/api/v1/map", operator, h.serveSave},
		{"GET", "/api/v1/map/graph.geojson", observer, h.serveGeoJSON("graph.geojson", graphFile)},
		{"GET", "/api/v1/map/places.geojson", observer, h.serveGeoJSON("places.geojson", placesFile)},
		{"GET", mappingPath, observer, h.serveMapping},
		{"POST", mappingPath, operator, h.serveMapOrder},
		{"GET", draftPath, observer, h.serveDraft},
		{"POST", draftPath, operator, h.serveDraftEdit},
		{"GET", draftPath + "/{rev}.png", observer, h.serveDraftPicture},
		{"GET", mappingPath + "/tiles/{tile}/{rev}.png", observer, h.serveTile},
		{"GET", motionsPath, observer, h.serveMotions},
		{"POST", motionsPath, operator, h.serveNewMotion},
		{"GET", motionsPath + "/{n}", observer, h.serveMotion},
		{"GET", jobsPath, observer, h.withJobs(h.serveJobs)},
		{"POST", jobsPath, operator, h.withJobs(h.serveNewJob)},
		{"GET", jobsPath + "/{id}", observer, h.withJobs(h.serveJob)},
		{"PUT", jobsPath + "/{id}", operator, h.withJobs(h.serveSaveJob)},
		{"DELETE", jobsPath + "/{id}", operator, h.withJobs(h.serveDeleteJob)},
		{"POST", checkPath, operator, h.withJobs(h.serveCheck)},
		{"POST", rehearsePath, operator, h.withJobs(h.serveRehearse)},
		{"GET", jobsPath + "/{id}/vda5050", observer, h.withJobs(h.serveOrder)},
		{"POST", orderPath, operator, h.withJobs(h.serveNewOrder)},
		{"GET", "/api/v1/job.schema.json", observer, serveSchema},
		{"GET", runsPath, observer, h.withJobs(h.serveRuns)},
		{"POST", runsPath, operator, h.withJobs(h.serveNewRun)},
		{"GET", runsPath + "/{n}", observer, h.withJobs(h.serveRun)},
		{"POST", runsPath + "/{n}/pause", operator, h.serveSteering(robot.PauseRun{})},
		{"POST", runsPath + "/{n}/resume", operator, h.serveSteering(robot.ResumeRun{})},
		{"POST", runsPath + "/{n}/skip", operator, h.serveSteering(robot.SkipStep{})},
		{"POST", runsPath + "/{n}/retry", operator, h.serveSteering(robot.RetryStep{})},
		{"POST", runsPath + "/{n}/end", operator, h.serveSteering(robot.EndRun{})},
		{"POST", runsPath + "/{n}/ok", operator, h.serveSteering(robot.OK{})},
		{"GET", scriptsPath, observer, h.withScripts(h.serveScripts)},
		{"POST", scriptsPath, operator, h.withScripts(h.serveNewScript)},
		{"GET", scriptsPath + "/guide.txt", observer, serveScriptGuide},
		{"GET", scriptsPath + "/words", observer, h.withScripts(h.serveScriptWords)},
		{"GET", scriptsPath + "/lines", observer, h.withScripts(h.serveScriptLines)},
		{"POST", scriptsCheckPath, operator, h.withScripts(h.serveCheckScript)},
		{"POST", scriptsTryPath, operator, h.withScripts(h.serveTryScript)},
		{"POST", scriptsPath + "/resume", operator, h.withScripts(h.serveResumeScripts)},
		{"POST", scriptsPath + "/tags/{tag}/stop", operator, h.withScripts(h.serveTag("stop"))},
		{"POST", scriptsPath + "/tags/{tag}/freeze", operator, h.withScripts(h.serveTag("freeze"))},
		{"POST", scriptsPath + "/tags/{tag}/unfreeze", operator, h.withScripts(h.serveTag("unfreeze"))},
		{"GET", scriptsPath + "/{id}", observer, h.withScripts(h.serveScript)},
		{"PUT", scriptsPath + "/{id}", operator, h.withScripts(h.serveSaveScript)},
		{"DELETE", scriptsPath + "/{id}", operator, h.withScripts(h.serveDeleteScript)},
		{"GET", scriptsPath + "/{id}/text", observer, h.withScripts(h.serveScriptText)},
		{"POST", scriptsPath + "/{id}/start", operator, h.withScripts(h.serveStartScript)},
		{"POST", scriptsPath + "/{id}/stop", operator, h.withScripts(h.serveStopScript)},
		{"POST", scriptsPath + "/{id}/starts", operator, h.withScripts(h.serveStarts)},
		{"POST", scriptsPath + "/{id}/stands_by", admin, h.withScripts(h.serveStandby)},
		{"GET", placesPath, observer, h.servePlaces},
		{"POST", placesPath, operator, h.serveNewPlace},
		{"GET", placesPath + "/{name}", observer, h.servePlace},
		{"PUT", placesPath + "/{name}", operator, h.serveSavePlace},
		{"DELETE", placesPath + "/{name}", operator, h.serveDeletePlace},
		{"GET", recordingsPath, operator, h.serveRecordings},
		{"GET", playbackPath, observer, h.servePlayback},
		{"POST", playbackPath, operator, h.serveControlPlayback},
		{"POST", recordingsPath + "/start", admin, h.withRecordings(h.serveStartRecording)},
		{"POST", recordingsPath + "/end", admin, h.withRecordings(h.serveStopRecording)},
		{"DELETE", recordingsPath + "/{name}", admin, h.withRecordings(h.serveDeleteRecording)},
		{"GET", "/api/v1/robot", observer, h.serveRobot},
		{"GET", "/api/v1/openapi.json", observer, serveOpenAPI},
		{"GET", "/api", observer, h.serveAPI},
		{"POST", "/api/v1/share", operator, h.serveShare},
		{"GET", "/api/v1/share/qr.svg", operator, h.serveQR},
		{"DELETE", "/api/v1/people/{id}", operator, h.serveRemove},
		{"GET", "/api/v1/users", admin, h.serveUsers},
		{"DELETE", "/api/v1/users/{id}", admin, h.serveRevoke},
		{"POST", "/api/v1/invite", admin, h.serveInvite},
	} {
		r.Method(route.method, route.path, requireRole(route.role, route.serve))
	}
	h.router.Get("/ws", requireRole(observer, h.serveSocket)) // not wrapped, because it switches protocols
	h.router.Get(consolePath, requireRole(operator, h.serveConsole))
	h.router.Get(recordingPath, requireRole(operator, h.serveRecording))
	h.router.Get(recordingsPath+"/{name}", requireRole(operator, h.withRecordings(h.serveRecordingFile)))
	h.router.Get(screensPath, requireRole(observer, h.serveScreenEvents))
	return h, nil
}

// notFound answers browsers with a page, and programs with a sentence.
func (h *Handler) notFound(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		h.writePage(w, r, http.StatusNotFound, web.NotFound(h.cfg.Description.Name, h.cfg.Build, clipText(r.URL.Path)))
		return
	}
	writeSentence(w, http.StatusNotFound, fmt.Sprintf("There is nothing at %q. The robot's page is at /.", clipText(r.URL.Path)))
}

func (h *Handler) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		asked := method
		if method == http.MethodHead {
			asked = http.MethodGet // GetHead answers HEAD for every GET
		}
		if h.router.Match(chi.NewRouteContext(), asked, r.URL.Path) {
			allowed = append(allowed, method)
		}
	}
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	writeSentence(w, http.StatusMethodNotAllowed, fmt.Sprintf("%s is not allowed here, only %s.", clipText(r.Method), list))
}

// serveStop stops the robot for a browser without scripts.
func (h *Handler) serveStop(w http.ResponseWriter, r *http.Request) {
	h.stopRobot(r)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// serveHealth reports whether the control loop ticks, and nothing more; it
// needs no role.
func (h *Handler) serveHealth(w http.ResponseWriter, _ *http.Request) {
	if !h.cfg.Healthy() {
		writeSentence(w, http.StatusServiceUnavailable, "not ok")
		return
	}
	writeSentence(w, http.StatusOK, "ok")
}

package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"mybot/handlers"
	"mybot/jobs"
	"mybot/jobs/library"
	"mybot/jobs/rehearsal"
	"mybot/link"
	"mybot/media"
	"mybot/media/voice"
	"mybot/recording"
	"mybot/robot"
	"mybot/robot/guard"
	"mybot/robot/onboard"
	scripts "mybot/script/library"
	"mybot/session"
	"mybot/session/access"
	"mybot/session/motions"
	"mybot/store"
	"mybot/store/atomicfile"
	"mybot/store/audit"
)

// How long each part of a shutdown may take; together less than five seconds.
const (
	loopTimeout      = 500 * time.Millisecond
	urbiTimeout      = 700 * time.Millisecond // more than twice what a program may take for its goodbye
	hubTimeout       = 700 * time.Millisecond // the hub waits until its goodbyes are taken
	socketsTimeout   = 300 * time.Millisecond
	broadcastTimeout = 300 * time.Millisecond
	requestsTimeout  = 200 * time.Millisecond
	auditTimeout     = 200 * time.Millisecond // for a disk that is slow
	poseTimeout      = 200 * time.Millisecond // for the same disk
	stopTimeout      = 200 * time.Millisecond // for the same disk
	jobsTimeout      = 200 * time.Millisecond // for the same disk
	scriptsTimeout   = 200 * time.Millisecond // for answers to scripts
)

// firstStateTimeout is how long the robot may take to report its first state before
// users are invited to a page without one.
const firstStateTimeout = 3 * time.Second

// truthPeriod is how often the true pose is logged, if it is known.
const truthPeriod = 10 * time.Second

// A server is one robot server. build sets the fields before any part runs. Only those
// that say so may be nil.
type server struct {
	cfg      Config
	log      *slog.Logger
	listener net.Listener
	driver   robot.Driver
	desc     robot.Description
	closers  []func() // close what was opened; called in reverse

	// Storage. Without a data directory the store is temporary, and journal, stops
	// and lastPose are nil.
	store     *store.Store
	journal   *audit.Log
	stops     *stopFile
	stoppedBy string      // before this start; "" = the robot starts ready
	lastPose  *robot.Pose // of base_link in map; also nil if none was saved
	madeMaps  string      // folder of the robot's own maps
	access    *access.Authenticator
	motions   *motions.Library
	entrance  entrance

	// The robot.
	states      *latestState
	notifier    *notifier
	odometry    *odometryMemory
	locator     *locator
	planner     *PlanWorker
	loop        *haltOnceLoop
	maps        *mapStore
	floors      *floors
	mapMaker    *mapMaker
	recorder    *recording.Recorder
	recordings  *recording.Folder // nil = no recordings
	voice       *voice.Voice
	jobs        *library.Library
	camera      *sharedCamera // nil = no camera
	scripts     *scriptRouter
	saved       *scripts.Library
	startFaults startFaults

	// The users.
	network     *link.Network      // impairs their traffic; nil = none
	channels    *media.Port        // nil = pages drive by the WebSocket only
	hub         *session.Hub       //
	broadcaster *media.Broadcaster // nil = the robot has neither camera nor sound, or there is no media port
	handler     *handlers.Handler
	web         *http.Server
	urbi        *handlers.UrbiPort // without Config.Urbi it serves the consoles of pages only
}

// Serve runs a robot server on ln until ctx ends, then shuts it down: first the
// robot comes to rest, then every page gets a goodbye, then HTTP ends. It returns
// nil after a shutdown by ctx, and otherwise the fault that ended it. The driver
// and the listener are closed when it returns.
func Serve(ctx context.Context, ln net.Listener, driver robot.Driver, cfg Config, log *slog.Logger) error {
	s := &server{cfg: cfg, log: log, listener: ln, driver: driver, desc: driver.Describe()}
	s.desc.Microphone = cfg.Simulator
	defer s.close()
	err := s.build()
	if err == nil {
		err = s.run(ctx)
	}
	if err != nil {
		return fmt.Errorf("app: %w", err)
	}
	return nil
}

// close closes what build opened.
func (s *server) close() {
	for _, c := range slices.Backward(s.closers) {
		c()
	}
	_ = s.driver.Close()   // in case the loop has not done so
	_ = s.listener.Close() // in case HTTP has not done so
	if s.cfg.Urbi != nil {
		_ = s.cfg.Urbi.Close() // in case the port has not done so
	}
}

// build creates all parts of the server; none of them runs yet.
func (s *server) build() error {
	if err := s.openData(); err != nil {
		return err
	}
	if err := s.buildRobot(); err != nil {
		return err
	}
	return s.buildUsers()
}

// openData opens the storage.
func (s *server) openData() (err error) {
	if s.store, err = openStore(s.cfg.DataDir); err != nil {
		return err
	}
	s.closers = append(s.closers, func() {
		if err := s.store.Close(); err != nil {
			s.log.Error("the state directory was not closed cleanly", "error", err)
		}
	})
	if earlier := s.store.EarlierCopy(); earlier != "" {
		s.log.Warn("the database is new, because there was none; to have the earlier one back, stop the robot and put this copy in the place of "+store.File, "copy", earlier)
	}
	if s.cfg.DataDir != "" {
		removeUnfinished(s.cfg.DataDir, s.log)
		warnOfOthers(s.cfg.DataDir, s.log)
		if s.journal, err = audit.Open(filepath.Join(s.cfg.DataDir, AuditFile), s.log); err != nil {
			return fmt.Errorf("%w; look at it with 'mybot audit verify', then move it away to begin a new one", err)
		}
		s.stops, s.stoppedBy = openStopFile(s.cfg.DataDir, s.log)
	}
	if err := s.openMaps(); err != nil {
		return err
	}
	if s.access, err = access.NewAuthenticator(grants{s.store}); err != nil {
		return err
	}
	if s.motions, err = motions.Open(s.store, s.log); err != nil {
		return err
	}
	if p, ok := LoadPose(s.cfg.DataDir, s.cfg.Plan); ok {
		s.lastPose = &p
	}
	s.entrance, err = newEntrance(s.listener.Addr(), s.desc.Name, s.cfg, s.log)
	return err
}

// removeUnfinished removes the incomplete files of servers that were killed. The store
// is open, so no other server uses the data directory.
func removeUnfinished(data string, log *slog.Logger) {
	dirs := []string{data, filepath.Join(data, tables), filepath.Join(data, recordings)}
	maps, _ := os.ReadDir(MapsDir(data)) // without it there are no maps
	for _, m := range maps {
		if m.IsDir() {
			dirs = append(dirs, filepath.Join(MapsDir(data), m.Name()))
		}
	}
	for _, dir := range dirs {
		if err := atomicfile.RemoveUnfinished(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			log.Warn("incomplete files of an earlier start remain", "error", err)
		}
	}
}

// openMaps finds the folder of the robot's own maps: a temporary one without a data
// directory.
func (s *server) openMaps() (err error) {
	if s.cfg.DataDir != "" {
		s.madeMaps = MapsDir(s.cfg.DataDir)
		return nil
	}
	if s.madeMaps, err = os.MkdirTemp("", "mybot-maps-"); err != nil {
		return err
	}
	s.closers = append(s.closers, func() { _ = os.RemoveAll(s.madeMaps) })
	return nil
}

// warnOfShortSight logs that a robot may drive faster than its sensors see far enough ahead to
// stop.
func warnOfShortSight(log *slog.Logger, desc robot.Description) {
	if v := guard.SeenSpeed(desc); v < desc.Safe.Linear {
		log.Warn("the robot's sensors do not see far enough ahead to stop in time at its safe speed; lower safe.linear_m_s of its description", "from", desc.Safe.Linear, "to", math.Floor(100*v)/100)
	}
}

// buildRobot creates the control loop and what it uses.
func (s *server) buildRobot() (err error) {
	warnOfShortSight(s.log, s.desc)
	s.states = newLatestState()
	s.notifier = newNotifier(s.cfg.Notify, s.log)
	s.closers = append(s.closers, s.notifier.close)
	s.odometry = loadOdometry(s.cfg.DataDir, s.desc)
	s.locator = newLocator(s.desc, s.cfg, s.lastPose, s.odometry)
	s.planner = NewPlanWorker()
	core := onboard.NewCore(s.desc, s.locator, s.planner.NewPlanner(s.cfg.Plan, s.desc))
	s.loop = &haltOnceLoop{Loop: onboard.NewLoop(s.driver, core, s.publish, s.log), stops: s.stops, refuse: s.cfg.ReadOnly}
	s.recorder = recording.NewRecorder(recording.About{Robot: s.desc, Build: s.cfg.Build, Settings: s.cfg.settings()})
	s.recorder.UseFloor(s.cfg.Plan)
	if err := s.openRecordings(); err != nil {
		return err
	}
	s.loop.UseObserver(s.recorder)
	if s.stoppedBy != "" {
		s.loop.Loop.Stop(s.stoppedBy) // takes effect when the loop starts
	}
	s.maps = newMapStore(s.cfg.Plan, s.cfg.MapDir, func(p *robot.Floorplan) robot.Planner { return s.planner.NewPlanner(p, s.desc) }, s.loop.UsePlanner)
	s.voice = voice.New(s.log)
	s.jobs, err = library.Open(library.Config{
		Store: s.store, Plan: s.maps.Plan, Speak: s.findSpeech(), Rehearser: rehearsal.New(s.desc), Log: s.log,
	})
	if err != nil {
		return err
	}
	core.UseJobs(s.jobs)
	s.floors = newFloors(s.desc, s.cfg, s.odometry, s.loop.Loop, s.planner, s.maps, s.recorder.UseFloor, s.jobs.ForgetFloor, s.log)
	s.floors.prepareLocalizer(s.cfg.Plan, s.locator)
	if s.cfg.Camera != nil {
		s.camera = newSharedCamera(s.cfg.Camera, s.isCameraOff)
		s.cfg.Camera = s.camera
	}
	s.useScripts()
	return s.openScripts()
}

// findSpeech returns what prepares texts: for the base's own speaker, if the base has one.
// A simulator in this process makes no sound: there the robot's voice is heard.
func (s *server) findSpeech() func(ctx context.Context, text, name string, speed float64) (jobs.PreparedSpeech, error) {
	if _, ok := s.driver.(robot.Speaker); ok && s.desc.Speaker && !s.cfg.Simulator {
		s.log.Info("the base speaks with a speaker of its own")
		return voice.PrepareForBase
	}
	return s.voice.PrepareSpeech
}

// recordings is the folder of recordings in the data directory.
const recordings = "recordings"

// openRecordings finds the folder of recordings on the robot's disk, and starts one
// if it should start with the server.
func (s *server) openRecordings() error {
	dir := s.cfg.RecordDir
	if dir == "" && s.cfg.DataDir != "" {
		dir = filepath.Join(s.cfg.DataDir, recordings)
	}
	if dir == "" {
		return nil
	}
	s.recordings = recording.NewFolder(dir, s.recorder, recording.UsualLimits, s.log)
	if s.cfg.RecordDir == "" {
		return nil
	}
	switch err := s.recordings.Start(); {
	case recording.IsDiskFault(err): // the robot is useful without recording
		s.log.Error("nothing is recorded", "error", err)
	case err != nil:
		return fmt.Errorf("--record %s: %w", dir, err)
	}
	s.closers = append(s.closers, s.recordings.Stop)
	return nil
}

// publish publishes a state with the recording flag.
func (s *server) publish(state robot.State) {
	state.Recording = s.recorder.Active()
	s.states.publish(state)
}

// findRecordings returns the folder of recordings for users; nil = none.
func (s *server) findRecordings() handlers.RecordingFolder {
	if s.recordings == nil {
		return nil
	}
	return s.recordings
}

// buildUsers creates the hub, the media and the URLs.
func (s *server) buildUsers() (err error) {
	network, changeable := newNetworks(s.cfg)
	s.network = network
	if s.channels, err = media.Listen(s.listener.Addr(), s.cfg.mediaOptions(network, s.log)); err != nil {
		s.log.Warn("pages drive by the WebSocket alone", "error", err)
		s.channels = nil
	} else {
		s.closers = append(s.closers, func() { _ = s.channels.Close() }) // the sockets have closed theirs
		s.log.Debug("channels of datagrams", "address", s.channels.Addr())
	}
	s.hub = session.NewHub(session.Config{
		Robot:         s.loop,
		Description:   s.desc,
		Place:         s.cfg.Plan.Name,
		Build:         s.cfg.Build,
		Simulator:     s.cfg.Simulator,
		HasCamera:     s.channels != nil && s.cfg.Camera != nil,
		HasMicrophone: s.channels != nil && s.cfg.Simulator,
		HasMap:        hasFloor(s.cfg.Plan),
		Relays:        listRelays(s.cfg.Media.Relays),
		Period:        s.cfg.Period,
		Names:         s.store,
		Audit:         s.findAudit(),
		Motions:       s.motions,
		Plan:          s.maps.Plan,
		Jobs:          s.jobs,
		Standby:       s.scriptPermits(),
		StandByAfter:  s.cfg.StandByAfter,
		World:         s.findWorld(),
		Network:       changeable,
		Log:           s.log,
	})
	s.floors.hub = s.hub
	if s.mapMaker, err = newMapMaker(s.desc, s.floors, s.hub, s.madeMaps, s.newestState, s.log); err != nil {
		return err
	}
	s.states.observers = []func(robot.State){s.jobs.Observe, s.stops.observeState, s.hub.Publish, s.notifier.observeState}
	if s.broadcaster, err = newBroadcaster(s.cfg, s.channels, s.hub.Start(), s.newMicrophone(), s.log); err != nil {
		return err
	}
	if s.urbi, err = s.newUrbiPort(s.scripts); err != nil {
		return err
	}
	if s.handler, err = handlers.New(s.handlerConfig()); err != nil {
		return err
	}
	s.web = newHTTPServer(s.handler, s.entrance.tls, s.log)
	s.web.ConnContext = s.handler.Connected
	if s.cfg.DataDir == "" {
		return nil
	}
	switch err := s.entrance.key.write(s.cfg.DataDir); {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT): // the robot is useful without
		s.log.Error("the disk is full, so the command line of this computer does not find the robot", "error", err)
	case err != nil:
		return err
	}
	s.closers = append(s.closers, func() { s.entrance.key.remove(s.cfg.DataDir) })
	return nil
}

func (s *server) handlerConfig() handlers.Config {
	return handlers.Config{
		Hub:         s.hub,
		Access:      s.access,
		Plan:        s.cfg.Plan,
		Map:         s.maps,
		Mapping:     s.mapMaker,
		Motions:     s.motions,
		Jobs:        s.jobs,
		Scripts:     s.scriptConfig(),
		Console:     s.urbi,
		Recorder:    s.recorder,
		Recordings:  s.findRecordings(),
		Player:      s.cfg.Player,
		Description: s.desc,
		Build:       s.cfg.Build,
		Listen:      s.listener.Addr(),
		Hosts:       s.entrance.hosts,
		Addresses:   s.entrance.addresses,
		Proxies:     s.cfg.Proxies,
		Owner:       s.entrance.key.Token,
		Authority:   s.entrance.findAuthority(),
		CookieKey:   cookieKey(s.cfg.DataDir, s.log),
		Audit:       s.findAudit(),
		Limits:      s.cfg.Limits,
		Healthy:     s.loop.Healthy,
		State:       s.newestState,
		Truth:       s.cfg.Truth,
		Network:     s.network,
		Channels:    s.channels,
		Broadcaster: s.broadcaster,
		Voice:       s.voice,
		Log:         s.log,
	}
}

// findWorld returns the simulated world for users to change; nil = the real world.
func (s *server) findWorld() session.World {
	if s.cfg.World == nil {
		return nil
	}
	return floorWorld{s.cfg.World, s.floors}
}

// findAudit returns the audit log; nil = none.
func (s *server) findAudit() session.Audit {
	if s.journal == nil {
		return nil
	}
	return s.journal
}

// recordEvent writes an event of the server itself to the audit log, if there is
// one.
func (s *server) recordEvent(text string) {
	if s.journal != nil {
		s.journal.AppendEntry(time.Now(), "server", "robot", text)
	}
}

// newestState returns the newest state; ok is false before the first one. While the
// robot is being stopped it returns an empty queue, as the stop leaves it by the time
// the caller uses the state.
func (s *server) newestState() (state robot.State, ok bool) {
	state, ok = s.states.load()
	if state.Queue != nil && s.loop.Stopping() {
		state.Queue = &robot.Queue{Answers: state.Queue.Answers}
	}
	return state, ok
}

// parts are the parts of a running server that shutDown ends in order.
type parts struct {
	loop, jobs, pose, odometry, standing, hub, scripts, urbi, broadcaster, requests, stops, journal part
}

// run starts all parts and returns when they have ended. Each has a context of its
// own, so that they end in order, whether ctx ends first or a part fails.
func (s *server) run(ctx context.Context) error {
	if s.stops != nil {
		s.stops.markRunning()
	}
	all, ending := errgroup.WithContext(ctx)
	running := s.startParts(ctx, all)
	s.startBackground(ending, all)
	all.Go(func() error {
		<-ending.Done()
		s.shutDown(running)
		return nil
	})
	ready, err := s.entrance.inviteUsers(s.access, s.cfg)
	if err != nil {
		s.log.Error("no user can be invited", "error", err)
	}
	all.Go(func() error {
		awaitRobot(ending, s.states.reported, func() { ready(); s.notifier.send("READY=1") }, s.log)
		return nil
	})
	return all.Wait()
}

func (s *server) startParts(ctx context.Context, all *errgroup.Group) (p parts) {
	p.loop = startPart(ctx, all, "the control loop", s.loop.Run)
	p.hub = startPart(ctx, all, "the hub", s.hub.Run)
	p.scripts = startPart(ctx, all, "the lines of scripts", s.scripts.Run)
	p.requests = startPart(ctx, all, "HTTP", func(context.Context) error { return s.serveHTTP() })
	if s.cfg.Urbi != nil {
		p.urbi = startPart(ctx, all, "the port for scripts", s.serveUrbi)
	}
	if s.broadcaster != nil {
		p.broadcaster = startPart(ctx, all, "the camera and the sound", s.broadcaster.Run)
	}
	p.jobs = startPart(ctx, all, "the library of jobs", s.jobs.Write)
	if s.journal != nil {
		p.journal = startPart(ctx, all, "the audit log", s.journal.Run)
	}
	s.recordEvent(fmt.Sprintf("The server started on %s, build %s.", s.listener.Addr(), s.cfg.Build))
	if s.stops != nil {
		p.stops = startPart(ctx, all, "the file of the stop", s.stops.run)
	}
	if s.cfg.DataDir != "" {
		pose := &poseFile{file: filepath.Join(s.cfg.DataDir, PoseFile), floor: s.floors.poseFloor, of: s.floors.poseFloor(), last: s.lastPose}
		p.pose = startPart(ctx, all, "the file of the pose", func(ctx context.Context) error { return pose.run(ctx, s.newestState, s.log) })
		p.odometry = startPart(ctx, all, "the file of the odometry", func(ctx context.Context) error {
			return s.odometry.run(ctx, s.cfg.DataDir, s.desc, s.log)
		})
	}
	if s.cfg.DataDir != "" && s.cfg.Building != nil {
		building := floorOf(s.cfg.Building)
		stands := &poseFile{file: filepath.Join(s.cfg.DataDir, simulatorFile), floor: func() string { return building }}
		p.standing = startPart(ctx, all, "the file of the simulator", func(ctx context.Context) error { return stands.run(ctx, s.standingEstimate, s.log) })
	}
	return p
}

// standingEstimate returns the simulated robot's true pose in the form of a state's
// estimate.
func (s *server) standingEstimate() (state robot.State, ok bool) {
	state, ok = s.newestState()
	return robot.State{Time: state.Time, Estimate: robot.Estimate{Pose: s.cfg.Standing(), Trust: robot.TrustOK}}, ok
}

// startBackground starts the parts that may end at any time during the shutdown.
func (s *server) startBackground(ending context.Context, all *errgroup.Group) {
	cache := s.cfg.Tables
	if cache == nil && s.cfg.DataDir != "" {
		cache = Tables(filepath.Join(s.cfg.DataDir, tables))
	}
	all.Go(func() error { return s.planner.Run(ending) })
	if s.recordings != nil {
		all.Go(func() error { return s.recordings.Run(ending) })
	}
	all.Go(func() error { s.notifier.run(ending); return nil })
	all.Go(func() error { s.startScripts(ending); return nil })
	all.Go(func() error { watchClock(ending, time.Now, s.recordEvent, s.log); return nil })
	all.Go(func() error { s.floors.run(ending, cache); return nil })
	all.Go(func() error { s.mapMaker.run(ending, s.states.reported); return nil })
	if s.cfg.DataDir != "" {
		all.Go(func() error { keepStoreCopied(ending, s.store, s.log); return nil })
	}
	if s.cfg.Truth != nil {
		all.Go(func() error { logTruth(ending, s.cfg.Truth, s.newestState, s.log); return nil })
	}
}

// serveHTTP answers requests until shutDown ends it.
func (s *server) serveHTTP() error {
	serve := s.web.Serve
	if s.entrance.tls != nil {
		serve = func(ln net.Listener) error { return s.web.ServeTLS(ln, "", "") }
	}
	if err := serve(s.handler.Limit(s.listener)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// shutDown ends the parts in the order of their dependencies.
func (s *server) shutDown(p parts) {
	begin := time.Now()
	s.log.Info("shutting down")
	s.notifier.send("STOPPING=1")
	s.loop.halted.Store(p.loop.end(loopTimeout, s.log))
	p.jobs.end(jobsTimeout, s.log)
	p.pose.end(poseTimeout, s.log)
	p.odometry.end(poseTimeout, s.log)
	p.standing.end(poseTimeout, s.log)
	p.urbi.end(urbiTimeout, s.log)
	p.scripts.end(scriptsTimeout, s.log)
	p.hub.end(hubTimeout, s.log)
	within, cancel := context.WithTimeout(context.Background(), socketsTimeout)
	defer cancel()
	if err := s.handler.Shutdown(within); err != nil {
		s.log.Warn("a page was cut off", "error", err)
	}
	p.broadcaster.end(broadcastTimeout, s.log)
	p.requests.cancel() // from here on, parts end on request
	within, cancel = context.WithTimeout(context.Background(), requestsTimeout)
	defer cancel()
	if err := s.web.Shutdown(within); err != nil {
		_ = s.web.Close()
	}
	p.requests.end(requestsTimeout, s.log)
	p.stops.end(stopTimeout, s.log)
	s.recordEvent("The server ended.")
	p.journal.end(auditTimeout, s.log)
	s.log.Info("shut down", "took", time.Since(begin).Round(time.Millisecond))
}

// warnOfOthers warns if other users of this computer can write to the data
// directory, because they could add grants.
func warnOfOthers(dir string, log *slog.Logger) {
	const others = 0o022
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&others != 0 {
		log.Warn("other users of this computer can write to the data directory and so become admins; chmod go-w prevents that", "directory", dir)
	}
}

// newNetworks returns the network that impairs the browsers' traffic, nil = none,
// and the one that users may change: that of a simulated robot.
func newNetworks(cfg Config) (network, simulated *link.Network) {
	if cfg.Simulator {
		network = link.NewNetwork(cfg.Link, cfg.Seed)
		return network, network
	}
	if cfg.Link != (link.Profile{}) {
		network = link.NewNetwork(cfg.Link, cfg.Seed)
	}
	return network, nil
}

// newHTTPServer returns the HTTP server, with time-outs against slow clients.
func newHTTPServer(handler http.Handler, certificate *tls.Config, log *slog.Logger) *http.Server {
	web := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		TLSConfig:         certificate,
		Protocols:         new(http.Protocols),
	}
	web.Protocols.SetHTTP1(true) // only, because there one connection is one request at a time, as the limits assume
	return web
}

// awaitRobot calls ready once the robot has reported its first state. If the robot
// does not report, it logs that and calls ready anyway: the page says what is
// wrong.
func awaitRobot(ctx context.Context, reported <-chan struct{}, ready func(), log *slog.Logger) {
	late := time.NewTimer(firstStateTimeout)
	defer late.Stop()
	select {
	case <-ctx.Done():
		return
	case <-reported:
	case <-late.C:
		log.Warn("the robot has not reported anything yet", "waited", firstStateTimeout)
	}
	ready()
}

// logTruth logs the robot's true pose and the error of the estimate.
func logTruth(ctx context.Context, truth func() robot.Pose, state func() (robot.State, bool), log *slog.Logger) {
	every := time.NewTicker(truthPeriod)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		if s, ok := state(); ok {
			p := truth()
			log.Info("the true pose", "x", p.X, "y", p.Y, "heading_deg", robot.Degrees(p.Theta), "error_m", s.Estimate.Pose.Point().Sub(p.Point()).Norm())
		}
	}
}

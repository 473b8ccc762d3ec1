package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"mybot/handlers"
	"mybot/link"
	"mybot/localization"
	"mybot/media"
	"mybot/media/voice"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/session"
	"mybot/session/access"
	"mybot/store"
	"mybot/store/audit"
)

// Config says what one robot server is made of.
type Config struct {
	Plan      *robot.Floorplan
	Start     robot.Pose         // of base_link in map: where the robot stands when it is switched on, if no pose of it was kept
	Localizer Localizer          // "" = MCL
	Tables    localization.Cache // of what is made from maps; nil = in DataDir
	World     session.World      // of the simulator, which people may change; nil = there is a real one
	DataDir   string             // what must last; "" = nothing lasts
	MapDir    string             // where what people change of the map is kept; "" = it does not last
	Link      link.Profile       // how the page's traffic is bent; the zero Profile = not at all
	Seed      uint64             // of the bent network and of the localizer
	Build     string             // of the server, told to every page
	Simulator bool               // no real robot is there
	Camera    robot.Camera       // through which people see; nil = the robot has none
	Encoder   string             // of the camera's pictures, as ParseEncoder has it; "" = auto
	Media     media.Options      // by which ways pages reach camera, sound and the channel of datagrams, beside the UDP port
	Period    time.Duration      // between two states that people are shown; 0 = 100 ms
	Truth     func() robot.Pose  // of base_link in map, for log and metrics; nil = nobody is told
	Hosts     []string           // names of this computer that people may use, beside its own
	Proxies   []netip.Prefix     // whose X-Forwarded headers are believed
	TLS       TLS                // the zero TLS = plain http
	Limits    handlers.Limits    // of WebSockets
	Invite    func(Invitation)   // called once before Ready when others than this computer may come in; nil = nobody is invited
	Ready     func()             // called once, when the server answers and the robot has told of itself; nil = nobody waits
}

// How long each part of a shutdown may take; together less than two seconds.
const (
	loopTimeout        = 500 * time.Millisecond
	hubTimeout         = 700 * time.Millisecond // it waits for its goodbyes to be taken
	socketsTimeout     = 300 * time.Millisecond
	broadcastTimeout   = 300 * time.Millisecond
	knownSpeechTimeout = 200 * time.Millisecond
	auditTimeout       = 200 * time.Millisecond // for a disk that is slow
	stopTimeout        = 200 * time.Millisecond // for the same disk
	requestsTimeout    = 200 * time.Millisecond // for the same disk
	jobsTimeout        = 200 * time.Millisecond // for the same disk
)

// firstStateTimeout is how long the robot may take to tell of itself before people
// are called to a page that shows nothing.
const firstStateTimeout = 3 * time.Second

// truthEvery is how often the true pose is logged when somebody asked for it.
const truthEvery = 10 * time.Second

// Serve runs a robot server on ln until ctx ends, then shuts it down: first the
// wheels stand, then every page hears goodbye, then HTTP ends. It returns nil
// after a shutdown that ctx asked for, and otherwise what broke. The driver and
// the listener are closed when it returns.
func Serve(ctx context.Context, ln net.Listener, driver robot.Driver, cfg Config, log *slog.Logger) error {
	if err := serve(ctx, ln, driver, cfg, log); err != nil {
		return fmt.Errorf("app: %w", err)
	}
	return nil
}

func serve(ctx context.Context, ln net.Listener, driver robot.Driver, cfg Config, log *slog.Logger) error {
	defer func() { _ = ln.Close() }()     // again, when HTTP has not done it
	defer func() { _ = driver.Close() }() // again, when the loop has not done it

	var names session.Names
	var book access.GrantStore = forgetful{}
	var record session.Audit
	var journal *audit.Log
	var shelf Motions
	var drawer Store
	var stops *stopFile
	var stoppedBy string // before this start
	if cfg.DataDir != "" {
		kept, err := store.Open(cfg.DataDir)
		if err != nil {
			return err
		}
		defer func() {
			if err := kept.Close(); err != nil {
				log.Error("the state directory was not closed cleanly", "error", err)
			}
		}()
		warnOfOthers(cfg.DataDir, log)
		names, book, shelf, drawer = kept, grants{kept}, kept, kept
		if journal, err = audit.Open(filepath.Join(cfg.DataDir, AuditFile), log); err != nil {
			return fmt.Errorf("%w; look at it with 'mybot audit verify', then move it away to begin a new one", err)
		}
		record = journal
		stops, stoppedBy = openStopFile(cfg.DataDir, log)
	}
	desk, err := access.NewAuthenticator(book)
	if err != nil {
		return err
	}
	motions, err := newMotionKeeper(shelf, log)
	if err != nil {
		return err
	}
	desc := driver.Describe()
	in, err := newEntrance(ln.Addr(), desc.Name, cfg, log)
	if err != nil {
		return err
	}

	speaks := voice.New(log)
	var newest atomic.Pointer[robot.State]
	var hub *session.Hub
	var plans *mapStore
	errands, err := Open(jobKit{
		shelf: drawer, Rehearser: desc, Speak: sayBy(speaks), log: log,
		plan: func() *robot.Floorplan { return plans.Plan() },
	})
	if err != nil {
		return err
	}
	alive := make(chan struct{}) // closed with the first state
	var first sync.Once
	publish := func(s robot.State) {
		newest.Store(&s)
		errands.Observe(s)
		stops.See(s)
		hub.Publish(s)
		first.Do(func() { close(alive) })
	}
	var old *robot.Pose
	if p, ok := LoadPose(cfg.DataDir, cfg.Plan); ok {
		old = &p
	}
	locator := newLocator(desc, cfg, old)
	planning := NewPlanWorker()
	core := onboard.NewCore(desc, locator, planning.NewPlanner(cfg.Plan, desc))
	core.UseJobs(errands)
	loop := onboard.NewLoop(driver, core, publish, log)
	wheels := &haltOnceLoop{Loop: loop, stops: stops}
	if stoppedBy != "" {
		loop.Stop(stoppedBy) // it holds when the loop begins
	}
	plans = newMapStore(cfg.Plan, cfg.MapDir, func(p *robot.Floorplan) robot.Planner { return planning.NewPlanner(p, desc) }, loop.UsePlanner)
	network, simulated := networks(cfg)
	channels, err := media.Listen(ln.Addr(), cfg.media(network, log))
	if err != nil {
		log.Warn("pages drive by the WebSocket alone", "error", err)
	} else {
		defer func() { _ = channels.Close() }() // the sockets have closed theirs
		log.Debug("channels of datagrams", "address", channels.Addr())
	}
	hub = session.NewHub(session.Config{
		Robot:         wheels,
		Description:   desc,
		Place:         cfg.Plan.Name,
		Build:         cfg.Build,
		Simulator:     cfg.Simulator,
		HasCamera:     channels != nil && cfg.Camera != nil,
		HasMicrophone: channels != nil && cfg.Simulator,
		Relays:        relays(cfg.Media.Relays),
		Period:        cfg.Period,
		Names:         names,
		Audit:         record,
		Motions:       motions,
		Jobs:          errands,
		World:         cfg.World,
		Network:       simulated,
		Log:           log,
	})
	state := func() (robot.State, bool) {
		if s := newest.Load(); s != nil {
			now := *s
			if now.Queue != nil && loop.Stopping() { // it is empty by then
				now.Queue = &robot.Queue{Answers: now.Queue.Answers}
			}
			return now, true
		}
		return robot.State{}, false
	}
	studio, err := newBroadcaster(cfg, channels, hub.Start(), desc.Drivetrain, speaks, state, log)
	if err != nil {
		return err
	}
	handler, err := handlers.New(handlers.Config{
		Hub:         hub,
		Access:      desk,
		Plan:        cfg.Plan,
		Map:         plans,
		Motions:     motions,
		Jobs:        errands,
		Description: desc,
		Build:       cfg.Build,
		Listen:      ln.Addr(),
		Hosts:       in.hosts,
		Addresses:   in.addresses,
		Proxies:     cfg.Proxies,
		Owner:       in.key.Token,
		Authority:   in.vouches(),
		Audit:       record,
		Limits:      cfg.Limits,
		Healthy:     loop.Healthy,
		State:       state,
		Truth:       cfg.Truth,
		Network:     network,
		Channels:    channels,
		Broadcaster: studio,
		Voice:       speaks,
		Log:         log,
	})
	if err != nil {
		return err
	}
	web := newHTTPServer(handler, in.tls, log)
	web.ConnContext = handler.Connected
	if cfg.DataDir != "" {
		if err := in.key.write(cfg.DataDir); err != nil {
			return err
		}
		defer in.key.remove(cfg.DataDir)
	}

	// Each part has a context of its own, so that they end in order whoever
	// ends first: ctx, or a part that broke.
	all, ending := errgroup.WithContext(ctx)
	control := start(ctx, all, "the control loop", loop.Run)
	people := start(ctx, all, "the hub", hub.Run)
	requests := start(ctx, all, "HTTP", func(context.Context) error {
		serve := web.Serve
		if in.tls != nil {
			serve = func(ln net.Listener) error { return web.ServeTLS(ln, "", "") }
		}
		if err := serve(handler.Limit(ln)); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	var watching part
	if studio != nil {
		watching = start(ctx, all, "the camera and the sound", studio.Run)
	}
	filing := start(ctx, all, "the jobs' keeper", errands.Write)
	var writing part
	if journal != nil {
		writing = start(ctx, all, "the audit log", journal.Run)
		journal.Append(time.Now(), "server", "robot", fmt.Sprintf("The server started on %s, build %s.", ln.Addr(), cfg.Build))
	}
	var latching part
	if stops != nil {
		latching = start(ctx, all, "the stop's keeper", stops.run)
	}
	cache := cfg.Tables
	if cache == nil && cfg.DataDir != "" {
		cache = Tables(filepath.Join(cfg.DataDir, tables))
	}
	all.Go(func() error { return planning.Run(ending) })
	all.Go(func() error { locator.prepare(ending, desc, cfg, cache, log); return nil })
	var keeping part
	if cfg.DataDir != "" {
		pose := &poseFile{file: filepath.Join(cfg.DataDir, PoseFile), floor: floorOf(cfg.Plan), last: old}
		keeping = start(ctx, all, "the pose's keeper", func(ctx context.Context) error { return pose.run(ctx, state, log) })
	}
	if cfg.Truth != nil {
		all.Go(func() error { logTruth(ending, cfg.Truth, state, log); return nil })
	}
	all.Go(func() error {
		<-ending.Done()
		begin := time.Now()
		log.Info("shutting down")
		wheels.halted.Store(control.end(loopTimeout, log))
		filing.end(jobsTimeout, log)
		if cfg.DataDir != "" {
			keeping.end(stopTimeout, log)
		}
		people.end(hubTimeout, log)
		within, cancel := context.WithTimeout(context.Background(), socketsTimeout)
		defer cancel()
		if err := handler.Shutdown(within); err != nil {
			log.Warn("a page was cut off", "error", err)
		}
		if studio != nil {
			watching.end(broadcastTimeout, log)
		}
		requests.cancel() // what ends now was asked to
		within, cancel = context.WithTimeout(context.Background(), knownSpeechTimeout)
		defer cancel()
		if err := web.Shutdown(within); err != nil {
			_ = web.Close()
		}
		requests.end(knownSpeechTimeout, log)
		if stops != nil {
			latching.end(requestsTimeout, log)
		}
		if journal != nil {
			journal.Append(time.Now(), "server", "robot", "The server ended.")
			writing.end(auditTimeout, log)
		}
		log.Info("shut down", "took", time.Since(begin).Round(time.Millisecond))
		return nil
	})
	ready, err := in.invite(desk, cfg)
	if err != nil {
		log.Error("nobody can be invited", "error", err)
	}
	all.Go(func() error { awaitRobot(ending, alive, ready, log); return nil })
	return all.Wait()
}

// warnOfOthers warns of a data directory that not its owner alone may write to:
// they can put grants of their own there.
func warnOfOthers(dir string, log *slog.Logger) {
	const others = 0o022
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&others != 0 {
		log.Warn("other users of this computer can write to the data directory and so become admins; chmod go-w prevents that", "directory", dir)
	}
}

// networks returns the network that bends the pages' traffic, nil = none does,
// and the one that people may change: that of a simulated robot.
func networks(cfg Config) (network, simulated *link.Network) {
	if cfg.Simulator {
		network = link.NewNetwork(cfg.Link, cfg.Seed)
		return network, network
	}
	if cfg.Link != (link.Profile{}) {
		network = link.NewNetwork(cfg.Link, cfg.Seed)
	}
	return network, nil
}

// newHTTPServer returns the HTTP server, which waits for nobody long: who asks
// slowly, on purpose or not, is cut off.
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
	web.Protocols.SetHTTP1(true) // alone: one connection is one request at a time, which is what the limits count
	return web
}

// awaitRobot calls ready once the robot has told of itself. A robot that does
// not is said to be silent, and ready is called all the same: the page tells
// people what is wrong.
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

// haltOnceLoop is the loop as the people around the robot see it. They are still there
// for a moment after it has ended, when no motion is left to halt.
type haltOnceLoop struct {
	*onboard.Loop
	stops  *stopFile   // nil = a stop does not outlive the server
	halted atomic.Bool // the loop has ended and the wheels stand
}

// Stop stops the robot. It waits for nobody; that the robot is stopped is
// written down beside it.
func (w *haltOnceLoop) Stop(by string) {
	if w.stops != nil {
		w.stops.raise(by, time.Now())
	}
	w.Loop.Stop(by)
}

// Do has the loop execute the command.
func (w *haltOnceLoop) Do(ctx context.Context, cmd robot.Command) robot.Result {
	switch cmd := cmd.(type) {
	case robot.Stop:
		w.Stop(cmd.By)
		return robot.Result{Word: robot.Success}
	case robot.Halt:
		if w.halted.Load() {
			return robot.Result{Word: robot.Success}
		}
	case robot.ClearStop:
		if w.stops == nil {
			break
		}
		raised := w.stops.raised()
		r := w.Loop.Do(ctx, cmd)
		if r.Word == robot.Success {
			w.stops.release(raised)
		}
		return r
	}
	return w.Loop.Do(ctx, cmd)
}

// A part is one goroutine of the server, which can be ended before the others.
type part struct {
	name   string
	cancel context.CancelFunc
	done   chan struct{}
}

// start runs one part of the server. A part that ends by itself ends the
// others too, because its error, or its absence, is the server's.
func start(ctx context.Context, all *errgroup.Group, name string, run func(context.Context) error) part {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := part{name, cancel, make(chan struct{})}
	all.Go(func() error {
		defer close(p.done)
		err := run(own)
		switch asked := own.Err() != nil; {
		case asked && errors.Is(err, context.Canceled):
			return nil
		case !asked && err == nil:
			return fmt.Errorf("%s ended unexpectedly", name)
		}
		return err
	})
	return p
}

// end asks the part to end and waits for it, but not longer than within. It
// tells whether the part has ended.
func (p part) end(limit time.Duration, log *slog.Logger) bool {
	p.cancel()
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-p.done:
		return true
	case <-late.C:
		log.Error("a part of the server does not stop", "part", p.name, "waited", limit)
		return false
	}
}

// logTruth logs where the robot really is and how far its estimate is off.
func logTruth(ctx context.Context, truth func() robot.Pose, state func() (robot.State, bool), log *slog.Logger) {
	every := time.NewTicker(truthEvery)
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

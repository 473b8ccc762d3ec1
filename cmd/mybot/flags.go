package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mybot/app"
	"mybot/drivers/base"
	"mybot/drivers/replay"
	"mybot/drivers/sim"
	"mybot/handlers"
	"mybot/maps"
	"mybot/media"
	"mybot/robot"
	"mybot/script"
)

// options are the flags of serve.
type options struct {
	listen    string
	urbi      string // "" = the default, or the next free port; "off" = no port for scripts
	data      string
	link      string
	seed      uint64
	robotFile string
	mapDir    string          // a folder, a built-in floor or noMap; "" = the built-in office
	floor     string          // a folder or a built-in floor; "" = that of the map
	record    string          // the folder to record into from the start; "" = do not record
	replay    *replay.Address // the recording to show; nil = serve a robot
	drivers   []base.Address  // the bases that make up the robot; none = the simulator
	localizer app.Localizer
	world     sim.Deviation
	start     *robot.Pose // nil = the last pose
	truth     bool
	hosts     []string
	proxies   []netip.Prefix
	tls       app.TLS
	limits    handlers.Limits
	media     media.Options
	camera    string
	encoder   string
	level     slog.Level
	json      bool
}

// serveFlags returns the flags of serve, which set o.
func serveFlags(o *options) *flag.FlagSet {
	set := flag.NewFlagSet("mybot", flag.ContinueOnError)
	set.SetOutput(io.Discard) // run reports the error
	set.StringVar(&o.listen, "listen", "", "`HOST:PORT` to listen on, 0.0.0.0:8080 for the network (default 127.0.0.1:8080, or the next free port)")
	set.StringVar(&o.urbi, "urbi", "", "`HOST:PORT` for programs that talk by the lines of scripts, or off; for the network, such as 0.0.0.0:"+script.DefaultPort+", it needs --tls (default "+app.DefaultUrbi+", or the next free port)")
	set.StringVar(&o.data, "data", "", "`DIR` for saved data (default $XDG_STATE_HOME/mybot or ~/.local/state/mybot)")
	set.StringVar(&o.link, "link", "", "simulate a bad network for all pages: a name such as kaist-davis, or a `SPEC` such as rtt=310ms,jitter=40ms,loss=1%")
	set.Func("seed", "`NUMBER` that seeds the simulator and --link (default 1)", func(s string) error {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return errors.New("it must be a whole number, 0 or more")
		}
		o.seed = seed
		return nil
	})
	set.Func("world", "`HOW` the simulated robot differs from its description: nominal, hears-less, hears-more, other-beam, other-ring, cross-talk, dropouts, wheels, compass, worst, or of its lidars: lidar-shifted, lidar-crooked, lidar-turned, lidar-reversed, lidar-mirrored, lidar-silent, lidar-frozen, lidar-nan, lidar-short, lidar-millimetres or lidar-clock-back (default nominal)", func(s string) (err error) {
		o.world, err = sim.ParseDeviation(s)
		return err
	})
	set.Func("driver", "`WHICH` robot to drive: sim for the simulated one, or the address of a base: tcp:HOST:PORT, unix:PATH, serial:DEVICE[@BAUD] exec:COMMAND, a program that Mybot starts, or pioneer: and the address of a Pioneer; given again, the address of a part, such as a lidar, that adds to the first (default sim)", func(s string) error {
		if s == "sim" {
			return nil
		}
		if file, ok := strings.CutPrefix(s, "replay:"); ok {
			a, err := replay.ParseAddress(file)
			o.replay = &a
			return err
		}
		address, err := parseDriver(s)
		if err == nil {
			o.drivers = append(o.drivers, address)
		}
		return err
	})
	set.StringVar(&o.record, "record", "", "`DIR` to record into from the start on: all that the robot senses and does, without camera, sound and names")
	set.StringVar(&o.robotFile, "robot", "", "`ROBOT` to simulate: mybot with its sonars, lidar, lidar+sonar, arm, or a file that describes another one (default mybot). With --driver, the description of a base that sends none")
	set.StringVar(&o.mapDir, "map", "", "`MAP` that the robot knows: "+maps.List()+", which are built in, none, or a folder with another map (default: the one that was made last, or office)")
	set.StringVar(&o.floor, "floor", "", "`FLOOR` on which the simulated robot stands: "+maps.List()+", or a folder with a map (default: that of --map, or office)")
	set.Func("localizer", "`HOW` it localizes itself: mcl, odometry, seed-sum or seed-mean (default mcl)", func(s string) (err error) {
		o.localizer, err = app.ParseLocalizer(s)
		return err
	})
	set.Func("start", "`X,Y,HEADING` in m and degrees where the simulated robot starts; its software is not told (default: where it was last)", func(s string) (err error) {
		o.start, err = parseStart(s)
		return err
	})
	set.BoolVar(&o.truth, "truth", false, "report the simulator's true pose in the log and the metrics")
	set.Func("host", "another `NAME` by which people reach this computer; may be given more than once", func(s string) error {
		if s == "" || strings.ContainsAny(s, "/: ") {
			return errors.New("it must be just a name, such as robot.example")
		}
		o.hosts = append(o.hosts, strings.ToLower(s))
		return nil
	})
	set.Func("trusted-proxy", "`CIDR` of the proxy in front of the robot, such as 127.0.0.1/32, whose X-Forwarded headers are trusted; separate several with commas", func(s string) (err error) {
		o.proxies, err = app.ParseProxies(s)
		return err
	})
	set.Func("tls", "`self` for a certificate from the robot's own authority, or two files as in cert.pem,key.pem (default: plain http)", func(s string) (err error) {
		o.tls, err = app.ParseTLS(s)
		return err
	})
	count := func(n *int) func(string) error {
		return func(s string) (err error) {
			if *n, err = strconv.Atoi(s); err != nil || *n < 1 {
				return errors.New("it must be a whole number, 1 or more")
			}
			return nil
		}
	}
	set.Func("max-pages", "`NUMBER` of pages that may connect (default 4096)", count(&o.limits.Sockets))
	set.Func("max-pages-each", "`NUMBER` of them from one address (default 64)", count(&o.limits.PerAddress))
	addMediaFlags(set, o)
	set.Func("log-level", "`LEVEL` of the log: debug, info, warn or error (default info)", func(s string) error {
		level, ok := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}[s]
		if !ok {
			return errors.New("it must be debug, info, warn or error")
		}
		o.level = level
		return nil
	})
	set.Func("log-format", "`FORM` of the log: text or json (default text)", func(s string) error {
		if s != "text" && s != "json" {
			return errors.New("it must be text or json")
		}
		o.json = s == "json"
		return nil
	})
	return set
}

// addMediaFlags adds the flags for camera, sound and the data channel of drive samples.
func addMediaFlags(set *flag.FlagSet, o *options) {
	set.StringVar(&o.camera, "camera", "auto", "`WHICH` camera to use: auto, sim, /dev/video0, FILE.y4m, pattern or none")
	set.Func("encoder", "`WHICH` video encoder to use: auto, vp8 or h264 (default auto: OpenH264 where it is installed, and VP8 for the browsers that do not show H.264)", func(s string) (err error) {
		o.encoder, err = app.ParseEncoder(s)
		return err
	})
	set.Func("public-ip", "public `ADDRESS` from which a router forwards the robot's UDP port; may be given more than once", func(s string) error {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return errors.New("it must be an IP address, such as 203.0.113.7")
		}
		o.media.Public = append(o.media.Public, a)
		return nil
	})
	set.Func("media-tcp", "`HOST:PORT` for camera, sound and drive packets over TCP too, for pages that UDP does not reach", func(s string) error {
		_, port, err := net.SplitHostPort(s)
		if err == nil {
			_, err = net.LookupPort("tcp", port)
		}
		if err != nil {
			return errors.New("it must be an address and a port, such as 0.0.0.0:8443")
		}
		o.media.TCP = s
		return nil
	})
	set.Func("turn", "`turn:USER:PASSWORD@HOST:PORT`, a TURN server for camera, sound and drive packets of a robot that cannot be reached directly; may be given more than once", func(s string) error {
		relay, err := media.ParseRelay(s)
		if err != nil {
			return err
		}
		o.media.Relays = append(o.media.Relays, relay)
		return nil
	})
}

// parseStart reads a pose in m and degrees: "4.5,7.3,90".
func parseStart(s string) (*robot.Pose, error) {
	var n [3]float64
	parts := strings.Split(s, ",")
	for i, part := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if len(parts) != len(n) || err != nil {
			return nil, errors.New("it must be three numbers separated by commas, such as 4.5,7.3,90")
		}
		n[i] = v
	}
	return &robot.Pose{X: n[0], Y: n[1], Theta: robot.Radians(n[2])}, nil
}

// parseOptions reads args into options.
func parseOptions(args []string) (options, error) {
	o := options{seed: 1}
	set := serveFlags(&o)
	err := set.Parse(args)
	if err != nil {
		if _, why, secret := strings.Cut(err.Error(), " for flag -turn: "); secret { // do not print the value: it contains a password
			err = errors.New("--turn: " + why)
		}
	}
	switch {
	case err != nil:
		return o, usageError{err}
	case set.NArg() > 0:
		return o, usageError{fmt.Errorf("%q is not a flag; serve takes only flags", set.Arg(0))}
	}
	return o, nil
}

// dataDir returns the data directory, by default as in the XDG Base Directory
// Specification.
func (o options) dataDir(env func(string) string) (string, error) {
	if o.data != "" {
		return o.data, nil
	}
	if state := env("XDG_STATE_HOME"); filepath.IsAbs(state) { // the specification ignores a relative path
		return filepath.Join(state, "mybot"), nil
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".local", "state", "mybot"), nil
	}
	return "", usageError{fmt.Errorf("neither XDG_STATE_HOME nor HOME is set: choose a directory for saved data with --data")}
}

// savedMap returns the folder for people's edits of the map; data is the data directory. It
// is "" if there is no map.
func (o options) savedMap(data string) string {
	switch o.mapDir {
	case "":
		return filepath.Join(app.MapsDir(data), officeMap)
	case noMap:
		return ""
	}
	if slices.Contains(maps.Names(), o.mapDir) {
		return filepath.Join(app.MapsDir(data), o.mapDir)
	}
	return o.mapDir
}

// newLogger returns the program's logger, which writes to w.
func (o options) newLogger(w io.Writer) *slog.Logger {
	how := &slog.HandlerOptions{Level: o.level}
	if o.json {
		return slog.New(slog.NewJSONHandler(w, how))
	}
	return slog.New(slog.NewTextHandler(w, how))
}

// usageText returns the usage of the program.
func usageText() string {
	var text strings.Builder
	text.WriteString(`Mybot is a robot that you drive from a browser.

  mybot [serve] [flags]   run the robot; it prints the address to open
  mybot pair --robot URL --code PIN [--name NAME] [--ca FILE]
                          connect this command line to a robot on the network
  mybot stop [--robot URL]      stop a robot
  mybot status [--robot URL]    show a robot's state; --json for all of it
  mybot users list [--robot URL | --data DIR]
  mybot users revoke ID [--link | --alone] [--robot URL | --data DIR]
                          list who may connect, or revoke someone's access and
                          everyone's who came by their links (--alone: not
                          theirs; --link: also who came by the same link)
  mybot users invite [operator | admin] [--robot URL | --data DIR]
                          a new link that lets one of them connect
  mybot motions list | get N | add FILE [--robot URL | --data DIR]
                          drives that were recorded; get prints one as JSON
  mybot record FILE.mcap [--for TIME] [--robot URL | --data DIR]
                          record what a robot senses and does, until Ctrl-C or
                          for a time such as 90s; Foxglove opens the file
  mybot job list | show ID [--robot URL | --data DIR] [--json]
                          the saved jobs; show prints one, or a run by its number
  mybot job validate FILE [--map DIR | --robot URL]
                          report every fault of a job
  mybot job run FILE|ID [--robot URL | --data DIR]
                          run a job and report its progress
  mybot job pause | resume | skip [STEP] | retry [STEP] | end [--robot URL | --data DIR]
                          control the current run; STEP is the number of the
                          current step, so that no other one is affected
  mybot queue show | run FILE [--robot URL | --data DIR]
                          timed commands: show the robot's queue, or send those
                          of a file and print how each one ends
  mybot script check FILE       report every fault of a script
  mybot script try FILE [--what-if FILE] [--for TIME] [--robot URL | --data DIR]
                          print what a script does on a virtual robot
  mybot script run FILE|ID [--control] [--robot URL | --data DIR] [--urbi HOST:PORT]
                          run a script from a file until it ends or Ctrl-C, or start
                          a saved one; --control takes control, so that it may move
  mybot script list | stop ID [--robot URL | --data DIR]
                          the saved scripts; stop ends one that runs
  mybot script talk [--control] [--robot URL | --data DIR] [--urbi HOST:PORT]
                          send what you type to the robot's port for scripts, and
                          print what it says
  mybot script record FILE [--for TIME] [--devices LIST]
                          record head and wheels as text, 50 times a second; FILE
                          may be -
  mybot script play FILE  move the robot as a record says, half a second ahead
  mybot script mirror --to HOST:PORT
                          move the robot at another port for scripts as this one moves
  mybot joints show | move NAME=WHERE ... [--robot URL | --data DIR]
                          where the robot's joints are, or move some of them and
                          wait: degrees for one that turns, metres for one that slides
  mybot audit verify [FILE | --data DIR]
                          check that the audit log is unbroken
  mybot map check DIR [--robot ROBOT]
                          report every fault of a map folder
  mybot map info [DIR] [--robot ROBOT] [--json]
                          show what is on a map
  mybot map lines DIR [--write]
                          trace the object lines of a map's picture
  mybot map build LOG --out DIR [--poses FILE] [--json]
                          make a map folder from a recording, or from the log of a
                          robot with a lidar; FILE gets a line "t x y theta" for each scan
  mybot map sketch FILE.mcap --out DIR [--robot ROBOT]
                          draw what the sonars of a robot heard in a recording
                          near where it began: free floor and rough walls
  mybot base example python | arduino | lidar | gripper | speaker
                          print a base to begin with; docs/your-robot.md leads
                          from there to a robot that is driven
  mybot base serve sim [--listen tcp:HOST:PORT | unix:PATH | --stdio] [--hold TIME]
                       [--robot ROBOT] [--floor FLOOR] [--world HOW]
                       [--start X,Y,HEADING] [--seed NUMBER]
                          the simulated robot as a base that programs drive by the
                          lines of mybot.base (default tcp:127.0.0.1:7401, 100ms);
                          --stdio speaks over standard input and output
  mybot base serve pioneer ADDRESS [--model MODEL] [--listen tcp:HOST:PORT | unix:PATH | --stdio]
                          a robot of the Pioneer family as a base
  mybot base check ADDRESS [--drive | --wheels-up] [--accept-slow-base] [--yes] [--json]
                          say which rules of mybot.base the base at an address
                          such as tcp:127.0.0.1:7401 follows; --drive also tries
                          those that move the robot and needs 2 m ahead;
                          --wheels-up needs the wheels off the floor
  mybot base watch ADDRESS [--for TIME]
                          show every line of both directions, and what is wrong
                          with those that cannot be read; it sends hello and ping
  mybot robot import FILE.urdf [--wheels LEFT,RIGHT | --wheel-base M [--axle-offset M]]
                     [--max-speed M_S] [--max-turn DEG_S] [--max-acceleration M_S2]
                     [--max-turn-acceleration DEG_S2] [--rate HZ] [--hold S]
                     [--name NAME] [--length M] [--width M] [--height M] [--mass KG]
                     [--box LINK=X,Y,Z] [--fix JOINT,...] [--joint-speed JOINT=N]
                          print the description of a robot that has a URDF, and say
                          what of it was skipped; what it does not say are the flags
  mybot robot export ROBOT
                          print a robot's links and joints as a URDF
  mybot doctor [flags of serve] [--json]
                          check what the robot needs from this computer, and say what to fix
  mybot lab ...           run an experiment; mybot lab help lists them
  mybot licences          print the licences of what it is built from
  mybot version | --version
                          print the build: version, commit, Go, what was left out
  mybot help              print this

Flags of serve:
`)
	var o options
	set := serveFlags(&o)
	set.VisitAll(func(f *flag.Flag) {
		name, what := flag.UnquoteUsage(f)
		if name != "" {
			name = " " + name
		}
		fmt.Fprintf(&text, "  --%-18s  %s\n", f.Name+name, what)
	})
	return text.String()
}

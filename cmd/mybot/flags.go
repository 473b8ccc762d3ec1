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
	"strconv"
	"strings"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/handlers"
	"mybot/media"
	"mybot/robot"
)

// options are the flags of serve.
type options struct {
	listen    string
	data      string
	link      string
	seed      uint64
	robotFile string
	mapDir    string
	localizer app.Localizer
	world     sim.Deviation
	start     *robot.Pose // nil = where it was last
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

// flags returns the flags of serve, which set o.
func flags(o *options) *flag.FlagSet {
	set := flag.NewFlagSet("mybot", flag.ContinueOnError)
	set.SetOutput(io.Discard) // run says what is wrong
	set.StringVar(&o.listen, "listen", "", "`HOST:PORT` to listen on, 0.0.0.0:8080 for the network (default 127.0.0.1:8080, or the next free port)")
	set.StringVar(&o.data, "data", "", "`DIR` where it keeps what must last (default $XDG_STATE_HOME/mybot or ~/.local/state/mybot)")
	set.StringVar(&o.link, "link", "", "make the page's network bad: a name such as kaist-davis, or a `SPEC` such as rtt=310ms,jitter=40ms,loss=1%")
	set.Func("seed", "`NUMBER` that all chance of the simulator and of --link comes from (default 1)", func(s string) error {
		seed, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return errors.New("it must be a whole number from 0 on")
		}
		o.seed = seed
		return nil
	})
	set.Func("world", "`HOW` the simulated robot differs from its description: nominal, hears-less, hears-more, other-beam, other-ring, cross-talk, dropouts, wheels, compass or worst (default nominal)", func(s string) (err error) {
		o.world, err = sim.ParseDeviation(s)
		return err
	})
	set.StringVar(&o.robotFile, "robot", "", "`FILE` with another robot's description (default Mybot's own)")
	set.StringVar(&o.mapDir, "map", "", "`DIR` with another floor's map folder (default the built-in office)")
	set.Func("localizer", "`HOW` it knows where it is: mcl, odometry, seed-sum or seed-mean (default mcl)", func(s string) (err error) {
		o.localizer, err = app.ParseLocalizer(s)
		return err
	})
	set.Func("start", "`X,Y,HEADING` in m and degrees where the simulated robot is put down, without being told (default where it was last)", func(s string) error {
		var n [3]float64
		parts := strings.Split(s, ",")
		for i, part := range parts {
			v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
			if len(parts) != len(n) || err != nil {
				return errors.New("it must be three numbers with commas, such as 4.5,7.3,90")
			}
			n[i] = v
		}
		o.start = &robot.Pose{X: n[0], Y: n[1], Theta: robot.Radians(n[2])}
		return nil
	})
	set.BoolVar(&o.truth, "truth", false, "tell the simulator's true pose in the log and the metrics")
	set.Func("host", "`NAME` by which people may call this computer, beside its own; may be given more than once", func(s string) error {
		if s == "" || strings.ContainsAny(s, "/: ") {
			return errors.New("it must be a name alone, such as robot.example")
		}
		o.hosts = append(o.hosts, strings.ToLower(s))
		return nil
	})
	set.Func("trusted-proxy", "`CIDR` of the proxy before the robot, such as 127.0.0.1/32, whose X-Forwarded headers are believed; several with commas", func(s string) (err error) {
		o.proxies, err = app.ParseProxies(s)
		return err
	})
	set.Func("tls", "`self` for a certificate of the robot's own authority, or two files as in cert.pem,key.pem (default plain http)", func(s string) (err error) {
		o.tls, err = app.ParseTLS(s)
		return err
	})
	count := func(n *int) func(string) error {
		return func(s string) (err error) {
			if *n, err = strconv.Atoi(s); err != nil || *n < 1 {
				return errors.New("it must be a whole number from 1 on")
			}
			return nil
		}
	}
	set.Func("max-pages", "`NUMBER` of pages that may be connected (default 4096)", count(&o.limits.Sockets))
	set.Func("max-pages-each", "`NUMBER` of them from one address (default 64)", count(&o.limits.PerAddress))
	set.StringVar(&o.camera, "camera", "auto", "`WHICH` camera people see through: auto, sim, /dev/video0, FILE.y4m, pattern or none")
	set.Func("encoder", "`WHICH` encoder the pictures are made by: auto, vp8 or h264 (default auto: OpenH264 where it is installed, else VP8)", func(s string) (err error) {
		o.encoder, err = app.ParseEncoder(s)
		return err
	})
	set.Func("public-ip", "`ADDRESS` under which a router passes the robot's UDP port on to it; may be given more than once", func(s string) error {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return errors.New("it must be an IP address, such as 203.0.113.7")
		}
		o.media.Public = append(o.media.Public, a)
		return nil
	})
	set.Func("media-tcp", "`HOST:PORT` where camera, sound and drive packets go by TCP too, for pages that no UDP reaches", func(s string) error {
		if _, _, err := net.SplitHostPort(s); err != nil {
			return errors.New("it must be an address and a port, such as 0.0.0.0:8443")
		}
		o.media.TCP = s
		return nil
	})
	set.Func("turn", "`turn:USER:PASSWORD@HOST:PORT`, a TURN server for camera, sound and drive packets of a robot that nobody reaches; may be given more than once", func(s string) error {
		relay, err := media.ParseRelay(s)
		if err != nil {
			return err
		}
		o.media.Relays = append(o.media.Relays, relay)
		return nil
	})
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

// parse reads args into options.
func parse(args []string) (options, error) {
	o := options{seed: 1}
	set := flags(&o)
	err := set.Parse(args)
	if err != nil {
		if _, why, secret := strings.Cut(err.Error(), " for flag -turn: "); secret { // what was given holds a password
			err = errors.New("--turn: " + why)
		}
	}
	switch {
	case err != nil:
		return o, usageError{err}
	case set.NArg() > 0:
		return o, usageError{fmt.Errorf("%q is not a flag; what serve knows are flags only", set.Arg(0))}
	}
	return o, nil
}

// dataDir returns where what must last is kept, as the XDG Base Directory
// Specification has it.
func (o options) dataDir(env func(string) string) (string, error) {
	if o.data != "" {
		return o.data, nil
	}
	if state := env("XDG_STATE_HOME"); filepath.IsAbs(state) { // the specification ignores a relative one
		return filepath.Join(state, "mybot"), nil
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".local", "state", "mybot"), nil
	}
	return "", usageError{fmt.Errorf("neither XDG_STATE_HOME nor HOME is set: say with --data where to keep what must last")}
}

// savedMap returns the folder where what people change of the map is kept; data
// is the data directory.
func (o options) savedMap(data string) string {
	if o.mapDir != "" {
		return o.mapDir
	}
	return filepath.Join(data, "maps", "office")
}

// logger returns the program's log, which goes to w.
func (o options) logger(w io.Writer) *slog.Logger {
	how := &slog.HandlerOptions{Level: o.level}
	if o.json {
		return slog.New(slog.NewJSONHandler(w, how))
	}
	return slog.New(slog.NewTextHandler(w, how))
}

// usage tells how the program is called.
func usage() string {
	var text strings.Builder
	text.WriteString(`Mybot is a robot that you drive from a browser.

  mybot [serve] [flags]   run the robot; it prints the address to open
  mybot pair --robot URL --code PIN [--name NAME] [--ca FILE]
                          let this command line in at a robot on the network
  mybot stop [--robot URL]      stop a robot
  mybot status [--robot URL]    how a robot is; --json for all of it
  mybot users list [--robot URL | --data DIR]
  mybot users revoke ID [--robot URL | --data DIR]
                          who may come in, and who may not any more
  mybot users invite [operator | admin] [--robot URL | --data DIR]
                          a new link that lets one of them in
  mybot motions list | get N | add FILE [--robot URL | --data DIR]
                          the drives by hand that were kept; get prints one as JSON
  mybot job list | show ID [--robot URL | --data DIR] [--json]
                          the jobs that are kept; show tells of one, or of a run by its number
  mybot job validate FILE [--map DIR | --robot URL]
                          tell every fault of a job
  mybot job run FILE|ID [--robot URL | --data DIR]
                          have a job run, and tell how it gets on
  mybot job pause | resume | skip [STEP] | retry [STEP] | end [--robot URL | --data DIR]
                          the run that is under way; STEP is the number of the
                          current step, for nothing to happen to another one
  mybot audit verify [FILE | --data DIR]
                          check that the record of what happened is unbroken
  mybot map check DIR [--robot FILE]
                          tell every fault of a map folder
  mybot map info [DIR] [--robot FILE] [--json]
                          tell what is on a map
  mybot map lines DIR [--write]
                          trace the object lines of a map's picture
  mybot doctor [flags of serve] [--json]
                          tell what the robot leans on here, and what to do about each
  mybot lab ...           run an experiment; mybot lab help lists them
  mybot version           print the build
  mybot help              print this

Flags of serve:
`)
	var o options
	set := flags(&o)
	set.VisitAll(func(f *flag.Flag) {
		name, what := flag.UnquoteUsage(f)
		if name != "" {
			name = " " + name
		}
		fmt.Fprintf(&text, "  --%-18s  %s\n", f.Name+name, what)
	})
	return text.String()
}

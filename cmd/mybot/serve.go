package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strings"

	"mybot/app"
	"mybot/drivers/camera"
	"mybot/drivers/sim"
	"mybot/link"
	"mybot/robot"
	"mybot/robot/models"
)

// sceneFile is the file of a map folder with the simulator's scene.
const sceneFile = "scene.json"

// serveCommand runs the robot until ctx ends.
func serveCommand(ctx context.Context, args []string, stdout, stderr io.Writer, env func(string) string) error {
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	data, err := o.dataDir(env)
	if err != nil {
		return err
	}
	if o.replay == nil { // a recording that is shown stores nothing
		if err := checkDataDir(data); err != nil {
			return err
		}
	}
	var network link.Profile
	if o.link != "" {
		if network, err = link.ParseProfile(o.link); err != nil {
			return usageError{fmt.Errorf("--link: %w", err)}
		}
	}
	supervisor, err := app.FindSupervisor(env)
	if err != nil {
		return err
	}
	surviveBrokenPipe()
	log := o.newLogger(stderr)
	if o.mapDir == "" && o.replay == nil {
		if err := app.RestoreMapInUse(data); err != nil {
			return err
		}
	}
	if o, err = o.withMapInUse(data); err != nil {
		log.Error("the robot starts without a map, because the one in use cannot be read; repair its folder, or name another map with --map", "error", err)
	}
	ln, moved, err := app.Listen(o.listen)
	if errors.As(err, new(app.AddressError)) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	urbi, urbiMoved, err := o.listenUrbi()
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	app.SetThreads(env)
	r, err := o.openRig(ctx, data, log)
	if err != nil {
		if urbi != nil {
			_ = urbi.Close() // no one has connected
		}
		return errors.Join(err, ln.Close())
	}
	defer r.close()
	cfg := app.Config{
		Plan:      r.plan,
		Start:     r.start,
		Localizer: o.localizer,
		DataDir:   data,
		MapDir:    r.mapDir,
		RecordDir: o.record,
		Link:      network,
		Seed:      o.seed,
		Build:     buildName(),
		Camera:    r.camera,
		Hosts:     o.hosts,
		Proxies:   o.proxies,
		TLS:       o.tls,
		Urbi:      urbi,
		Limits:    o.limits,
		Encoder:   o.encoder,
		Media:     o.media,
		Notify:    supervisor,
		Invite:    func(i app.Invitation) { printInvitation(stdout, i) },
		Ready: func() {
			if moved {
				_, _ = fmt.Fprintf(stdout, "Another program uses the address %s, so the next free one is used.\n", app.DefaultListen)
			}
			_, _ = fmt.Fprintf(stdout, "%s\n\n    Open  %s/\n\n%s", r.describe(), app.Home(ln.Addr(), o.tls), urbiText(urbi, urbiMoved))
			if o.link != "" {
				_, _ = fmt.Fprintf(stdout, "Simulated network for all pages: %s.\n", network)
			}
			_, _ = fmt.Fprintln(stdout, keysText(supervisor))
		},
	}
	if r.simulate != nil {
		r.simulate(&cfg)
	}
	return app.Serve(ctx, ln, r.driver, cfg, log)
}

// keysText names the keys that drive in the page, and the one that ends the server where it has a
// terminal.
func keysText(supervisor app.Supervisor) string {
	keys := "Hold W, A, S or D to drive and let go to stop. Space is STOP."
	if supervisor.Socket == "" {
		keys += " Ctrl-C here quits."
	}
	return keys
}

// checkDataDir returns why a server cannot use a data directory; one that is missing will
// be created.
func checkDataDir(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		return fmt.Errorf("the data directory %s is not a directory: choose another with --data", dir)
	}
	if err == nil {
		_, err = os.ReadDir(dir)
	}
	if err != nil {
		return fmt.Errorf("the data directory cannot be read: give this user the rights, or choose another with --data (%w)", err)
	}
	return nil
}

// listenUrbi listens for programs that talk by the lines of scripts; nil = --urbi off.
func (o options) listenUrbi() (ln net.Listener, moved bool, err error) {
	if o.urbi == "off" {
		return nil, false, nil
	}
	ln, moved, err = app.ListenUrbi(o.urbi)
	switch {
	case errors.As(err, new(app.AddressError)):
		return nil, false, usageError{err}
	case err != nil:
		return nil, false, err
	case o.tls == (app.TLS{}) && !isLoopback(ln.Addr()):
		_ = ln.Close() // no one has connected
		return nil, false, usageError{fmt.Errorf("--urbi %s lets other computers in, so it needs --tls; or leave it out, and only this computer reaches it", o.urbi)}
	}
	return ln, moved, nil
}

func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// urbiText says where programs connect.
func urbiText(ln net.Listener, moved bool) string {
	if ln == nil {
		return ""
	}
	text := fmt.Sprintf("Scripts: mybot script talk, or port %d for your own programs.\n", ln.Addr().(*net.TCPAddr).Port)
	if moved {
		text += fmt.Sprintf("Another program uses the address %s, so scripts have the next free one.\n", app.DefaultUrbi)
	}
	return text
}

// openCamera opens the camera that --camera selects, by default that of the simulated robot,
// which closes its camera itself; nil = there is none.
func openCamera(which string, simulated robot.Camera, log *slog.Logger) (sees robot.Camera, closeCamera func(), err error) {
	sees, what, err := camera.Open(which, simulated)
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("--camera: %s", strings.TrimPrefix(err.Error(), "camera: "))}
	}
	log.Debug("camera", "which", what)
	if c, ok := sees.(io.Closer); ok && sees != simulated {
		return sees, func() { _ = c.Close() }, nil
	}
	return sees, func() {}, nil
}

// placeRobot places the simulated robot at the pose from the command line. Without one it
// uses the last pose, since a robot stays where it was switched off: its pose in the building
// or, if that is unknown, on its map.
func placeRobot(driver *sim.Driver, plan, building *robot.Floorplan, data string, start *robot.Pose, log *slog.Logger) error {
	if start != nil {
		if err := driver.CarryRobot(*start); err != nil {
			return usageError{fmt.Errorf("--start: %w", err)}
		}
		return nil
	}
	last, ok := app.LoadStanding(data, building)
	if !ok {
		last, ok = app.LoadPose(data, plan)
		ok = ok && plan == building
	}
	if ok {
		if err := driver.CarryRobot(last); err != nil {
			log.Warn("the simulated robot is not where it was last", "why", err)
		}
	}
	return nil
}

// readDescription returns the description of a built-in robot by its name, or reads it
// from a file; "" = Mybot.
func readDescription(nameOrFile string) (robot.Description, error) {
	data, err := readDescriptionFile(nameOrFile)
	if err != nil {
		return robot.Description{}, err
	}
	return parseDescription(data, nameOrFile)
}

// readDescriptionFile returns what readDescription parses.
func readDescriptionFile(nameOrFile string) ([]byte, error) {
	if data, ok := models.Find(cmp.Or(nameOrFile, models.MybotName)); ok {
		return data, nil
	}
	f, err := os.Open(nameOrFile)
	if err != nil {
		return nil, fmt.Errorf("--robot is neither %s nor a file: %w", models.List(), err)
	}
	defer func() { _ = f.Close() }()                                   // it was only read
	data, err := io.ReadAll(io.LimitReader(f, robot.MaxDescription+1)) // a device, for example, may have no end
	switch {
	case err != nil:
		return nil, fmt.Errorf("--robot %s cannot be read: %w", nameOrFile, err)
	case len(data) > robot.MaxDescription:
		return nil, fmt.Errorf("--robot %s has more than %d bytes, the most that a description can have", nameOrFile, robot.MaxDescription)
	}
	return data, nil
}

func parseDescription(data []byte, nameOrFile string) (robot.Description, error) {
	desc, err := robot.ParseDescription(data)
	if err != nil && nameOrFile != "" {
		err = fmt.Errorf("--robot %s: %w", nameOrFile, err)
	}
	return desc, err
}

// flagError adds to an error the flag with the folder that it concerns; without a folder,
// that is the built-in one, it changes nothing.
func flagError(flag, dir string, err error) error {
	if dir == "" || err == nil {
		return err
	}
	return fmt.Errorf("%s %s: %w", flag, dir, err)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/link"
	"mybot/maps"
	"mybot/robot"
	"mybot/robot/floorplan"
	"mybot/robots"
)

// sceneFile is what the simulator adds to a map folder.
const sceneFile = "scene.json"

// serve runs the simulated robot until ctx ends.
func serve(ctx context.Context, args []string, stdout, stderr io.Writer, env func(string) string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	data, err := o.dataDir(env)
	if err != nil {
		return err
	}
	var network link.Profile
	if o.link != "" {
		if network, err = link.Parse(o.link); err != nil {
			return usageError{fmt.Errorf("--link: %w", err)}
		}
	}
	desc, err := description(o.robotFile)
	if err != nil {
		return err
	}
	plan, scene, err := floor(o.mapDir)
	if err != nil {
		return err
	}
	ln, moved, err := app.Listen(o.listen)
	if errors.As(err, new(app.AddressError)) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	driver := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: o.seed}))
	cfg := app.Config{
		Plan:      plan,
		Start:     scene.Start,
		DataDir:   data,
		Link:      network,
		Seed:      o.seed,
		Build:     build(),
		Simulator: true,
		Hosts:     o.hosts,
		Proxies:   o.proxies,
		TLS:       o.tls,
		Limits:    o.limits,
		Invite:    func(i app.Invitation) { invite(stdout, i) },
		Ready: func() {
			if moved {
				_, _ = fmt.Fprintf(stdout, "The address %s is taken by another program, so here is the next free one.\n", app.DefaultListen)
			}
			_, _ = fmt.Fprintf(stdout, "%s is ready (simulated, %s).\n\n    Open  %s/\n\n", desc.Name, plan.Name, app.Home(ln.Addr(), o.tls))
			if o.link != "" {
				_, _ = fmt.Fprintf(stdout, "The page's network is made bad: %s.\n", network)
			}
			_, _ = fmt.Fprintln(stdout, "Hold W, A, S or D to drive and let go to stop. Space is STOP. Ctrl-C here ends it.")
		},
	}
	if o.truth {
		cfg.Truth = func() robot.Pose { return driver.Truth().Pose }
	}
	return app.Serve(ctx, ln, driver, cfg, o.logger(stderr))
}

// description reads the robot's description from the file, or returns Mybot's.
func description(file string) (robot.Description, error) {
	data := robots.Mybot()
	if file != "" {
		var err error
		if data, err = os.ReadFile(file); err != nil {
			return robot.Description{}, fmt.Errorf("--robot: %w", err)
		}
	}
	desc, err := robot.ParseDescription(data)
	if err != nil && file != "" {
		err = fmt.Errorf("--robot %s: %w", file, err)
	}
	return desc, err
}

// floor reads the map folder, or the built-in office, and what the simulator
// adds to it. A folder without a scene starts the robot at its dock or, without
// one, at its first place.
func floor(dir string) (*robot.Floorplan, sim.Scene, error) {
	folder := maps.Office()
	if dir != "" {
		folder = os.DirFS(dir)
	}
	plan, err := floorplan.Load(folder)
	if err != nil {
		return nil, sim.Scene{}, in(dir, err)
	}
	scene, err := sim.ReadScene(folder, sceneFile)
	switch {
	case err == nil:
		return plan, scene, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, sim.Scene{}, in(dir, err)
	}
	scene = sim.DefaultScene()
	switch {
	case plan.Dock != nil:
		scene.Start = *plan.Dock
	case len(plan.Places) > 0:
		scene.Start = plan.Places[0].Pose
	default:
		return nil, sim.Scene{}, in(dir, fmt.Errorf("nothing says where the robot starts: add a dock, a place, or a %s with a start", sceneFile))
	}
	return plan, scene, nil
}

// in says which --map an error is about.
func in(dir string, err error) error {
	if dir == "" {
		return err
	}
	return fmt.Errorf("--map %s: %w", dir, err)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"mybot/app"
	"mybot/certs"
	"mybot/drivers/camera"
	"mybot/drivers/sim"
	"mybot/link"
	"mybot/media/h264"
	"mybot/media/voice"
	"mybot/robot"
	"mybot/store"
)

// A finding is the result of examining one part.
type finding struct {
	Part  string `json:"part"`
	State string `json:"state"` // good, note or bad
	Found string `json:"found"`
	Do    string `json:"do,omitempty"` // the remedy
}

// The states of a finding. Only a bad one keeps the robot from running.
const (
	good = "good"
	note = "note"
	bad  = "bad"
)

// doctorCommand examines everything that the server depends on, and prints the findings with
// their remedies. It takes the flags of serve and changes nothing.
func doctorCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	asJSON := slices.Contains(args, "--json")
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "--json" })
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	findings := []finding{
		examineProgram(),
		examineClock(ctx),
		examineData(o, env),
		examineStore(o, env),
		examineMap(o, env),
		examineOdometry(o, env),
	}
	if o.link != "" {
		if _, err := link.ParseProfile(o.link); err != nil {
			findings = append(findings, finding{"link", bad, err.Error(), "Choose another with --link, or leave it out."})
		}
	}
	findings = append(findings, examinePorts(o)...)
	findings = append(findings, examineUrbi(o), examineTLS(o, env), examineEncoder(o), examineCamera(ctx, o, env), examineVoice())
	if err := ctx.Err(); err != nil {
		return err
	}
	broken := false
	for _, f := range findings {
		broken = broken || f.State == bad
	}
	if asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(findings)
	} else {
		err = printFindings(stdout, findings)
	}
	if err == nil && broken {
		err = errors.New("the robot cannot run like this; the lines marked x say why")
	}
	return err
}

// printFindings writes the findings for a person.
func printFindings(w io.Writer, findings []finding) error {
	marks := map[string]string{good: "ok", note: "-", bad: "x"}
	for _, f := range findings {
		if _, err := fmt.Fprintf(w, "%-3s %-12s %s\n", marks[f.State], f.Part, f.Found); err != nil {
			return err
		}
		if f.Do != "" {
			if _, err := fmt.Fprintf(w, "    %-12s > %s\n", "", f.Do); err != nil {
				return err
			}
		}
	}
	return nil
}

// examineProgram reports the build, and which features it was built without.
func examineProgram() finding {
	f := finding{"program", good, fmt.Sprintf("mybot %s, %s, %s/%s, %d cores", buildName(), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()), ""}
	if out := leftOut(); out != "" {
		f.Do = "It was built without " + out + "."
	}
	return f
}

// examineClock measures how late the computer wakes a sleeping goroutine. A control loop of
// 50 Hz depends on that.
func examineClock(ctx context.Context) finding {
	const each, count = 20 * time.Millisecond, 50
	ticker := time.NewTicker(each)
	defer ticker.Stop()
	worst := time.Duration(0)
	last := time.Now()
	for range count {
		select {
		case <-ctx.Done():
			return finding{"punctuality", note, "not measured", ""}
		case <-ticker.C:
			worst = max(worst, time.Since(last)-each)
			last = time.Now()
		}
	}
	f := finding{"punctuality", good, fmt.Sprintf("timers fired up to %.0f ms late in %v", float64(worst)/float64(time.Millisecond), each*count), ""}
	if worst > each {
		f.State, f.Do = note, "Another program keeps this computer busy. The robot brakes by itself when its control loop is held up for 250 ms."
	}
	return f
}

// examineData examines the data directory.
func examineData(o options, env func(string) string) finding {
	const part = "data"
	dir, err := o.dataDir(env)
	if err != nil {
		return finding{part, bad, err.Error(), "Give a directory with --data."}
	}
	there := dir
	for {
		if _, err := os.Stat(there); err == nil || filepath.Dir(there) == there {
			break
		}
		there = filepath.Dir(there)
	}
	file, err := os.CreateTemp(there, ".mybot-doctor-*")
	if err != nil {
		return finding{part, bad, fmt.Sprintf("%s cannot be written to", dir), "Fix its permissions, or choose another directory with --data."}
	}
	_ = file.Close()
	if err := os.Remove(file.Name()); err != nil {
		return finding{part, note, err.Error(), ""}
	}
	if there != dir {
		return finding{part, good, dir + " will be created", ""}
	}
	return finding{part, good, dir, ""}
}

// examineStore reads the whole database.
func examineStore(o options, env func(string) string) finding {
	const part = "database"
	dir, err := o.dataDir(env)
	if err == nil {
		err = store.Check(dir)
	}
	switch {
	case err == nil:
		return finding{part, good, "read through, no damage found", ""}
	case errors.Is(err, fs.ErrNotExist):
		return finding{part, good, "will be created", ""}
	case errors.Is(err, store.ErrInUse):
		return finding{part, note, "not read: a robot that is running uses it", "Stop the robot, then run mybot doctor again."}
	}
	return finding{part, bad, strings.TrimPrefix(err.Error(), "store: "), "Move the file away, or put its backup in its place."}
}

// examineMap reads the map and the robot's description.
func examineMap(o options, env func(string) string) finding {
	if _, err := readDescription(o.robotFile); err != nil {
		return finding{"robot", bad, err.Error(), "Fix the file, or leave out --robot."}
	}
	data, _ := o.dataDir(env) // examineData reports errors
	o, err := o.withMapInUse(data)
	if err != nil {
		return finding{"map", note, err.Error(), "The robot starts without it. Repair the folder, or name another map with --map."}
	}
	if len(o.drivers) > 0 && (o.mapDir == "" || o.mapDir == noMap) {
		return finding{"map", note, "none", "Make one in the page, or name one with --map."}
	}
	plan, _, _, err := o.readFloors(o.savedMap(data))
	if err != nil {
		return finding{"map", bad, err.Error(), "Run mybot map check " + o.savedMap(data) + "."}
	}
	return finding{"map", good, fmt.Sprintf("%s: %d places, %d rooms", plan.Name, len(plan.Places), len(plan.Rooms)), ""}
}

// examinePorts checks whether the server can listen, and reports who can reach it.
func examinePorts(o options) []finding {
	ln, moved, err := app.Listen(o.listen)
	if err != nil {
		return []finding{{"port", bad, err.Error(), "Stop the program that uses it, or choose another with --listen."}}
	}
	defer func() { _ = ln.Close() }()
	tcp := ln.Addr().(*net.TCPAddr)
	f := finding{"port", good, ln.Addr().String() + " is free", ""}
	if moved {
		f = finding{"port", note, app.DefaultListen + " is taken by another program", "It may be a Mybot that is already running. Without --listen the next free port is used."}
	}
	all := []finding{f}
	udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: tcp.IP, Port: tcp.Port})
	if err != nil {
		all = append(all, finding{"UDP", note, fmt.Sprintf("port %d is taken", tcp.Port), "Camera, sound and drive datagrams use any free port instead. A firewall must let it through."})
	} else {
		_ = udp.Close()
		all = append(all, finding{"UDP", good, fmt.Sprintf("port %d is free for camera, sound and driving", tcp.Port), ""})
	}
	if tcp.IP.IsLoopback() {
		return append(all, finding{"addresses", note, "only this computer reaches the robot", "Start it with --listen 0.0.0.0:8080 for the network."})
	}
	names := app.Reachable(ln.Addr())
	if len(names) == 0 {
		return append(all, finding{"addresses", note, "this computer is not on a network", ""})
	}
	return append(all, finding{"addresses", good, strings.Join(names, ", "), ""})
}

// examineUrbi checks whether the server can listen for programs that talk by the lines of
// scripts.
func examineUrbi(o options) finding {
	const part = "script port"
	ln, moved, err := o.listenUrbi()
	switch {
	case err != nil:
		return finding{part, bad, err.Error(), "Choose another with --urbi, or off."}
	case ln == nil:
		return finding{part, note, "none, as asked", ""}
	}
	defer func() { _ = ln.Close() }()
	if moved {
		return finding{part, note, app.DefaultUrbi + " is taken by another program", "Without --urbi the next free port is used."}
	}
	return finding{part, good, ln.Addr().String() + " is free", ""}
}

// examineTLS examines the certificate.
func examineTLS(o options, env func(string) string) finding {
	const part = "certificate"
	switch {
	case o.tls.Self:
		dir, err := o.dataDir(env)
		if err == nil {
			_, err = os.Stat(filepath.Join(dir, certs.AuthorityFile))
		}
		if err != nil {
			return finding{part, good, "the robot will create its own authority", "People install it once from /ca."}
		}
		authority, err := certs.OpenAuthority(dir, "", time.Now())
		if err != nil {
			return finding{part, bad, strings.TrimPrefix(err.Error(), "certs: "), ""}
		}
		if fault := authority.FaultAt(time.Now()); fault != "" {
			return finding{part, bad, fault, ""}
		}
		return finding{part, good, "from the robot's own authority", "People install it once from /ca."}
	case o.tls.Cert != "":
		until, err := certs.FindExpiry(o.tls.Cert, o.tls.Key)
		switch {
		case err != nil:
			return finding{part, bad, err.Error(), "Give two PEM files that belong together, or --tls self."}
		case time.Until(until) < 0:
			return finding{part, bad, fmt.Sprintf("%s expired on %s", o.tls.Cert, until.Format(time.DateOnly)), "Renew it. The robot reads the files again by itself."}
		case time.Until(until) < 14*24*time.Hour:
			return finding{part, note, fmt.Sprintf("%s expires on %s", o.tls.Cert, until.Format(time.DateOnly)), "Renew it. The robot reads the files again by itself."}
		}
		return finding{part, good, fmt.Sprintf("%s, until %s", o.tls.Cert, until.Format(time.DateOnly)), ""}
	}
	return finding{part, note, "none: plain http", "On a network, start it with --tls self: browsers allow the microphone only over https."}
}

// examineEncoder measures how long encoding a picture takes.
func examineEncoder(o options) finding {
	const width, height, frames = 640, 480, 12
	out, err := app.NewEncoder(o.encoder, width, height, 1_000_000)
	if err != nil {
		return finding{"encoder", bad, err.Error(), "Choose another one with --encoder."}
	}
	defer func() { _ = out.Close() }()
	var f robot.Frame
	f.Resize(width, height)
	var took time.Duration
	for n := range frames {
		for i := range f.Y {
			f.Y[i] = byte(i/width + i%width + 4*n)
		}
		for i := range f.U {
			f.U[i], f.V[i] = 128, 128
		}
		began := time.Now()
		if _, err := out.Encode(&f, n == 0); err != nil {
			return finding{"encoder", bad, err.Error(), ""}
		}
		if n > 1 {
			took += time.Since(began)
		}
	}
	ms := float64(took) / float64(time.Millisecond) / (frames - 2)
	found := finding{"encoder", good, fmt.Sprintf("%s, %.1f ms a picture of %dx%d", out.MimeType(), ms, width, height), ""}
	if out.MimeType() != "video/H264" {
		found.Do = "With OpenH264 (apt install libopenh264-7, or similar) it takes a third of that."
		if !h264.Built {
			found.Do = "With OpenH264 it takes a third of that; a Mybot for Linux that is built from source (go build ./cmd/mybot) can use it."
		}
	}
	if ms > 25 {
		found.State, found.Do = note, "This computer is too slow for 30 pictures a second; there will be fewer."
	}
	return found
}

// examineCamera opens the camera and takes a picture.
func examineCamera(ctx context.Context, o options, env func(string) string) finding {
	const part = "camera"
	sees, err := simulatedCamera(o, env)
	if err != nil {
		return finding{part, note, "not looked at: " + err.Error(), ""}
	}
	cam, what, err := camera.Open(o.camera, sees)
	switch {
	case err != nil:
		return finding{part, bad, strings.TrimPrefix(err.Error(), "camera: "), "Choose another one with --camera."}
	case cam == nil:
		return finding{part, note, what, "Plug in a camera, or choose another with --camera."}
	}
	if c, ok := cam.(io.Closer); ok {
		defer func() { _ = c.Close() }()
	}
	within, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	var f robot.Frame
	if err := cam.Next(within, &f); err != nil {
		return finding{part, bad, what + " gives no picture: " + err.Error(), "Check whether another program is using it."}
	}
	return finding{part, good, fmt.Sprintf("%s, %d x %d", what, f.Width, f.Height), ""}
}

// simulatedCamera returns the simulator's camera; nil = the robot is not simulated, or has no
// head.
func simulatedCamera(o options, env func(string) string) (robot.Camera, error) {
	if len(o.drivers) > 0 || o.replay != nil {
		return nil, nil //nolint:nilnil // camera.Open takes no camera so
	}
	desc, err := readDescription(o.robotFile)
	if err != nil || desc.Head == nil {
		return nil, err
	}
	data, _ := o.dataDir(env)   // examineData reports errors
	o, _ = o.withMapInUse(data) // examineMap reports errors
	_, plan, scene, err := o.readFloors(o.savedMap(data))
	if err != nil {
		return nil, err
	}
	return sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: o.seed, Deviation: o.world})), nil
}

// examineVoice looks for espeak-ng.
func examineVoice() finding {
	v := voice.New(slog.New(slog.DiscardHandler))
	if !v.IsAloud() {
		return finding{"voice", note, "espeak-ng is not installed", "Install it (apt install espeak-ng). Until then the robot's screen speaks, if its browser can."}
	}
	return finding{"voice", good, fmt.Sprintf("espeak-ng with %d voices", len(v.Voices())), ""}
}

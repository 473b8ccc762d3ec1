package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mybot/app"
	"mybot/certs"
)

// findings returns what doctor finds with flags of serve, by part.
func findings(t *testing.T, args ...string) map[string]finding {
	t.Helper()
	_, out, errs := say(t, append([]string{"doctor", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	var all []finding
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	byPart := map[string]finding{}
	for _, f := range all {
		byPart[f.Part] = f
	}
	return byPart
}

func TestDoctorFindsWhatServeRefuses(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, certs.AuthorityFile), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for part, c := range map[string]struct {
		args []string
		want string
	}{
		"link":        {[]string{"--link", "garbage"}, "garbage"},
		"script port": {[]string{"--urbi", "0.0.0.0:0"}, "so it needs --tls"},
		"certificate": {[]string{"--urbi", "off", "--tls", "self"}, "move it away"},
		"camera":      {[]string{"--urbi", "off", "--driver", "exec:true", "--camera", "sim"}, "this robot is not simulated"},
	} {
		args := append([]string{"--data", data, "--camera", "none"}, c.args...)
		if f := findings(t, args...)[part]; f.State != bad || !strings.Contains(f.Found, c.want) {
			t.Errorf("%s: %+v", part, f)
		}
	}
}

func TestDoctorThatIsInterruptedFindsNothing(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, camera := range []string{"sim", "none"} {
		var out, errs strings.Builder
		code := run(ctx, []string{"doctor", "--listen", "127.0.0.1:0", "--urbi", "off", "--data", t.TempDir(), "--camera", camera}, &out, &errs, func(string) string { return "" })
		if code != exitInterrupted || out.String() != "" || errs.String() != "mybot: interrupted before the work was done\n" {
			t.Errorf("with the camera %s it exits with %d: %s%s", camera, code, out.String(), errs.String())
		}
	}
}

func TestDoctorFindsAnAuthorityThatIsNotValidYet(t *testing.T) {
	data := t.TempDir()
	if _, err := certs.OpenAuthority(data, "Mybot", time.Now().Add(10000*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if f := findings(t, "--data", data, "--camera", "none", "--urbi", "off", "--tls", "self")["certificate"]; f.State != bad || !strings.Contains(f.Found, "set the clock, or move the file away") {
		t.Errorf("it says %+v", f)
	}
}

// mapInUse saves that the map "Lab" is in use. Its folder is empty.
func mapInUse(t *testing.T, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(app.MapsDir(data), "Lab"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, app.MapInUseFile), []byte(`{"map":"Lab"}`), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDoctorExaminesTheMapWithWhichTheRobotStarts(t *testing.T) {
	base := []string{"--urbi", "off", "--camera", "none", "--driver", "exec:true"}
	if f := findings(t, append(base, "--data", t.TempDir())...)["map"]; f.State != note || f.Found != "none" {
		t.Errorf("of a robot without a map: %+v", f)
	}
	data := t.TempDir()
	mapInUse(t, data)
	if f := findings(t, append(base, "--data", data)...)["map"]; f.State != note || !strings.Contains(f.Found, "map.yaml: is missing") || !strings.Contains(f.Do, "starts without it") {
		t.Errorf("of a map that cannot be read: %+v", f)
	}
}

func TestDoctorComparesTheWheelsWithTheDescription(t *testing.T) {
	for name, c := range map[string]struct {
		file  string
		state string
		found []string
		do    []string
	}{
		"a file without a content": {"{}", good, []string{"nothing learned yet"}, nil},
		"nothing learned":          {"", good, []string{"nothing learned yet"}, nil},
		"as described":             {`{"description":{"wheel_base_m":0.4},"missing_turn_deg_per_m":0.5,"missing_turn_share":-0.01,"missing_distance_share":0.005}`, good, []string{"as described"}, nil},
		"the right wheel is larger": {
			`{"description":{"wheel_base_m":0.4},"missing_turn_deg_per_m":7.2}`, note,
			[]string{"the right wheel rolls about 5 % farther than the left one"},
			[]string{"To mend it, stop Mybot, make both wheels the same", ", and delete ", app.OdometryFile + "."},
		},
		"the left wheel is larger": {
			`{"description":{"wheel_base_m":0.4},"missing_turn_deg_per_m":-7.2}`, note,
			[]string{"the left wheel rolls about 5 % farther than the right one"},
			nil,
		},
		"a wider wheel base": {
			`{"description":{"wheel_base_m":0.4},"missing_turn_share":-0.05}`, note,
			[]string{"as if its wheels were 0.421 m apart, and not 0.400 m"},
			[]string{"write 0.421 as drivetrain.wheel_base_m"},
		},
		"rotation from a gyroscope": {
			`{"description":{"wheel_base_m":0.4,"turn_from_imu":true},"missing_turn_deg_per_m":7.2,"missing_turn_share":-0.05}`, good,
			[]string{"as described"},
			nil,
		},
		"larger wheels": {
			`{"description":{"wheel_base_m":0.4},"missing_turn_share":0.04,"missing_distance_share":0.04}`, note,
			[]string{"1 m by its wheels is about 1.04 m of floor"},
			[]string{"multiply encoder.wheel_radius_m, or the metres that the base reports, by 1.04"},
		},
	} {
		data := t.TempDir()
		if c.file != "" {
			if err := os.WriteFile(filepath.Join(data, app.OdometryFile), []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f := findings(t, "--data", data, "--camera", "none", "--urbi", "off")["odometry"]
		if f.State != c.state {
			t.Errorf("%s: %+v", name, f)
		}
		for _, want := range c.found {
			if !strings.Contains(f.Found, want) {
				t.Errorf("%s: it finds %q, want %q", name, f.Found, want)
			}
		}
		for _, want := range c.do {
			if !strings.Contains(f.Do, want) {
				t.Errorf("%s: it advises %q, want %q", name, f.Do, want)
			}
		}
	}
}

func TestARecordingIsShownWithoutTheMapInUse(t *testing.T) {
	data := t.TempDir()
	mapInUse(t, data)
	o, err := parseOptions([]string{"--driver", "replay:drive.mcap"})
	if err != nil {
		t.Fatal(err)
	}
	if o, err = o.withMapInUse(data); err != nil || o.mapDir != "" || o.floor != "" {
		t.Errorf("it has the map %q and the floor %q: %v", o.mapDir, o.floor, err)
	}
}

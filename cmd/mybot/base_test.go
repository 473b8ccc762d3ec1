package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/check"
	"mybot/drivers/base/examples"
	"mybot/drivers/base/protocol"
	"mybot/robot"
	"mybot/robot/models"
)

// serveBase runs the simulated robot as a base until end is called, and returns the
// line that it prints.
func serveBase(t *testing.T, args ...string) (said string, end func() (code int)) {
	t.Helper()
	return serveBaseOf(t, "sim", args...)
}

// serveBaseOf does the same with another base.
func serveBaseOf(t *testing.T, what string, args ...string) (said string, end func() (code int)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	var errs bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"base", "serve", what}, args...), in, &errs, nothing)
		_ = in.Close()
	}()
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		cancel()
		t.Fatalf("the base does not start: %d, %s", <-code, errs.String())
	}
	ended := false
	end = func() int {
		ended = true
		cancel()
		return <-code
	}
	t.Cleanup(func() {
		if !ended {
			end()
		}
	})
	return said, end
}

func TestTheSimulatedRobotIsABase(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "base.sock")
	own := filepath.Join(t.TempDir(), "own.json")
	if err := os.WriteFile(own, bytes.ReplaceAll(models.Mybot(), []byte(`"name": "Mybot"`), []byte(`"name": "Own"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  []string
		want  string // part of the message
		name  string
		holds time.Duration
	}{
		{[]string{"--listen", "tcp:127.0.0.1:0"}, "Mybot (simulated, ", "Mybot", 100 * time.Millisecond},
		{[]string{"--listen", "unix:" + socket, "--hold", "200ms", "--robot", own, "--start", "4.5,7.3,90"}, "is a base at unix:" + socket + ". Ctrl-C ends it.", "Own", 200 * time.Millisecond},
	} {
		said, end := serveBase(t, c.args...)
		if !strings.Contains(said, c.want) {
			t.Errorf("the message %q lacks %q", said, c.want)
		}
		_, address, _ := strings.Cut(said, " is a base at ")
		network, address, _ := strings.Cut(strings.TrimSuffix(address, ". Ctrl-C ends it.\n"), ":")
		conn, err := net.Dial(network, address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, `{"t":"hello","v":[1]}`+"\n")
		lines := bufio.NewScanner(conn)
		for lines.Scan() && strings.HasPrefix(lines.Text(), `{"t":"reading"`) { // a reading may come before the base has received hello
		}
		m, err := protocol.DecodeFromBase(lines.Bytes(), false)
		described, ok := m.(protocol.Describe)
		if err != nil || !ok {
			t.Fatalf("the base answers %s, %v", lines.Text(), err)
		}
		desc, err := robot.ParseDescription(described.Robot)
		if err != nil || desc.Name != c.name || desc.Holds != c.holds || !strings.HasPrefix(described.Base, "mybot sim ") {
			t.Errorf("the base is %s, %s with a hold of %s: %v", described.Base, desc.Name, desc.Holds, err)
		}
		if code := end(); code != exitDone {
			t.Errorf("the base ends with %d", code)
		}
		for lines.Scan() { // lines that were on their way
		}
		_ = conn.Close()
	}
}

func TestTheRobotMovesOnlyAfterReturn(t *testing.T) {
	var out bytes.Buffer
	if err := askToMove(t.Context(), strings.NewReader("\n"), &out, false); err != nil || !strings.Contains(out.String(), "leave 2 m free ahead") {
		t.Errorf("%v: %s", err, out.String())
	}
	if err := askToMove(t.Context(), strings.NewReader(""), &out, true); err == nil || !strings.Contains(out.String(), "they must be off the floor") {
		t.Errorf("it moves though nothing was typed: %s", out.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	silent, typing := io.Pipe()
	defer func() { _ = typing.Close() }()
	if err := askToMove(ctx, silent, &out, false); !errors.Is(err, context.Canceled) {
		t.Errorf("Ctrl-C ends it with %v", err)
	}
	if null, err := os.Open(os.DevNull); err != nil || isTerminal(null) {
		t.Errorf("%s is a terminal, %v", os.DevNull, err)
	}
}

func TestAnExampleIsPrinted(t *testing.T) {
	for _, e := range examples.All() {
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"base", "example", e.Name}, &out, &errs, nothing); code != exitDone || out.String() != e.Text {
			t.Errorf("%s: it ends with %d: %s", e.Name, code, errs.String())
		}
	}
}

func TestTheLinesOfABaseAreShown(t *testing.T) {
	t.Parallel()
	said, _ := serveBase(t, "--listen", "tcp:127.0.0.1:0")
	_, address, _ := strings.Cut(strings.TrimSuffix(said, ". Ctrl-C ends it.\n"), " is a base at ")
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"base", "watch", address, "--for", "1500ms"}, &out, &errs, nothing); code != exitDone {
		t.Errorf("it ends with %d: %s", code, errs.String())
	}
	for _, want := range []string{` > {"t":"hello","v":[1]}`, ` < {"t":"describe","protocol":1,"base":"mybot sim `, ` < {"t":"reading","ms":`, "\nmybot sim ", "\n0 lines could not be read.\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output\n%s\nlacks %q", out.String(), want)
		}
	}
}

// TestABaseIsChecked checks the simulated robot over TCP. It does not judge rules that depend
// on the load of this computer; package check does so in virtual time.
func TestABaseIsChecked(t *testing.T) {
	t.Parallel()
	said, _ := serveBase(t, "--listen", "tcp:127.0.0.1:0")
	_, address, _ := strings.Cut(strings.TrimSuffix(said, ". Ctrl-C ends it.\n"), " is a base at ")

	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"base", "check", address}, &out, &errs, nothing); code == exitUsage {
		t.Errorf("it ends with %d: %s", code, errs.String())
	}
	for _, want := range []string{"ok    answers hello: mybot sim ", "The base follows ", "--drive tries them"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output\n%s\nlacks %q", out.String(), want)
		}
	}

	out.Reset()
	_ = run(t.Context(), []string{"base", "check", address, "--drive", "--json"}, &out, &errs, nothing)
	var report check.Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	if len(report.Rules) != 29 || report.Untried != "" {
		t.Errorf("%d rules were tried: %s", len(report.Rules), report.Summary())
	}
	for _, rule := range report.Rules {
		switch rule.Rule {
		case "answers hello", "describes its robot", "sends the sensors it describes", "answers ping", "survives malformed lines", "speaks with one Mybot at a time",
			"executes nothing that has expired", "executes no number twice", "begins anew after hello", "executes nothing before hello", "sends lines that can be read":
			if !rule.OK {
				t.Errorf("%s", rule)
			}
		}
	}
}

func TestAServerStartsWithoutItsBaseOnlyWhenItKnowsIt(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	address, err := base.ParseAddress("unix:" + filepath.Join(t.TempDir(), "base.sock"))
	if err != nil {
		t.Fatal(err)
	}
	o, err := parseOptions([]string{"--driver", address.String(), "--camera", "none"})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	open := func(o options) (rig, error) { return o.openRig(t.Context(), data, log) }
	_, err = open(o)
	if err == nil || !strings.Contains(err.Error(), "the base at "+address.String()+" has not described its robot within 6s, and no --robot FILE does: No base answers at "+address.String()) {
		t.Errorf("without a base the error is %v", err)
	}

	_, end := serveBase(t, "--listen", address.String())
	r, err := open(o)
	if err != nil {
		t.Fatal(err)
	}
	if said := r.describe(); !strings.HasPrefix(said, "Mybot ") || !strings.HasSuffix(said, "("+address.String()+", no map).") && !strings.HasSuffix(said, address.String()+" (no map).") || r.simulate != nil {
		t.Errorf("it says %q", said)
	}
	_ = r.driver.Close()
	r.close()
	end()

	r, err = open(o)
	if err != nil {
		t.Fatalf("with what was saved of the base: %v", err)
	}
	if said := r.describe(); said != "Mybot waits for its base at "+address.String()+" (no map)." || r.driver.Describe().Holds != 100*time.Millisecond {
		t.Errorf("it says %q", said)
	}
	_ = r.driver.Close()
	r.close()

	o.world.Name = "worst"
	if _, err := open(o); err == nil || !strings.Contains(err.Error(), "--world are about the simulated robot") {
		t.Errorf("the error is %v", err)
	}
}

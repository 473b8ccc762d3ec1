package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mybot/client"
)

// file writes a file and returns its path.
func writeText(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAScriptIsCheckedWithoutARobot(t *testing.T) {
	h := newHome(t)
	good := writeText(t, "good.u", "# by night\nat (battery.val < 20) dock();\n")
	h.ok(good+" is valid.", "script", "check", good)
	bad := writeText(t, "bad.u", "x = 1;\nif (x > 0 { y = 2 };\nz = ;\n")
	h.no(bad+": line 2, column 11: ", "script", "check", bad)
	h.no(bad+": line 3, column 5: ", "script", "check", bad)
	h.no("the script cannot be read", "script", "check", bad+".none")
	h.no("the script cannot be read", "script", "run", bad+".none", "--data", h.data)
	h.no("more than 65536 bytes", "script", "check", writeText(t, "long.u", string(make([]byte, 65537))))
}

func TestAPortForScriptsThatNeedsTLSIsAddressedAlone(t *testing.T) {
	h := newHome(t)
	key := `{"url":"https://127.0.0.1:8080","token":"key","name":"robot.local","urbi":"127.0.0.1:54001","urbi_tls":true}`
	if err := os.MkdirAll(h.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.data, "server.json"), []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := client.PairingsFile(h.at)
	if err != nil {
		t.Fatal(err)
	}
	pairings := client.Pairings{
		"https://192.0.2.2:8080": {Token: "lab"}, "https://hall.example": {Token: "hall"}, "https://127.0.0.1:8081": {Token: "near"},
		"https://two.example:8080": {Token: "a"}, "https://two.example:8081": {Token: "b"}, "http://192.0.2.9:8080": {Identity: "word"},
	}
	if err := pairings.Write(path); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ address, token, server, fault string }{
		{"127.0.0.1:54001", "key", "robot.local", ""}, // the robot on this computer
		{"localhost:54001", "key", "robot.local", ""},
		{"127.0.0.1:54002", "", "", ""}, // needs no TLS
		{"192.0.2.2:54000", "lab", "192.0.2.2", ""},
		{"Hall.example:54000", "hall", "Hall.example", ""},
		{"192.0.2.9:54000", "", "", ""}, // not paired
		{"two.example:54000", "", "", "you are paired with several robots at two.example: name one with --robot"},
		{"192.0.2.2", "", "", `"192.0.2.2" is not the address of a port for scripts: write it as HOST:PORT`},
	} {
		target := scriptTarget{target: target{data: h.data}, urbi: c.address, env: h.at}
		_, opt, err := target.findPort()
		server := ""
		if opt.TLS != nil {
			server = opt.TLS.ServerName
		}
		if opt.Token != c.token || server != c.server || (err == nil) != (c.fault == "") || err != nil && !strings.HasPrefix(err.Error(), c.fault) {
			t.Errorf("%s is addressed with the token %q as %q, %v", c.address, opt.Token, server, err)
		}
	}
	silent := explainSilence("192.0.2.9:54000", fmt.Errorf("read: %w", os.ErrDeadlineExceeded))
	if !strings.Contains(silent.Error(), "needs TLS and a token. Pair with its robot first (mybot pair --robot https://HOST:8080)") {
		t.Errorf("of a silent port it says %v", silent)
	}
}

// talk runs a script command with an input.
func (h *home) talk(input string, args ...string) (said string, err error) {
	var out bytes.Buffer
	err = scriptCommand(h.t.Context(), append(args, "--data", h.data), strings.NewReader(input), &out, h.at)
	return out.String(), err
}

func TestScriptsRunOverThePort(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--urbi", "127.0.0.1:0", "--camera", "none")
	if port := h.printed(`or port (\d+) for your own programs`); port == "54000" {
		t.Errorf("the port is %s", port)
	}

	said, err := h.talk("tag: 1 + 2;\nwait(10);\nheadPam.val", "talk")
	if err != nil || !strings.Contains(said, "[..:ident] *** ID: U1\n") || !strings.Contains(said, ":tag] 3.000000\n") || !strings.Contains(said, "column 1: headPam is not known.") {
		t.Errorf("it hears %q, %v", said, err)
	}

	if strings.Contains(said, typistTag) || strings.Contains(said, waitsText) {
		t.Errorf("nothing waits, and it hears %q", said)
	}
	if said, err := h.talk("wait(1500ms);\nx = {\n1};\n", "talk"); err != nil || strings.Count(said, waitsText) != 1 {
		t.Errorf("a line that waits hears %q, %v", said, err)
	}
	if said, err := h.talk("wait(1500ms),\n1 + 1;\nwait(1500ms);\n", "talk"); err != nil || strings.Contains(said, waitsText) {
		t.Errorf("a line that does not wait hears %q, %v", said, err)
	}

	file := writeText(t, "count.u", "x = 0;\nit: every (20) x++,\nwaituntil(x > 2) | echo \"done\";\nstop it # the end")
	if said, err := h.talk("", "run", file); err != nil || !strings.Contains(said, ":notag] \"done\"\n") {
		t.Errorf("it hears %q, %v", said, err)
	}

	wrong := writeText(t, "wrong.u", "nosuch; echo 2;\nx = nosuch;")
	said, err = h.talk("", "run", wrong)
	for _, want := range []string{"!!! line 1, column 1: nosuch is not known.", "] 2.000000\n", "!!! line 2, column 5: nosuch is not known."} {
		if err != nil || !strings.Contains(said, want) {
			t.Errorf("it does not hear %q but %q, %v", want, said, err)
		}
	}

	longest := "echo 5; #" + strings.Repeat("x", 65533-9)
	if said, err := h.talk("", "run", writeText(t, "long.u", longest)); err != nil || !strings.Contains(said, "] 5.000000\n") {
		t.Errorf("the longest script hears %.300q, %v", said, err)
	}
	if said, err := h.talk("", "run", writeText(t, "long.u", longest+"x")); said != "" || err == nil || !strings.Contains(err.Error(), "long.u has 65534 bytes; over a connection a script has at most 65533.") {
		t.Errorf("a longer one hears %.300q, %v", said, err)
	}

	record := filepath.Join(t.TempDir(), "record.txt")
	for list, want := range map[string]string{"headPan.val,,drive.val": `"" is no name of a column`, "headPam.val": "headPam is not known"} {
		if said, err := h.talk("", "record", record, "--devices", list, "--for", "20s"); said != "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("recording %s says %q, %v", list, said, err)
		}
	}
	if said, err := h.talk("", "record", record, "--for", "400ms"); err != nil || !strings.Contains(said, "Recording headPan.val") {
		t.Fatalf("recording says %q, %v", said, err)
	}
	if _, err := h.talk("", "record", record); err == nil || !strings.Contains(err.Error(), "exists; choose another name") {
		t.Errorf("a second record says %v", err)
	}
	text, err := os.ReadFile(record)
	if n := strings.Count(string(text), "\n"); err != nil || n < 10 || !strings.HasPrefix(string(text), "# mybot script record 1\nms headPan.val headTilt.val drive.val turn.val\n0 ") {
		t.Errorf("the record has %d lines, %v: %.200s", n, err, text)
	}
	if said, err := h.talk("", "play", record); err != nil || said != "" {
		t.Errorf("playing says %q, %v", said, err)
	}
	if _, err := h.talk("ms headPan.val\n0 x\n", "play", "-"); err == nil || !strings.Contains(err.Error(), `-: the record has no samples: line 2: headPan.val is "x"`) {
		t.Errorf("playing a bad record says %v", err)
	}
}

func TestAMirrorSaysWhenTheOtherRobotHoldsItsMotion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--urbi", "127.0.0.1:0", "--camera", "none")
	port := "127.0.0.1:" + h.printed(`or port (\d+) for your own programs`)
	mirror := h.background("script", "mirror", "--to", port, "--data", h.data, "--devices", "headPan.val")
	h.words(&mirror.out, port+" moves as this robot moves: headPan.val.")
	h.ok("is stopped", "stop", "--data", h.data)
	h.words(&mirror.out, port+" holds its motion until Resume: The robot is stopped by ")
	mirror.interrupt()
	if code := <-mirror.code; code != exitFailed || !strings.Contains(mirror.out.String(), "mybot: "+port+" did not follow all the time: The robot is stopped by ") {
		t.Errorf("it ends with %d: %s", code, mirror.out.String())
	}
}

func TestAMirrorReachesARobotWhosePortNeedsTLS(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--urbi", "0.0.0.0:0", "--tls", "self", "--host", "robot.local", "--camera", "none")
	port := "127.0.0.1:" + h.printed(`or port (\d+) for your own programs`)
	mirror := h.background("script", "mirror", "--to", port, "--urbi", port, "--data", h.data, "--devices", "headPan.val")
	h.words(&mirror.out, port+" moves as this robot moves: headPan.val.")
	mirror.interrupt()
	if code := <-mirror.code; code != exitDone {
		t.Errorf("it ends with %d: %s", code, mirror.out.String())
	}
}

func TestAScriptIsTriedOnTheRobotsVirtualRobot(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve("--listen", "127.0.0.1:0", "--urbi", "off", "--camera", "none")
	low := writeText(t, "low.u", "low: at (battery.val < 30 ~ 5s) say(\"Low.\") | dock();\nwait(1s) | x = y;\n")
	whatIf := writeText(t, "whatif.u", "wait(10s) | battery.val = 29;")
	said, err := h.talk("", "try", low, "--what-if", whatIf, "--for", "2m")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1.00   script  line 2, column 16: y is not known.\n", "robot   It says: Low.\n", "robot   It sets out for the dock.\n", "robot   It has arrived at the dock.\n",
		" - 120.00  tag low\n", "goal the dock", "\nIt ended after 120.00 s at x 1.", " The time of the trial was over. low is still running.\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not print %q but\n%s", want, said)
		}
	}
	for want, args := range map[string][]string{
		"more than 0 and at most 7200":   {"try", low, "--for", "3h"},
		"bad.u: line 1, column 1: ":      {"try", low, "--what-if", writeText(t, "bad.u", ")")},
		"script takes check, try or run": {"check", low, "--what-if", whatIf},
	} {
		if _, err := h.talk("", args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v is told %v, want %q", args, err, want)
		}
	}
}

func TestSavedScriptsAreListedStartedAndStopped(t *testing.T) {
	var asked []string
	robot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.Method+" "+r.URL.Path+" "+string(body))
		_, _ = io.WriteString(w, `{"word":"SUCCESS","scripts":[{"id":"patrol","name":"Patrol","bytes":10,"revision":1,"changed":"2026-01-02T03:04:05Z"}],"examples":[]}`)
	}))
	defer robot.Close()
	h := newHome(t)
	h.ok("patrol  Patrol  2026-01-0", "script", "list", "--robot", robot.URL)
	h.ok("patrol runs. It moves the robot only after Resume", "script", "run", "patrol", "--robot", robot.URL)
	h.ok("patrol is stopped.", "script", "stop", "patrol", "--robot", robot.URL)
	want := "GET /api/v1/scripts \nPOST /api/v1/scripts/patrol/start {\"lease\":0}\nPOST /api/v1/scripts/patrol/stop {}"
	if got := strings.Join(asked, "\n"); got != want {
		t.Errorf("the robot was asked\n%s\nwant\n%s", got, want)
	}
}

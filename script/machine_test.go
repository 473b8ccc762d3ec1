package script

import (
	"strings"
	"testing"
)

func TestAScriptRunsUntilAllOfItIsOver(t *testing.T) {
	p, faults := Parse("count = 0;\nevery (100ms) { count++ },\nwait(250ms); echo count;\nstop nothing\nnix;\nwait(1s) | stop all; all: wait(1h)")
	if len(faults) != 1 || faults[0].Error() != "line 5, column 1: expected ; or , or & or | after the command, found nix" {
		t.Fatalf("Parse finds %v", faults)
	}
	for range 2 { // a program is not changed by running it
		m := newTalker(t)
		m.Tick(0)
		if err := m.Start(Milliseconds(5), "patrol", p, false); err != nil {
			t.Fatal(err)
		}
		run(m, 20, 300)
		m.Say(Milliseconds(301), "A", "patrol.count;")
		if said := strings.Join(sayAll(m), "\n"); said != "patrol 3.000000\nA 3.000000" {
			t.Errorf("it says\n%s", said)
		}
		if m.IsIdle("patrol") || !m.IsOpen("patrol") {
			t.Error("the script is over while a rule of it waits")
		}
		if err := m.Start(Milliseconds(302), "patrol", p, false); err == nil || !strings.Contains(err.Error(), "there is a connection or a script patrol already") {
			t.Errorf("a second patrol: %v", err)
		}
		if !m.Close(Milliseconds(310), "patrol") || m.IsOpen("patrol") || m.statements != 0 {
			t.Error("the script is not closed")
		}
	}
	p, _ = Parse("wait(100ms); echo time")
	m := newTalker(t)
	if err := m.Start(0, "short", p, false); err != nil {
		t.Fatal(err)
	}
	run(m, 20, 200)
	if said := sayAll(m); len(said) != 1 || said[0] != "short 100.000000" || !m.IsIdle("short") {
		t.Errorf("a script without a last ; says %q", said)
	}
	long, _ := Parse("at (1 == 2) echo 3;")
	if err := m.Start(Milliseconds(200), "long", long, false); err != nil {
		t.Fatal(err)
	}
	if m.CloseEnded(Milliseconds(200)); m.IsOpen("short") || !m.IsOpen("long") || !m.IsOpen("A") {
		t.Error("only a script that is over is closed")
	}
}

func TestAUnitNeedsANameOfItsOwn(t *testing.T) {
	m := newTalker(t)
	for name, want := range map[string]string{"": "1 to 100 characters", "a b": "without spaces", "A": "there is a connection or a script A already", "headPan": "headPan is a device or a group"} {
		if err := m.Open(0, name, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): %v", name, err)
		}
	}
}

func TestACommandMayArriveInPieces(t *testing.T) {
	m := newTalker(t)
	for i, piece := range []string{"ec", "ho 1", "2; de", "f f() { echo 3", "; }", "f(", "); // a comment; with a ;\n /", "/ another, one\necho \"a;", "b\"", ";"} {
		m.Say(Milliseconds(int64(i)), "A", piece)
	}
	if said := strings.Join(sayAll(m), ","); said != `A 12.000000,A 3.000000,A "a;b"` {
		t.Errorf("it says %s", said)
	}
}

func TestCommandsMayBeReadBeforeTheyAreGiven(t *testing.T) {
	m := newTalker(t)
	var r Reader
	if c := r.Read("echo 1; echo"); !m.Give(0, "A", c) || m.Give(0, "C", c) {
		t.Error("commands must be given to a connection that is there")
	}
	m.Give(Milliseconds(10), "A", r.Read(" 2; a b; echo 3;"))
	if said := strings.Join(sayAll(m), ","); said != "A 1.000000,A 2.000000,A !!! line 1, column 19: expected ; or , or & or | after the command, found b,A 3.000000" {
		t.Errorf("it says %s", said)
	}
}

func TestAWatchLooksOnlyWhenWhatItReadHasChanged(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "x = 0; n = 0; def look() { n++; return x > 1 } at (x > 1) echo \"x\"; at (look()) echo \"look\";")
	run(m, 20, 100)
	m.Say(Milliseconds(101), "B", "A.x = 2; A.n;")
	if said := strings.Join(sayAll(m), ","); said != `B 7.000000,A "x",A "look"` {
		t.Errorf("it says %s", said)
	}
	// What a test reads may also begin to mean something else, or be the time.
	m = newTalker(t)
	m.Say(0, "A", "group g {led}; x = 9; at (g.val == 3) echo \"g\"; at (time > 150) echo \"late\"; at (x'n > 0.5) echo \"half\";")
	m.Lines()
	run(m, 20, 100)
	m.Say(Milliseconds(101), "B", "headPan.val = 3; group g {headPan};")
	run(m, 120, 200)
	if said := strings.Join(sayAll(m), ","); said != `A "g",A "late"` {
		t.Errorf("it says %s", said)
	}
}

func TestNoWordIsSaidToWhoHasLeft(t *testing.T) {
	m := newTalker(t)
	m.Say(0, "A", "t+report: wait(1h);")
	m.Lines()
	m.Close(Milliseconds(10), "A")
	m.Say(Milliseconds(11), "B", "u+report: { wait(10ms) | quit | echo 1 };")
	run(m, 20, 60)
	if said := strings.Join(sayAll(m), ","); said != "B *** start" || m.IsOpen("B") || m.Say(Milliseconds(70), "B", "1;") {
		t.Errorf("it says %s", said)
	}
}

func TestACommandWithoutEndIsForgottenButForItsEnd(t *testing.T) {
	long := strings.Repeat("x; ", 30_000)
	for name, text := range map[string]string{
		"a text":         `y = "` + long,
		"a comment":      "y = /*" + long,
		"a comment line": "y = 1 #" + long,
		"a block":        "{" + long,
		"a long name":    strings.Repeat("x", 90_000),
	} {
		end := map[string]string{"a text": `\"; echo 1; ";`, "a comment": "echo 1; */;", "a comment line": "echo 1;\n;", "a block": "echo 1; };", "a long name": ";"}[name]
		m := newTalker(t)
		for range 20 {
			m.Say(0, "A", text)
			if n := len(m.units["A"].reader.text); n > MaxScript+len(text) {
				t.Fatalf("%s: %d bytes are remembered", name, n)
			}
			text = long
			if name == "a long name" {
				text = strings.Repeat("x", 90_000)
			}
		}
		m.Say(0, "A", end+" echo 2;")
		if said := sayAll(m); len(said) != 2 || !strings.Contains(said[0], "this command has more than 65536 bytes") || said[1] != "A 2.000000" {
			t.Errorf("%s: %d lines, the first %.300s", name, len(said), said[0])
		}
	}
}

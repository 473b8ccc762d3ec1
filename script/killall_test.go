package script

import "testing"

func TestAHostDecidesWhoEndsWhatAnotherUnitRuns(t *testing.T) {
	for _, c := range []struct {
		name, command string
		asks          bool
		refusal       string
		ends          bool
		want          []string
	}{
		{"permitted", "killall B; echo 1;", true, "", true, []string{"[000000100:notag] 1.000000"}},
		{"refused", "killall B; echo 1;", true, "B belongs to Ben.", false, []string{"[000000100:notag] !!! line 1, column 1: killall: B belongs to Ben.", "[000000100:notag] 1.000000"}},
		{"its own", "x: loop wait(1s), killall A; echo 1;", false, "", false, []string{}},
	} {
		h := newHost(t)
		h.host["killall"] = &Function{Name: "killall", Min: 1, Max: 1}
		if err := h.Open(0, "B", false); err != nil {
			t.Fatal(err)
		}
		h.Say(0, "B", "b: loop wait(1s),\n")
		h.send(100, c.command)
		if got := len(h.asks) == 1; got != c.asks {
			t.Fatalf("%s: the host is asked %v", c.name, h.asks)
		}
		if c.asks {
			if a := h.asks[0]; a.Name != "killall" || a.Unit != "A" || a.Values[0].Plain() != "B" || h.IsIdle("B") {
				t.Errorf("%s: the host is asked %v; has B ended before the answer: %v", c.name, a, h.IsIdle("B"))
			}
			h.Answer(h.Machine.now, h.asks[0].ID, Value{}, c.refusal)
			h.drain()
		}
		if got := h.IsIdle("B"); got != c.ends {
			t.Errorf("%s: B has ended: %v", c.name, got)
		}
		h.expect(c.want...)
		if !h.IsIdle("A") {
			t.Errorf("%s: A still runs something", c.name)
		}
	}
}

// Between question and answer the unit may have closed, and another one may have its name.
func TestAUnitThatTookANameMeanwhileIsNotEnded(t *testing.T) {
	h := newHost(t)
	h.host["killall"] = &Function{Name: "killall", Min: 1, Max: 1}
	for range 2 {
		h.Close(h.Machine.now, "B")
		if err := h.Open(h.Machine.now, "B", false); err != nil {
			t.Fatal(err)
		}
		h.Say(h.Machine.now, "B", "b: loop wait(1s),\n")
		if len(h.asks) == 0 {
			h.send(100, "killall B;")
		}
	}
	h.Answer(h.Machine.now, h.asks[0].ID, Value{}, "")
	if h.IsIdle("B") {
		t.Error("the new B has ended")
	}
}

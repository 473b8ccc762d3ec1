package script

import (
	"runtime"
	"strings"
	"testing"
)

func TestAReaderSaysWhatIsStillIncomplete(t *testing.T) {
	var r Reader
	for _, step := range []struct {
		text    string
		isEmpty bool
		pending int
	}{
		{" \r\n", true, 0}, {"x = ", true, 4}, {"1; y", false, 1}, {",\n", false, 0}, {"3 +;", false, 0}, {"s = BIN 3 wav;a", true, 15}, {"bc", false, 0},
	} {
		if c := r.Read(step.text); c.IsEmpty() != step.isEmpty || r.Pending() != step.pending {
			t.Errorf("after %q there are no commands: %v, and %d bytes are pending", step.text, c.IsEmpty(), r.Pending())
		}
	}
}

func TestAByteOrderMarkBeforeATextIsNoPartOfIt(t *testing.T) {
	if _, faults := Parse("\ufeffdef f() { 1 }\nf();\r\n"); len(faults) > 0 {
		t.Errorf("Parse says %v", faults)
	}
	if _, faults := Parse("\ufeffnix?;"); len(faults) != 1 || faults[0].Pos != (Pos{1, 4}) {
		t.Errorf("the fault is %v; it must be in column 4", faults)
	}
	if _, faults := Parse("1; \ufeff2;"); len(faults) != 1 {
		t.Errorf("in the middle of a text it is %v", faults)
	}
	const text = "\ufeff1;\ufeff2; 3;"
	for cut := range len(text) {
		if whole, parts := readAll(text), readAll(text[:cut], text[cut:]); whole != parts {
			t.Errorf("at once it is\n%s\nin two pieces, %d bytes first,\n%s", whole, cut, parts)
		}
	}
}

func TestBinaryDataThatArrivesByteByByteIsNotCopiedWithEachByte(t *testing.T) {
	const size = 1 << 16
	for _, head := range []string{"s = BIN 65536 wav;", "s = BIN 65536 wav;\r\n", "/*" + strings.Repeat("x", MaxScript/2) + "*/s = BIN 65536 wav;"} {
		var r Reader
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.Read(head)
		for n := range size - 1 {
			if !r.Read("b").IsEmpty() || r.Pending() < n {
				t.Fatalf("after %d bytes %d are pending", n+1, r.Pending())
			}
		}
		c := r.Read("e1")
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 20*size {
			t.Errorf("%d bytes of data take %d bytes of memory", size, used)
		}
		if len(c.arrived) != 1 || c.arrived[0].fault != nil || c.arrived[0].item.charge < size {
			t.Fatalf("%d commands have arrived", len(c.arrived))
		}
		if c := r.Read(";"); r.Pending() > 0 || c.IsEmpty() {
			t.Errorf("behind it %d bytes are pending", r.Pending())
		}
	}
}

func TestACommandThatArrivesByteByByteIsReadOnce(t *testing.T) {
	const size = MaxScript - 10
	fill := func(text string) string { return strings.Repeat(text, size/len(text)) }
	for head, tail := range map[string]string{
		`"` + fill("a"):              `";`,
		`"` + fill(`\"`):             `";`,
		"x" + fill("y"):              "=1;",
		"/*" + fill("* "):            "*/1;",
		"//" + fill("/"):             "\n1;",
		fill(" "):                    "1;",
		fill("\n") + `"`:             `";`,
		"[" + fill("1,") + `"` + "a": `"];`,
	} {
		var r Reader
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.Read(head[:1])
		for n := 1; n < len(head); n++ {
			if !r.Read(head[n : n+1]).IsEmpty() {
				t.Fatalf("%.9q: a command is complete after %d bytes", head, n+1)
			}
			if left := len(r.text) - r.scanned - r.inside; left > 1 {
				t.Fatalf("%.9q: after %d bytes the next piece is read together with %d bytes that were read before", head, n+1, left)
			}
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 20*MaxScript {
			t.Errorf("%.9q: %d bytes take %d bytes of memory", head, len(head), used)
		}
		if whole, parts := readAll(head+tail), readAll(head[:len(head)/2], head[len(head)/2:], tail[:1], tail[1:]); whole != parts {
			t.Errorf("at once it is\n%s\nin pieces\n%s", whole, parts)
		}
		if got := len(r.Read(tail).arrived); got != 1 {
			t.Errorf("%.9q: with its end %d commands have arrived", head, got)
		}
	}
}

func TestABracketClosesTheNewestOfItsKindInItsBlock(t *testing.T) {
	for text, want := range map[string]string{
		"([{": "([{", "()": "", "([)": "", "(])": "", "[)": "[", "([{)]": "([{", "([{}": "([", "{([}": "", "[}": "[", "{[}]": "", "{(}(])": "", "((]": "((", "{[[]": "{[", "[{]}]": "", "(({}))": "",
	} {
		var r Reader
		for _, c := range []byte(text) {
			if strings.IndexByte("([{", c) >= 0 {
				r.openBracket(c)
			} else {
				r.closeBracket(c)
			}
		}
		left := ""
		for _, b := range r.open {
			left += string(b.kind)
		}
		if left != want {
			t.Errorf("after %q the brackets %q are open, want %q", text, left, want)
		}
	}
}

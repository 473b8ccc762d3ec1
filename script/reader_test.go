package script

import "testing"

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

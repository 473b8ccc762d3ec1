package bases

import (
	"errors"
	"io/fs"
	"os/exec"
	"testing"

	"mybot/drivers/base/examples"
	"mybot/lab/internal/experiment/experimenttest"
)

func TestABaseStopsWhateverHappensToItsServer(t *testing.T) {
	experimenttest.StartChildren(t)
	o := experimenttest.Outcome[watchdogsOutcome](t, commands, "watchdog", "--trials", "1", "--side", "4")
	t.Log(o)
	rows := 11
	if _, err := exec.LookPath("python3"); err == nil {
		rows += 4
	}
	if err := buildArduino(t.Context(), t.TempDir()); err == nil {
		rows += 3
	} else if !errors.As(err, new(missing)) {
		t.Fatal(err)
	}
	if len(o.Faults) != rows {
		t.Fatalf("there are %d rows and %v", len(o.Faults), o.Notes)
	}
	for _, f := range o.Faults {
		if f.Trials != 1 || f.Missed != 0 || f.Worst <= 0 {
			t.Errorf("%s: %+v", f.Fault, f)
		}
	}
}

// TestTheEditsFitTheArduinoExample needs no compiler.
func TestTheEditsFitTheArduinoExample(t *testing.T) {
	for name, changes := range arduinoEdits {
		text, err := fs.ReadFile(examples.Arduino, "arduino/"+name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := changes.apply(string(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

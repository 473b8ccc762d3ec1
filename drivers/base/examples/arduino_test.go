package examples_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"mybot/drivers/base/check"
)

// buildFirmware builds the Arduino's firmware and the program that runs it in
// simavr.
func buildFirmware(t *testing.T) (simulate, firmware string) {
	t.Helper()
	need(t, "make", "cc", "avr-gcc", "/usr/share/arduino/hardware/arduino/avr", "/usr/include/simavr/sim_avr.h")
	dir := t.TempDir()
	if out, err := exec.Command("make", "-C", "arduino", "BUILD="+dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "simulate"), filepath.Join(dir, "firmware.elf")
}

// An emulator on a busy computer is slower than the board, so its rate and pace are
// not checked.
func TestTheArduinoFollowsEveryRuleInAnEmulator(t *testing.T) {
	t.Parallel()
	simulate, firmware := buildFirmware(t)
	judge(t, check.Options{Kind: check.Serial, Dial: func(context.Context) (check.Conn, error) { return startChild(simulate, firmware) }},
		"sends readings at its rate", "has a clock in milliseconds", "sends readings evenly", "has a clock that keeps time")
}

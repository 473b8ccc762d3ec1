package bases

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"mybot/drivers/base/examples"
)

// arduinoEdits add a sonar that measures nothing to the Arduino example, raise its speed limit
// to that of the driver, and make its emulator write a motorLog: at each change, and every 10
// ms of its own clock.
var arduinoEdits = map[string]edits{
	"Makefile": {},
	"base.ino": {
		{`\"safe\":{\"linear_m_s\":0.3,`, `\"safe\":{\"linear_m_s\":0.45,`},
		{`\"rate_hz\":50,`, `\"sonars\":[{\"x_m\":0.1,\"y_m\":0,\"heading_deg\":0,\"beam_deg\":30,\"min_m\":0.1,\"max_m\":3}],\"rate_hz\":50,`},
		{`F("],\"got\":")`, `F("],\"ranges\":[0],\"got\":")`},
	},
	"simulate.c": {
		{`  int a = 0, b = 0; `, `  static int steps, was;
  int turns = 0;
  double speed = 0;
  int a = 0, b = 0; `},
		{`    w->speed += `, `    turns |= duty != 0;
    speed += w->speed / 2;
    w->speed += `},
		{`  set_inputs(avr, 'B', 0, b);`, `  if (turns != was || ++steps % 100 == 0) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    dprintf(3, "%lld %.4f %lld\n", now.tv_sec * 1000000000LL + now.tv_nsec, turns ? fmax(speed, 0.001) : 0.0, (long long)(avr->cycle * 62.5));
  }
  was = turns;
  set_inputs(avr, 'B', 0, b);`},
	},
}

// buildArduino builds the Arduino example and its emulator in a folder.
func buildArduino(ctx context.Context, folder string) error {
	for _, needed := range []string{"make", "cc", "avr-gcc"} {
		if _, err := exec.LookPath(needed); err != nil {
			return missing{err}
		}
	}
	for _, needed := range []string{"/usr/share/arduino/hardware/arduino/avr", "/usr/include/simavr/sim_avr.h"} {
		if _, err := os.Stat(needed); err != nil {
			return missing{err}
		}
	}
	for name, changes := range arduinoEdits {
		text, err := fs.ReadFile(examples.Arduino, "arduino/"+name)
		if err != nil {
			return err
		}
		edited, err := changes.apply(string(text))
		if err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(edited), 0o600)); err != nil {
			return err
		}
	}
	if out, err := exec.CommandContext(ctx, "make", "-C", folder).CombinedOutput(); err != nil { //nolint:gosec // the experiment has made the folder
		return fmt.Errorf("the Arduino example cannot be built: %w: %s", err, out)
	}
	return nil
}

// startArduino runs the built example in a folder, at a pseudo terminal.
func startArduino(ctx context.Context, folder string) (*realBase, error) {
	return startBase(ctx, func(ctx context.Context, b *realBase) error {
		log, err := os.OpenFile(string(b.motors), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer log.Close()                                                                                                                   //nolint:errcheck // the emulator has its own
		cmd := exec.CommandContext(ctx, filepath.Join(folder, "build/simulate"), filepath.Join(folder, "build/firmware.elf"), b.terminal()) //nolint:gosec // it was just built
		cmd.ExtraFiles = []*os.File{log}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		b.process, b.address = cmd, "serial:"+b.terminal()
		return b.awaitTerminal(ctx)
	})
}

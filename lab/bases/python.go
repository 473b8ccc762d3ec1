package bases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mybot/drivers/base/examples"
)

// pythonText returns the Python example.
func pythonText() (string, error) {
	example, ok := examples.Find("python")
	if !ok {
		return "", errors.New("there is no example in Python")
	}
	return example.Text, nil
}

// loggedPython returns the Python example with a motorLog and with a sonar that measures
// nothing: without a sonar, a driver drives at 0.2 m/s at most.
func loggedPython(motors motorLog) (string, error) {
	text, err := pythonText()
	if err != nil {
		return "", err
	}
	return edits{
		{"class Wheels:", fmt.Sprintf("motors = os.open(%q, os.O_CREAT | os.O_APPEND | os.O_WRONLY)\n\nclass Wheels:", motors)},
		{"    def drive(self, left, right):", `    def drive(self, left, right):
        os.write(motors, b"%d %.4f\n" % (time.time_ns(), (left + right) / 2))
        self.turn(left, right)

    def turn(self, left, right):`},
		{`"safe": {"linear_m_s": 0.4,`, `"safe": {"linear_m_s": 0.45,`},
		{`"rate_hz": RATE,`, `"sonars": [{"x_m": 0.15, "y_m": 0, "heading_deg": 0, "beam_deg": 30, "min_m": 0.1, "max_m": 3}], "rate_hz": RATE,`},
		{`refuses=self.refuses)`, `refuses=self.refuses, ranges=[0])`},
	}.apply(text)
}

// startPython starts a program that is called like the Python example, as a base at a free TCP
// port. An edit makes the program print the port.
func startPython(ctx context.Context, program func(motorLog) (string, error)) (*realBase, error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, missing{err}
	}
	return startBase(ctx, func(ctx context.Context, b *realBase) error {
		text, err := program(b.motors)
		if err != nil {
			return err
		}
		const serves = `base.run(socket.create_server(("127.0.0.1", int(where))))`
		text, err = edits{{serves, `server = socket.create_server(("127.0.0.1", int(where))); print("tcp:127.0.0.1:%d" % server.getsockname()[1], flush=True); base.run(server)`}}.apply(text)
		if err != nil {
			return err
		}
		file := filepath.Join(b.folder, "base.py")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		return b.startAndRead(exec.CommandContext(ctx, python, file, "--tcp", "0")) //nolint:gosec // the experiment has written it
	})
}

// missing means that a program which an experiment needs is not installed.
type missing struct{ error }

// edits change a program. Each replaces a text that occurs in it once.
type edits []struct{ old, new string }

// apply returns the changed program. An edit that no longer fits is an error: otherwise the
// experiment would test another program than it claims.
func (e edits) apply(text string) (string, error) {
	for _, edit := range e {
		if n := strings.Count(text, edit.old); n != 1 {
			return "", fmt.Errorf("the example has changed: it has %d times %q, and must have it once", n, edit.old)
		}
		text = strings.Replace(text, edit.old, edit.new, 1)
	}
	return text, nil
}

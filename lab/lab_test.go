package lab

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"mybot/lab/internal/experiment"
)

// run runs lab and returns what it prints.
func run(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	err = Run(t.Context(), args, &o, &e)
	return o.String(), e.String(), err
}

func TestAWrongCallIsToldWhatWouldBeRight(t *testing.T) {
	for call, want := range map[string]string{
		"squire":            `there is no experiment "squire": it is battery or `,
		"square --sides 5":  "flag provided but not defined: -sides",
		"square --seeds 0":  "--seeds is 0; it must be from 1 to 1000",
		"battery --seed -1": "invalid value",
		"battery now":       `battery takes flags only, not "now"`,
	} {
		_, _, err := run(t, strings.Fields(call)...)
		if !errors.Is(err, experiment.ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("lab %s: %v; it must say %q", call, err, want)
		}
	}
}

func TestHelpListsTheExperiments(t *testing.T) {
	for _, args := range [][]string{nil, {"help"}, {"--help"}} {
		out, _, err := run(t, args...)
		if err != nil || !strings.Contains(out, "mybot lab battery") || !strings.Contains(out, "mybot lab square") {
			t.Errorf("lab %v: %v\n%s", args, err, out)
		}
	}
	if _, errOut, err := run(t, "square", "-h"); err != nil || !strings.Contains(errOut, "-seeds") {
		t.Errorf("lab square -h: %v\n%s", err, errOut)
	}
}

func TestAnExperimentThatIsInterruptedSaysThatAndNoMore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"battery", "square", "observers", "mirror"} {
		if err := Run(ctx, []string{name}, &bytes.Buffer{}, &bytes.Buffer{}); err != context.Canceled { //nolint:errorlint // nothing is added to it
			t.Errorf("%s says %v", name, err)
		}
	}
}

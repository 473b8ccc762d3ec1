package store_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mybot/store"
)

func TestThatItWorksAgainIsTold(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	var f store.FailureLog
	now := time.Now()
	for i := range 200 { // every other write fails
		var err error
		if i%2 == 0 {
			err = errors.New("full")
		}
		f.NoteOutcome(log, "x", err, now.Add(time.Duration(i)*time.Second))
	}
	if got := strings.Count(out.String(), "works again"); got != 4 || strings.Count(out.String(), "\n") != 8 {
		t.Errorf("200 s in which every other write fails make these lines:\n%s", out.String())
	}
}

package mediatest

import (
	"context"
	"log/slog"
	"testing"

	"mybot/media"
)

// Broadcaster returns a broadcaster with this configuration. It and its port run
// until the test ends. It logs nothing.
func Broadcaster(t testing.TB, cfg media.Config) *media.Broadcaster {
	t.Helper()
	cfg.Log = slog.New(slog.DiscardHandler)
	s, err := media.NewBroadcaster(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
		if err := cfg.Port.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

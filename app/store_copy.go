package app

import (
	"context"
	"log/slog"
	"time"

	"mybot/store"
)

// copyPeriod is how often the age of the copy is looked at.
const copyPeriod = time.Hour

// keepStoreCopied keeps a copy of the store, which is at most a day older, until ctx
// ends.
func keepStoreCopied(ctx context.Context, kept *store.Store, log *slog.Logger) {
	every := time.NewTicker(copyPeriod)
	defer every.Stop()
	var failing store.FailureLog
	for {
		failing.NoteOutcome(log, "there is no new copy of the database", kept.Backup(time.Now()), time.Now())
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

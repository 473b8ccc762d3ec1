package app

import (
	"context"
	"log/slog"
	"time"

	"mybot/store"
)

// copyPeriod is how often the age of the copy is checked.
const copyPeriod = time.Hour

// keepStoreCopied maintains a copy of the store that is at most a day old, until
// ctx ends.
func keepStoreCopied(ctx context.Context, db *store.Store, log *slog.Logger) {
	every := time.NewTicker(copyPeriod)
	defer every.Stop()
	var failing store.FailureLog
	for {
		failing.NoteOutcome(log, "there is no new copy of the database", db.Backup(time.Now()), time.Now())
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

//go:build !linux

package video

import (
	"context"
	"errors"
	"time"
)

// measureNarrow measures the rows over narrow networks.
func (o *glassOutcome) measureNarrow(context.Context, time.Duration) error {
	return unmade{errors.New("they are networks of Linux's kernel")}
}

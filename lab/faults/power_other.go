//go:build !linux

package faults

import (
	"context"
	"errors"
	"math/rand/v2"
)

const powerFileSystem = "no file system"

func powerMissing() string { return "the power is cut on Linux alone" }

func cutPower(context.Context, int, bool, *rand.Rand) (*powerLedger, error) {
	return nil, errors.ErrUnsupported
}

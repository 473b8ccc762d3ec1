package bases

import (
	"context"
	"testing"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
	"mybot/lab/internal/testbed"
)

var commands = experimenttest.New(map[string]func(context.Context, experiment.Call) error{
	"brokenbases": CheckBrokenBases,
	"line":        MeasureLines,
	"watchdog":    MeasureWatchdogs,
	"cable":       PullCables,
	"sim-base":    SimBasePart,
	"robot":       testbed.ServeApart,
})

func TestMain(m *testing.M) { commands.Main(m) }

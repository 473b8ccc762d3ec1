package jobruns

import (
	"context"
	"testing"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
)

var commands = experimenttest.New(map[string]func(context.Context, experiment.Call) error{
	"jobs":   Run,
	"fig6":   Fig6,
	"keeper": KeeperPart,
})

func TestMain(m *testing.M) { commands.Main(m) }

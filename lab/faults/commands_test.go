package faults

import (
	"context"
	"testing"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
	"mybot/lab/internal/testbed"
)

var commands = experimenttest.New(map[string]func(context.Context, experiment.Call) error{
	"faults":       Run,
	"power":        PowerCuts,
	"operator":     OperatorPart,
	"power-writer": PowerPart,
	"robot":        testbed.ServeApart,
})

func TestMain(m *testing.M) { commands.Main(m) }

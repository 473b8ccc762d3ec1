package drive

import (
	"context"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
)

var commands = experimenttest.New(map[string]func(context.Context, experiment.Call) error{
	"drive": Run,
	"fig5a": Fig5a,
	"guard": MeasureGuard,
	"fig11": Fig11,
	"stall": MeasureStall,
})

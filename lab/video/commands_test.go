package video

import (
	"context"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
)

var commands = experimenttest.New(map[string]func(context.Context, experiment.Call) error{
	"glass": MeasureGlass,
	"media": MeasureEncoders,
})

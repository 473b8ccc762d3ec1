package users

import (
	"context"
	"testing"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
)

var commands = experimenttest.New(map[string]func(context.Context, experiment.Call) error{
	"observers": Observe,
	"lease":     CheckLease,
	"loans":     CheckLoans,
	"crowd":     CrowdPart,
})

func TestMain(m *testing.M) { commands.Main(m) }

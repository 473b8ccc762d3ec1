package testbed

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/sim"
)

func TestTheServedBaseDescribesItsHold(t *testing.T) {
	desc := MybotBase()
	d := sim.NewDriver(sim.NewWorld(desc, nil, sim.DefaultScene(), sim.Options{Seed: 1}))
	defer func() { _ = d.Close() }()
	l, err := net.Listen("tcp", Loopback)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- ServeBase(ctx, l, d, false) }()
	address, err := base.ParseAddress("tcp:" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	remote, err := base.Open(t.Context(), base.Config{Address: address, Patience: time.Minute, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if holds := remote.Describe().Holds; holds != 100*time.Millisecond || desc.Holds != holds {
		t.Errorf("the base describes a hold of %s but holds for %s", holds, desc.Holds)
	}
	_ = remote.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

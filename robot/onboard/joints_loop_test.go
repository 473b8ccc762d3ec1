package onboard

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
)

// armBase is a base with joints that follow at once.
type armBase struct {
	*base
	at    map[string]float64
	calls int
	fails error
}

func (b *armBase) Read(ctx context.Context) (robot.Reading, error) {
	r, err := b.base.Read(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, j := range b.desc.Joints {
		r.Joints = append(r.Joints, b.at[j.Name])
	}
	return r, err
}

func (b *armBase) MoveJoints(at map[string]float64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	for name, x := range at {
		b.at[name] = x
	}
	return b.fails
}

func TestADriverThatMovesNoJointsIsNotAskedTo(t *testing.T) {
	b := newBase()
	b.desc = arm()
	h := newLoopState(NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(robot.State) {}, slog.New(slog.DiscardHandler)))
	h.pulse.Stop()
	if res := h.executeOrder(&order{cmd: robot.MoveJoints{At: map[string]float64{"shoulder": 1}}, at: time.Now()}); res.Word != robot.NA {
		t.Errorf("answered %v", res)
	}
}

func TestTheLoopTellsTheBaseWhereTheJointsGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &armBase{base: newBase(), at: map[string]float64{}}
		b.desc = arm()
		var text strings.Builder
		r := NewLoop(b, NewCore(b.desc, &believed{drive: b.desc.Drivetrain}, nil), func(robot.State) {}, slog.New(slog.NewTextHandler(&text, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		time.Sleep(100 * time.Millisecond)
		if res := r.Do(ctx, robot.MoveJoints{At: map[string]float64{"shoulder": 1}}); res.Word != robot.Success {
			t.Error(res)
		}
		time.Sleep(time.Second)
		r.Stop("Ana")
		synctest.Wait()
		stopped := b.at["shoulder"]
		if math.Abs(stopped-0.5) > 0.03 {
			t.Errorf("a second after the command the joint is at %v rad", stopped)
		}
		calls := b.calls
		time.Sleep(time.Second)
		if b.at["shoulder"] != stopped || b.calls != calls {
			t.Errorf("after a stop the joint goes from %v to %v, in %d calls", stopped, b.at["shoulder"], b.calls-calls)
		}
		b.mu.Lock()
		b.fails = errors.New("the cable is cut")
		b.mu.Unlock()
		r.Do(ctx, robot.ClearStop{})
		r.Do(ctx, robot.MoveJoints{At: map[string]float64{"shoulder": 1}})
		time.Sleep(time.Second)
		if n := strings.Count(text.String(), "the cable is cut"); n != 1 {
			t.Errorf("a base that does not move its joints is logged %d times", n)
		}
		cancel()
		<-ended
	})
}

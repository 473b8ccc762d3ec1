package sim

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim/render"
	"mybot/robot"
)

func TestTheCameraTakesThirtyPicturesASecondOfTheWorldAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDriver(NewWorld(mybot(t), box(), Scene{}, Options{Ideal: true}))
		if err := d.Look(robot.HeadAngles{Pan: 1, Tilt: 0.3}); err != nil {
			t.Fatal(err)
		}
		var f robot.Frame
		began := time.Now()
		rest := d.world.head.at
		var poses []robot.Pose
		for i := range 20 {
			if err := errors.Join(d.Drive(robot.Twist{Linear: 0.2, Angular: 0.5}), d.Next(t.Context(), &f)); err != nil {
				t.Fatal(err)
			}
			if want := began.Add(time.Duration(i) * pictureEvery); !f.Taken.Equal(want) {
				t.Errorf("picture %d is of %v; want %v", i, f.Taken.Sub(began), want.Sub(began))
			}
			turned := robot.Radians(60) * f.Taken.Sub(began).Seconds()
			within(t, "pan", f.Head.Pan, min(1, turned), 1e-6)
			within(t, "tilt", f.Head.Tilt, min(0.3, rest.Tilt+turned), 1e-6)
			if f.Width != 640 || f.Height != 480 || len(f.Y) != 640*480 || len(f.U) != 320*240 || len(f.V) != 320*240 {
				t.Fatalf("the picture is %dx%d, of %d, %d and %d bytes", f.Width, f.Height, len(f.Y), len(f.U), len(f.V))
			}
			poses = append(poses, d.camera.shot.Base)
			if truth := d.Truth().Pose; math.Hypot(truth.X-poses[i].X, truth.Y-poses[i].Y) > 0.02*0.3 {
				t.Errorf("picture %d is taken from %+v; the robot is at %+v", i, poses[i], truth)
			}
		}
		// Though the world advances in steps of 20 ms, the motion is smooth.
		for i := 14; i < len(poses); i++ {
			within(t, "the turn from picture to picture", poses[i].Theta-poses[i-1].Theta, 0.5/30, 0.03*0.5/30)
		}
		time.Sleep(5 * time.Second)
		late := time.Now()
		if err := d.Next(t.Context(), &f); err != nil || !f.Taken.Equal(late) {
			t.Errorf("after a pause the picture is of %v ago, %v", late.Sub(f.Taken), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := d.Next(ctx, &f); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next says %v when its context ends", err)
		}
		go func() {
			time.Sleep(time.Millisecond)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}()
		for range 2 {
			if err := d.Next(t.Context(), &f); !errors.Is(err, robot.ErrClosed) {
				t.Errorf("Next says %v after Close", err)
			}
		}
	})
}

func TestARobotWithoutAHeadHasNoCamera(t *testing.T) {
	desc := mybot(t)
	desc.Head = nil
	d := NewDriver(NewWorld(desc, box(), Scene{}, Options{}))
	defer d.Close()
	if err := d.Next(t.Context(), new(robot.Frame)); !errors.Is(err, robot.ErrNA) {
		t.Errorf("Next says %v", err)
	}
}

// BenchmarkShot measures how long the world is locked for a picture.
func BenchmarkShot(b *testing.B) {
	plan, scene := office(b)
	d := NewDriver(NewWorld(mybot(b), plan, scene, Options{Seed: 1}))
	defer d.Close()
	var s render.Shot
	b.ReportAllocs()
	for b.Loop() {
		d.mu.Lock()
		d.world.takeShot(&s, 0.01)
		d.mu.Unlock()
	}
}

package faults

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"

	"mybot/app"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/testbed"
	"mybot/robot"
)

// A remote base is in another process than its server, as a real one is at the
// other end of a cable: what happens to the server does not happen to it. The
// experiment has the base, the server is a child process that speaks with it
// over its standard input and output.

// toBase is one message from the server: one of the three.
type toBase struct {
	Addr  string // where people find the server, once, when it is ready
	Read  bool   // the next reading is wanted
	Drive *robot.Twist
}

// A remoteDriver is the server's end: the robot.Driver of a remote base.
type remoteDriver struct {
	desc     robot.Description
	readings chan robot.Reading
	closed   chan struct{}
	close    sync.Once

	mu  sync.Mutex
	out *gob.Encoder
}

func newRemoteDriver(desc robot.Description, in io.Reader, out io.Writer) *remoteDriver {
	d := &remoteDriver{desc: desc, readings: make(chan robot.Reading), closed: make(chan struct{}), out: gob.NewEncoder(out)}
	go func() {
		defer d.close.Do(func() { close(d.closed) }) // the base is gone
		for from := gob.NewDecoder(in); ; {
			var r robot.Reading
			if from.Decode(&r) != nil {
				return
			}
			select {
			case d.readings <- r:
			case <-d.closed:
				return
			}
		}
	}()
	return d
}

func (d *remoteDriver) sendMessage(m toBase) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.Encode(m)
}

// Describe implements robot.Driver.
func (d *remoteDriver) Describe() robot.Description { return d.desc }

// Read implements robot.Driver.
func (d *remoteDriver) Read(ctx context.Context) (robot.Reading, error) {
	if err := d.sendMessage(toBase{Read: true}); err != nil {
		return robot.Reading{}, err
	}
	select {
	case r := <-d.readings:
		return r, nil
	case <-ctx.Done():
		return robot.Reading{}, ctx.Err()
	case <-d.closed:
		return robot.Reading{}, robot.ErrClosed
	}
}

// Drive implements robot.Driver.
func (d *remoteDriver) Drive(t robot.Twist) error { return d.sendMessage(toBase{Drive: &t}) }

// Close implements robot.Driver.
func (d *remoteDriver) Close() error {
	d.close.Do(func() { close(d.closed) })
	return nil
}

// ServerPart is the child process with a server: it runs until the base is gone.
func ServerPart(ctx context.Context, c experiment.Call) error {
	desc := testbed.Mybot()
	ln, err := net.Listen("tcp", testbed.Loopback)
	if err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	driver := newRemoteDriver(desc, os.Stdin, c.Out)
	cfg := testbed.OpenFloor()
	cfg.Ready = func() { _ = driver.sendMessage(toBase{Addr: ln.Addr().String()}) } // without a base Read ends
	return app.Serve(ctx, ln, driver, cfg, slog.New(slog.DiscardHandler))
}

// serveBase is the base's end: it does what the server asks until the server is
// gone, and calls ready with its address.
func serveBase(ctx context.Context, base robot.Driver, in io.Reader, out io.Writer, ready func(addr string)) error {
	ctx, cancel := context.WithCancel(ctx)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	wanted := make(chan struct{}, 1)
	reader.Go(func() {
		to := gob.NewEncoder(out)
		for {
			select {
			case <-wanted:
			case <-ctx.Done():
				return
			}
			r, err := base.Read(ctx)
			if err != nil || to.Encode(r) != nil {
				return
			}
		}
	})
	for from := gob.NewDecoder(in); ; {
		var m toBase
		if err := from.Decode(&m); err != nil {
			return err
		}
		switch {
		case m.Drive != nil:
			if err := base.Drive(*m.Drive); err != nil {
				return err
			}
		case m.Read:
			select {
			case wanted <- struct{}{}:
			default: // one is wanted already
			}
		default:
			ready(m.Addr)
		}
	}
}

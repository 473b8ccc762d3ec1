package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"mybot/script"
	scripts "mybot/script/client"
)

// scriptsPath is where the robot has its saved scripts.
const scriptsPath = "/api/v1/scripts"

// A script runs over a connection as one block, because a block is over when everything in
// it is, also what watches.
const (
	blockBegin = "{"
	blockEnd   = "\n}" // behind a comment, too
)

// makeBlock returns the block of the script in a file.
func makeBlock(file, text string) (string, error) {
	if most := script.MaxScript - len(blockBegin+blockEnd); len(text) > most {
		return "", fmt.Errorf("%s has %d bytes; over a connection a script has at most %d. A saved one may have %d", file, len(text), most, script.MaxScript)
	}
	return blockBegin + text + blockEnd, nil
}

// inScript returns a line of the robot with the column that its fault has in the script, not
// in the block. In column 1 of a block there is no fault: that is a text that was loaded.
func inScript(m scripts.Message) scripts.Message {
	const firstLine = "line 1, column "
	place, what, _ := strings.Cut(m.Text, ":")
	column, isFirst := strings.CutPrefix(place, firstLine)
	if n, err := strconv.Atoi(column); m.Kind == scripts.Fault && isFirst && err == nil && n > len(blockBegin) {
		m.Text = fmt.Sprintf("%s%d:%s", firstLine, n-len(blockBegin), what)
	}
	return m
}

// printLines prints what the robot says over a connection that runs a block.
func (t *scriptTarget) printLines(c *scripts.Client) error {
	_, err := c.SetCallback("", func(m scripts.Message) scripts.Action {
		_, _ = fmt.Fprintln(t.out, inScript(m)) // who does not read loses the lines
		return scripts.Continue
	})
	return err
}

// takeControl takes control for a connection.
func takeControl(ctx context.Context, c *scripts.Client) error {
	if err := c.Do(ctx, "motoron"); err != nil {
		return fmt.Errorf("control was not granted: %w", err)
	}
	return nil
}

// awaitEnd waits until the robot closes the connection, and sends signs of life.
func awaitEnd(ctx context.Context, c *scripts.Client) error {
	err := c.KeepAlive(ctx)
	select {
	case <-c.Done():
		return c.Err()
	default:
		return err
	}
}

// run runs the script in a file over a connection until it has ended, or starts a saved one.
func (t *scriptTarget) run(ctx context.Context, named string) error {
	text, err := readScript(named, t.in)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isFileName(named):
		return t.start(ctx, named)
	case err != nil:
		return err
	}
	if err := faultsOf(named, text); err != nil {
		return err
	}
	block, err := makeBlock(named, text)
	if err != nil {
		return err
	}
	c, err := t.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if t.control {
		if err := takeControl(ctx, c); err != nil {
			return err
		}
	}
	if err := t.printLines(c); err != nil {
		return err
	}
	if err := c.Send(block + ";\nquit;\n"); err != nil {
		return err
	}
	return awaitEnd(ctx, c)
}

// start starts a saved script, which runs on without this program.
func (t *scriptTarget) start(ctx context.Context, id string) error {
	c, err := t.requireRobot(t.env)
	if err != nil {
		return err
	}
	if c, err = withIdentity(c, t.env); err != nil {
		return err
	}
	body := map[string]uint64{"lease": 0}
	if t.control {
		conn, err := connectRobot(ctx, c)
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := conn.TakeControl(ctx); err != nil {
			return err
		}
		body["lease"] = conn.Epoch()
	}
	if err := c.DoJSON(ctx, http.MethodPost, scriptsPath+"/"+url.PathEscape(id)+"/start", body, nil); err != nil {
		return err
	}
	text := "%s runs. It moves the robot only after Resume by the person in control; --control takes control first.\n"
	if t.control {
		text = "%s runs and may move the robot.\n"
	}
	_, err = fmt.Fprintf(t.out, text, id)
	return err
}

// stop stops a saved script.
func (t *scriptTarget) stop(ctx context.Context, id string) error {
	c, err := t.requireRobot(t.env)
	if err != nil {
		return err
	}
	if err := c.DoJSON(ctx, http.MethodPost, scriptsPath+"/"+url.PathEscape(id)+"/stop", struct{}{}, nil); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, "%s is stopped.\n", id)
	return err
}

// list prints the saved scripts.
func (t *scriptTarget) list(ctx context.Context) error {
	c, err := t.requireRobot(t.env)
	if err != nil {
		return err
	}
	body, err := c.GetBody(ctx, scriptsPath)
	if err != nil {
		return err
	}
	var list struct {
		Scripts []struct {
			ID, Name string
			Changed  time.Time
		}
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return fmt.Errorf("the answer of the robot at %s cannot be read: %w", c.BaseURL(), err)
	}
	if len(list.Scripts) == 0 {
		_, err := fmt.Fprintln(t.out, "No saved scripts.")
		return err
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tNAME\tSAVED") // Flush reports an error
	for _, s := range list.Scripts {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", s.ID, s.Name, s.Changed.Local().Format("2006-01-02 15:04"))
	}
	return w.Flush()
}

// columns returns what to record.
func (t *scriptTarget) columns(ctx context.Context, c *scripts.Client) ([]string, error) {
	if t.devices == "" {
		return scripts.Columns(ctx, c)
	}
	columns := strings.Split(t.devices, ",")
	for i, name := range columns {
		columns[i] = strings.TrimSpace(name)
	}
	return columns, nil
}

// record writes samples of the robot's devices into a file until ctx ends. The file begins
// with the first sample, so that a wrong list leaves none.
func (t *scriptTarget) record(ctx context.Context, file string) error {
	c, err := t.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	columns, err := t.columns(ctx, c)
	if err != nil {
		return err
	}
	out, end := t.out, func() {}
	begin := sync.OnceValue(func() error {
		if file != "-" {
			f, err := createRecord(file)
			if err != nil {
				return err
			}
			out, end = f, func() { _ = f.Close() } // the last write reports a full disk
			_, _ = fmt.Fprintf(t.out, "Recording %s to %s. Ctrl-C ends the record.\n", strings.Join(columns, ", "), file)
		}
		return scripts.WriteHead(out, columns)
	})
	defer func() { end() }()
	return scripts.Record(ctx, c, columns, func(s scripts.Sample) error {
		if err := begin(); err != nil {
			return err
		}
		return scripts.WriteSample(out, s)
	})
}

// createRecord creates the file of a record.
func createRecord(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("%s exists; choose another name, or move it away", name)
	case err != nil:
		return nil, fmt.Errorf("the record cannot be written: %w", err)
	}
	return f, nil
}

// play moves the robot as a record says.
func (t *scriptTarget) play(ctx context.Context, file string) error {
	in := t.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("the record cannot be read: %w", err)
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	samples, err := scripts.NewSampleReader(in)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	c, err := t.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := takeControl(ctx, c); err != nil {
		return err
	}
	err = scripts.Play(ctx, c, samples)
	_ = c.Do(ctx, "motoroff") // whatever the answer, the next program finds control free
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// mirror moves another robot as this one moves, until ctx ends. The error is then why that
// robot last held its motion; nil = it never did.
func (t *scriptTarget) mirror(ctx context.Context) error {
	from, err := t.connect(ctx)
	if err != nil {
		return err
	}
	defer from.Close()
	opt, err := t.optionsAt(t.to)
	if err != nil {
		return err
	}
	to, err := dialPort(ctx, t.to, opt)
	if err != nil {
		return err
	}
	defer to.Close()
	columns, err := t.columns(ctx, from)
	if err != nil {
		return err
	}
	if err := takeControl(ctx, to); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(t.out, "%s moves as this robot moves: %s. Ctrl-C ends that.\n", t.to, strings.Join(columns, ", ")) // only for people

	var held atomic.Value // why the other robot held its motion last
	if _, err := to.SetCallback(scripts.HeldTag, func(m scripts.Message) scripts.Action {
		held.Store(m.Text)
		_, _ = fmt.Fprintf(t.out, "%s holds its motion until Resume: %s\n", t.to, m.Text) // only for people
		return scripts.Continue
	}); err != nil {
		return err
	}
	err = scripts.Mirror(ctx, from, to, columns)
	switch why := held.Load(); {
	case ctx.Err() == nil:
		return err
	case why != nil:
		return fmt.Errorf("%s did not follow all the time: %s", t.to, why)
	}
	return nil
}

package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mybot/script"
)

// How samples are recorded and played.
const (
	samplePeriod = 20  // ms between two samples
	playAhead    = 500 // ms that a player sends before a sample is due
	startTime    = 1000
	sampleQueue  = 100 // samples on their way to a file or a robot

	// A robot slows down before the end of a motion. A motion of a chain therefore aims
	// beyond its sample, in the same direction and with the same speed, and the next one
	// replaces it; so it also ends soon if the chain breaks off.
	playAim   = 1000 // ms
	mirrorAim = 500  // ms; a mirror's error is halved in about two thirds of that
	speedOver = 5    // samples from which a mirror computes speeds, because measured ones are rough
)

// Odometric devices measure the motion of the robot since it was switched on: they are
// recorded and played as changes.
var odometric = []string{"drive.val", "turn.val", "wheelL.val", "wheelR.val"}

// usualColumns are what Columns returns if a robot has it.
var usualColumns = []string{"headPan.val", "headTilt.val", "drive.val", "turn.val"}

// Columns returns the values of a robot that describe its motion.
func Columns(ctx context.Context, c *Client) ([]string, error) {
	v, err := c.Ask(ctx, "devices")
	if err != nil {
		return nil, err
	}
	names, _ := v.List()
	var columns []string
	for _, column := range usualColumns {
		device, _, _ := strings.Cut(column, ".")
		if slices.ContainsFunc(names, func(n script.Value) bool { s, _ := n.Text(); return s == device }) {
			columns = append(columns, column)
		}
	}
	if len(columns) == 0 {
		return nil, errors.New("the robot has neither a head nor wheels; name the devices to record")
	}
	return columns, nil
}

// Record calls take with 50 samples a second of the columns, until ctx ends, the connection
// does, take returns an error, or the robot cannot read a command of this connection. The
// first sample has the time 0.
func Record(ctx context.Context, c *Client, columns []string, take func(Sample) error) error {
	if err := checkColumns(columns); err != nil {
		return err
	}
	messages := make(chan Message, sampleQueue)
	lost := make(chan struct{}, 1)
	id, err := c.SetCallback("rec", func(m Message) Action {
		select {
		case messages <- m:
			return Continue
		default: // whoever takes the samples is too slow
		}
		select {
		case lost <- struct{}{}:
		default:
		}
		return Remove
	})
	if err != nil {
		return err
	}
	defer c.RemoveCallback(id)
	unread, err := c.DuplicateCallback(id, unreadTag)
	if err != nil {
		return err
	}
	defer c.RemoveCallback(unread)
	if err := c.Send(fmt.Sprintf("rec: every (%d) [%s],\n", samplePeriod, strings.Join(columns, ", "))); err != nil {
		return err
	}
	first := int64(-1)
	for {
		select {
		case <-ctx.Done():
			return c.Send("stop rec;\n")
		case <-lost:
			return fmt.Errorf("the samples were not taken as fast as they came, %d a second", 1000/samplePeriod)
		case <-c.ended:
			if len(messages) > 0 { // they came before the end
				continue
			}
			return fmt.Errorf("the record ended early: %w", c.closedError())
		case m := <-messages:
			s, err := sampleOf(m, columns)
			if err != nil {
				return err
			}
			if first < 0 {
				first = s.Milliseconds
			}
			s.Milliseconds -= first
			if err := take(s); err != nil {
				return err
			}
		}
	}
}

// sampleOf reads the line of a sample.
func sampleOf(m Message, columns []string) (Sample, error) {
	if m.Kind == Fault {
		return Sample{}, errors.New(m.Text)
	}
	list, _ := m.Value.List()
	if len(list) != len(columns) {
		return Sample{}, fmt.Errorf("the robot answers %q; it should be a list of %d numbers", clip(m.String()), len(columns))
	}
	s := Sample{Milliseconds: m.Milliseconds, Values: make([]float64, len(columns))}
	for i, v := range list {
		f, ok := v.Number()
		if !ok {
			return Sample{}, fmt.Errorf("%s is %s; only numbers can be recorded", columns[i], clip(v.String()))
		}
		s.Values[i] = f
	}
	return s, nil
}

// A player moves a robot as samples say. Odometric columns are played as changes.
type player struct {
	client  *Client
	columns []string
	offset  []float64
}

// newPlayer returns a player that begins with the first sample: it reads where the robot is,
// and moves the head to where it was in the record.
func newPlayer(ctx context.Context, c *Client, columns []string, first Sample) (*player, error) {
	p := &player{client: c, columns: columns, offset: make([]float64, len(columns))}
	var begin []string
	for i, column := range columns {
		if !slices.Contains(odometric, column) {
			begin = append(begin, fmt.Sprintf("%s = %g smooth:%d", column, first.Values[i], startTime))
			continue
		}
		v, err := c.Ask(ctx, column)
		if err != nil {
			return nil, err
		}
		now, ok := v.Number()
		if !ok {
			return nil, fmt.Errorf("%s is %s, so it cannot be played", column, clip(v.String()))
		}
		p.offset[i] = now - first.Values[i]
	}
	if len(begin) > 0 {
		if err := c.Do(ctx, strings.Join(begin, " & ")); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// aim returns the commands that move on from a sample, at the speed since an earlier one, for
// a time, ms.
func (p *player) aim(from, earlier, s Sample, ms int64) string {
	var b strings.Builder
	since := max(1, s.Milliseconds-earlier.Milliseconds)
	for i, column := range p.columns {
		speed := (s.Values[i] - earlier.Values[i]) / float64(since)
		fmt.Fprintf(&b, "%s = %.6f time:%d, ", column, from.Values[i]+p.offset[i]+speed*float64(ms), ms)
	}
	return b.String()
}

// Play moves a robot as a record says: half a second ahead, as chains of motions, so that an
// uneven network does not reach the robot. The connection needs control. Play returns when
// the last motion is over, or with the robot's reason when it holds its motion: what was held
// has lost its timing.
func Play(ctx context.Context, c *Client, in *SampleReader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	held := make(chan error, 1)
	id, err := c.SetCallback(HeldTag, func(m Message) Action {
		held <- fmt.Errorf("the motion was held: %s", m.Text)
		cancel()
		return Remove
	})
	if err != nil {
		return err
	}
	defer c.RemoveCallback(id)
	err = play(ctx, c, in)
	select {
	case why := <-held:
		return why
	default:
		return err
	}
}

// play is Play on a robot that does not hold its motion.
func play(ctx context.Context, c *Client, in *SampleReader) error {
	last, err := in.Next()
	if err != nil {
		return fmt.Errorf("the record has no samples: %w", err)
	}
	p, err := newPlayer(ctx, c, in.Columns, last)
	if err != nil {
		return err
	}
	began, first := time.Now(), last.Milliseconds
	for {
		s, err := in.Next()
		if err != nil {
			return p.finish(ctx, last, err)
		}
		ms := s.Milliseconds - last.Milliseconds
		if ms == 0 {
			continue
		}
		aim := p.aim(last, last, s, max(ms, playAim))
		last = s
		if err := c.sleepUntil(ctx, began.Add(time.Duration(s.Milliseconds-first-playAhead)*time.Millisecond)); err != nil {
			return err
		}
		if err := c.Send(fmt.Sprintf("%swait(%d);\n", aim, ms)); err != nil {
			return err
		}
	}
}

// sleepUntil waits for a time, or for the end of ctx or of the connection. It sends signs of
// life.
func (c *Client) sleepUntil(ctx context.Context, at time.Time) error {
	for left := time.Until(at); left > 0; left = time.Until(at) {
		due := time.NewTimer(min(left, aliveEvery))
		select {
		case <-ctx.Done():
			due.Stop()
			return ctx.Err()
		case <-c.ended:
			due.Stop()
			return c.closedError()
		case <-due.C:
		}
		if err := c.Alive(); err != nil {
			return err
		}
	}
	return nil
}

// finish moves to the last sample and waits for its end. why is what ended the record.
func (p *player) finish(ctx context.Context, last Sample, why error) error {
	var end []string
	for i, column := range p.columns {
		end = append(end, fmt.Sprintf("%s = %.6f time:%d", column, last.Values[i]+p.offset[i], samplePeriod))
	}
	ctx, cancel := context.WithCancel(ctx)
	alive := make(chan error, 1)
	go func() { alive <- p.client.KeepAlive(ctx) }()
	err := p.client.Do(ctx, strings.Join(end, " & "))
	cancel()
	<-alive
	if err == nil && !errors.Is(why, io.EOF) {
		return why
	}
	return err
}

// Mirror moves a robot, to, as another one moves, until ctx ends or a connection does. The
// connection to it needs control. While that robot holds its motion, which it says under
// HeldTag, Mirror goes on, and the robot follows after Resume.
func Mirror(ctx context.Context, from, to *Client, columns []string) error {
	var p *player
	var recent []Sample
	return Record(ctx, from, columns, func(s Sample) error {
		if p == nil {
			var err error
			p, err = newPlayer(ctx, to, columns, s)
			return err
		}
		recent = append(recent, s)
		recent = recent[max(0, len(recent)-speedOver):]
		return to.Send(p.aim(s, recent[0], s, mirrorAim) + "\n")
	})
}

package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"mybot/script"
)

// DefaultAddress is where a robot on this computer serves scripts.
const DefaultAddress = "127.0.0.1:" + script.DefaultPort

const (
	greetWithin  = 5 * time.Second // for the robot's first line
	sendWithin   = 5 * time.Second // for the robot to take what is sent
	aliveEvery   = 200 * time.Millisecond
	maxCallbacks = 1000
)

// Options say how to connect.
type Options struct {
	TLS   *tls.Config // nil = without TLS
	Token string      // of a pairing; "" = the robot needs none, because it is on this computer
}

// An Action says what becomes of a callback after a call.
type Action int

// The actions.
const (
	Continue Action = iota
	Remove
)

// A Callback receives the lines under a tag. It must return soon, because all callbacks are
// called by one goroutine.
type Callback func(Message) Action

// A CallbackID names a callback.
type CallbackID int

// A Client is one connection to a robot.
type Client struct {
	conn  net.Conn
	id    string
	ended chan struct{} // closed when the reader has ended
	why   error         // set before ended is closed

	sending sync.Mutex // one command at a time

	mu        sync.Mutex
	callbacks []callback // in the order in which they were set
	last      CallbackID
	lastAsk   int
}

type callback struct {
	id  CallbackID
	tag string // "" = every tag
	f   Callback
}

// Dial connects to the robot at an address such as DefaultAddress, and waits for its first
// line.
func Dial(ctx context.Context, address string, opt Options) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, greetWithin)
	defer cancel()
	var conn net.Conn
	var err error
	if opt.TLS == nil {
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", address)
	} else {
		conn, err = (&tls.Dialer{Config: opt.TLS}).DialContext(ctx, "tcp", address)
	}
	if err != nil {
		return nil, fmt.Errorf("the robot's port for scripts at %s does not answer: is the robot on, and served with --urbi? (%w)", address, err)
	}
	c := &Client{conn: conn, ended: make(chan struct{})}
	in := NewReader(conn)
	if err := c.greet(ctx, in, opt.Token); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("the robot at %s: %w", address, err)
	}
	go c.run(in)
	return c, nil
}

// greet waits for the first line, and presents the token.
func (c *Client) greet(ctx context.Context, in *Reader, token string) error {
	end, _ := ctx.Deadline()
	_ = c.conn.SetDeadline(end)
	defer func() { _ = c.conn.SetDeadline(time.Time{}) }()
	if token != "" {
		if _, err := fmt.Fprintf(c.conn, "login(%s);\n", script.Text(token)); err != nil {
			return err
		}
	}
	for {
		m, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return errors.New("it closed the connection before its first line")
		case err != nil:
			return err
		case m.Kind == Fault:
			return errors.New(m.Text)
		}
		if id, ok := strings.CutPrefix(m.Text, "ID: "); ok && m.Tag == "ident" {
			c.id = id
			return nil
		}
	}
}

// ID returns the name of the connection on the robot, such as U7.
func (c *Client) ID() string { return c.id }

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.ended }

// Err returns why the connection has ended: nil if the robot closed it after quit, or if it
// has not ended.
func (c *Client) Err() error {
	select {
	case <-c.ended:
		return c.why
	default:
		return nil
	}
}

// Close ends the connection, and with it what its commands run.
func (c *Client) Close() {
	_ = c.conn.Close()
	<-c.ended
}

// Send sends commands. Each must end with its ; or , because the robot waits for that.
func (c *Client) Send(commands string) error { return c.write([]byte(commands)) }

// Alive is a sign of life: the robot holds endless motion of a connection that is silent for
// half a second.
func (c *Client) Alive() error { return c.write([]byte("\n")) }

// SendBinary sets a variable to a picture or a sound. format is such as jpeg 208 160. Mybot's
// own robots have no device that plays or shows one.
func (c *Client) SendBinary(name, format string, data []byte) error {
	if len(data) == 0 || len(data) > script.MaxBinary {
		return fmt.Errorf("%s cannot be set to %d bytes: it must be from 1 to %d", name, len(data), script.MaxBinary)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s = BIN %d %s;\n", name, len(data), format)
	b.Write(data)
	return c.write(b.Bytes())
}

func (c *Client) write(data []byte) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	_ = c.conn.SetWriteDeadline(time.Now().Add(sendWithin))
	if _, err := c.conn.Write(data); err != nil {
		return fmt.Errorf("the robot does not take commands: %w", err)
	}
	return nil
}

// Ask returns the value of an expression such as battery.val. Like every command it waits for
// the end of those before it that end with a ;. The error is the robot's fault, in its words.
func (c *Client) Ask(ctx context.Context, expression string) (script.Value, error) {
	m, err := c.sendTagged(ctx, "ask", "%s: {%s},\n", expression, func(m Message) bool { return m.Kind != Info })
	return m.Value, err
}

// Do carries out a command such as motoron and waits for its end, or for its first fault,
// which it returns.
func (c *Client) Do(ctx context.Context, command string) error {
	_, err := c.sendTagged(ctx, "do", "%s+report: {%s};\n", command, func(m Message) bool {
		return m.Kind == Fault || m.Kind == Info && m.Text == "stop"
	})
	return err
}

// sendTagged sends a command under a tag of its own, and waits for the line that is its end.
func (c *Client) sendTagged(ctx context.Context, prefix, format, command string, isEnd func(Message) bool) (Message, error) {
	if _, faults := script.Parse(command); len(faults) > 0 {
		return Message{}, faults[0]
	}
	c.mu.Lock()
	c.lastAsk++
	tag := fmt.Sprint(prefix, c.lastAsk)
	c.mu.Unlock()
	answer := make(chan Message, 1)
	id, err := c.SetCallback(tag, func(m Message) Action {
		if !isEnd(m) {
			return Continue
		}
		answer <- m
		return Remove
	})
	if err != nil {
		return Message{}, err
	}
	defer c.RemoveCallback(id)
	if err := c.Send(fmt.Sprintf(format, tag, command)); err != nil {
		return Message{}, err
	}
	for {
		select {
		case m := <-answer:
			if m.Kind == Fault {
				return m, errors.New(m.Text)
			}
			return m, nil
		case <-ctx.Done():
			return Message{}, fmt.Errorf("%s was not answered: %w", clip(command), ctx.Err())
		case <-c.ended:
			if len(answer) > 0 { // it came before the end
				continue
			}
			return Message{}, fmt.Errorf("%s was not answered: %w", clip(command), c.closedError())
		}
	}
}

// KeepAlive sends signs of life until ctx ends or the connection does.
func (c *Client) KeepAlive(ctx context.Context) error {
	every := time.NewTicker(aliveEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-c.ended:
			return c.closedError()
		case <-every.C:
		}
		switch err := c.Alive(); {
		case errors.Is(err, net.ErrClosed): // run has closed it and is about to say why
			<-c.ended
			return c.closedError()
		case err != nil:
			return err
		}
	}
}

func (c *Client) closedError() error {
	if err := c.Err(); err != nil {
		return err
	}
	return errors.New("the robot closed the connection")
}

// SetCallback calls f for each line under a tag; "" means every line.
func (c *Client) SetCallback(tag string, f Callback) (CallbackID, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.callbacks) >= maxCallbacks {
		return 0, fmt.Errorf("there are %d callbacks, which is the most that a connection can have; remove some", maxCallbacks)
	}
	c.last++
	c.callbacks = append(c.callbacks, callback{c.last, tag, f})
	return c.last, nil
}

// RemoveCallback removes a callback. It reports whether there was one.
func (c *Client) RemoveCallback(id CallbackID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, b := range c.callbacks {
		if b.id == id {
			c.callbacks = append(c.callbacks[:i:i], c.callbacks[i+1:]...)
			return true
		}
	}
	return false
}

// DuplicateCallback calls the function of a callback also for the lines under another tag.
func (c *Client) DuplicateCallback(id CallbackID, tag string) (CallbackID, error) {
	c.mu.Lock()
	var f Callback
	for _, b := range c.callbacks {
		if b.id == id {
			f = b.f
		}
	}
	c.mu.Unlock()
	if f == nil {
		return 0, fmt.Errorf("there is no callback %d", id)
	}
	return c.SetCallback(tag, f)
}

// run passes the robot's lines to the callbacks until the connection ends.
func (c *Client) run(in *Reader) {
	defer close(c.ended)
	defer func() { _ = c.conn.Close() }()
	for {
		m, err := in.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
				c.why = err
			}
			return
		}
		c.mu.Lock()
		all := c.callbacks // removing copies the list
		all = all[:len(all):len(all)]
		c.mu.Unlock()
		for _, b := range all {
			if (b.tag == "" || b.tag == m.Tag) && b.f(m) == Remove {
				c.RemoveCallback(b.id)
			}
		}
	}
}

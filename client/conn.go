package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"nhooyr.io/websocket"

	"mybot/robot"
	"mybot/session/protocol"
)

// controlWithin is how long the robot may take to send a welcome, and to grant
// control.
const controlWithin = 10 * time.Second

// A Conn is a connection to a robot like that of a browser: a user who commands the
// robot must be connected and have control.
type Conn struct {
	ws      *websocket.Conn
	welcome protocol.Welcome
	lease   protocol.Lease
	names   map[int]string // of the users, by id
	id      uint64         // of the last request that has one
}

// Connect opens a connection, with a tab of its own. name is what others see of the
// user, build the client's build.
func (c *Client) Connect(ctx context.Context, name, build string) (*Conn, error) {
	within, cancel := context.WithTimeout(ctx, controlWithin)
	defer cancel()
	header := http.Header{}
	c.addCredentials(header)
	ws, answer, err := websocket.Dial(within, "ws"+strings.TrimPrefix(c.base, "http")+"/ws", &websocket.DialOptions{
		HTTPClient: c.http, HTTPHeader: header, Subprotocols: []string{protocol.Protocol},
	})
	if answer != nil && answer.StatusCode/100 == 4 {
		return nil, RefusedError{answer.StatusCode, fmt.Sprintf("the robot at %s refuses the connection: %s", c.base, answer.Status)}
	}
	if err != nil {
		return nil, fmt.Errorf("the robot at %s does not answer: %w", c.base, err)
	}
	ws.SetReadLimit(maxAnswer)
	conn := &Conn{ws: ws, names: map[int]string{}}
	err = conn.Send(within, protocol.Hello{Protocol: protocol.Protocol, Tab: NewIdentity(), Name: name, Build: build})
	for welcomed := false; err == nil && !welcomed; {
		var m protocol.Message
		m, err = conn.Next(within)
		_, welcomed = m.(protocol.Welcome)
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("the robot at %s did not say welcome: %w", c.base, err)
	}
	return conn, nil
}

// Close ends the connection.
func (c *Conn) Close() { _ = c.ws.Close(websocket.StatusNormalClosure, "") }

// Welcome returns the robot's welcome.
func (c *Conn) Welcome() protocol.Welcome { return c.welcome }

// Epoch returns the number of the lease, which commands carry.
func (c *Conn) Epoch() uint64 { return c.lease.Epoch }

// HasControl reports whether this user has control.
func (c *Conn) HasControl() bool { return c.IsHolder() && c.lease.Passing == nil }

// IsHolder is HasControl, and also true while control is passing on.
func (c *Conn) IsHolder() bool { return c.lease.Holder != nil && *c.lease.Holder == c.welcome.You }

// nextID returns an id for a request.
func (c *Conn) nextID() uint64 {
	c.id++
	return c.id
}

// Send sends one message.
func (c *Conn) Send(ctx context.Context, m protocol.Message) error {
	return c.ws.Write(ctx, websocket.MessageText, protocol.Encode(m))
}

// Next returns the next message of a known kind. It tracks who has control, and
// acknowledges states.
func (c *Conn) Next(ctx context.Context) (protocol.Message, error) {
	for {
		_, frame, err := c.ws.Read(ctx)
		if err != nil {
			return nil, err
		}
		m, err := protocol.DecodeEvent(frame)
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case nil:
			continue // an unknown kind, of a newer robot
		case protocol.Welcome:
			c.welcome, c.lease = m, m.Lease
			c.keepNames(m.People)
		case protocol.PeopleEvent:
			c.keepNames(m.People)
		case protocol.LeaseEvent:
			c.lease = m.Lease
		case protocol.State:
			err = c.Send(ctx, protocol.Ack{N: m.N})
		case protocol.Bye:
			err = errors.New("the robot said goodbye")
		}
		return m, err
	}
}

func (c *Conn) keepNames(people []protocol.Person) {
	for _, p := range people {
		c.names[p.ID] = p.Name
	}
}

// TakeControl waits until this user has control, and takes it if no one has it.
func (c *Conn) TakeControl(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, controlWithin)
	defer cancel()
	asked := uint64(0)
	for !c.HasControl() {
		switch {
		case c.lease.Passing != nil:
		case c.lease.Holder != nil:
			name := c.names[*c.lease.Holder]
			if name == "" {
				name = "Another user"
			}
			return fmt.Errorf("%s has control; ask for control on the robot's page", name)
		case asked == 0:
			asked = c.nextID()
			if err := c.Send(ctx, protocol.Control{ID: asked, Action: "take"}); err != nil {
				return err
			}
		}
		m, err := c.Next(ctx)
		if err != nil {
			return fmt.Errorf("control was not granted: %w", err)
		}
		if r, ok := m.(protocol.Result); ok && isAnswer(r, asked) && r.Word != robot.Success {
			return fmt.Errorf("control was not granted: %s", r.Reason)
		}
	}
	return nil
}

// ReleaseControl releases control.
func (c *Conn) ReleaseControl(ctx context.Context) error {
	id := c.nextID()
	if err := c.Send(ctx, protocol.Control{ID: id, Action: "release"}); err != nil {
		return err
	}
	for {
		m, err := c.Next(ctx)
		if r, ok := m.(protocol.Result); err != nil || ok && isAnswer(r, id) {
			return err
		}
	}
}

// isAnswer reports whether a result answers the request of the id.
func isAnswer(r protocol.Result, id uint64) bool { return r.ID != nil && *r.ID == id }

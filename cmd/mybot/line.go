package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"nhooyr.io/websocket"

	"mybot/session/protocol"
)

// controlWithin is how long a robot may take until it tells who has control.
const controlWithin = 10 * time.Second

// A line is a connection to a robot as the page has one: whoever orders
// something has to be there, and to have control.
type line struct {
	conn    *websocket.Conn
	you     int
	epoch   uint64
	holder  int  // 0 = nobody
	passing bool // control waits for the robot to stand
	names   map[int]string
	ids     uint64
}

// A frame is what comes over a line, as far as a command line looks at it.
type frame struct {
	Type, Kind, Word, Reason string
	ID, N, Epoch             uint64
	You                      int
	Holder                   *int
	Passing                  json.RawMessage
	Lease                    struct {
		Epoch   uint64
		Holder  *int
		Passing json.RawMessage
	}
	People []struct {
		ID   int
		Name string
	}
	Run json.RawMessage
}

// Connect opens a line.
func (c *Client) Connect(ctx context.Context) (*line, error) {
	within, cancel := context.WithTimeout(ctx, controlWithin)
	defer cancel()
	header := http.Header{}
	c.authenticate(header)
	ws, answer, err := websocket.Dial(within, "ws"+strings.TrimPrefix(c.base, "http")+"/ws", &websocket.DialOptions{
		HTTPClient: c.http, HTTPHeader: header, Subprotocols: []string{protocol.Protocol},
	})
	if answer != nil && answer.StatusCode == http.StatusUnauthorized {
		return nil, fmt.Errorf("the robot at %s does not know this command line; pair it first: mybot pair --robot %s", c.base, c.base)
	}
	if err != nil {
		return nil, fmt.Errorf("the robot at %s does not answer: %w", c.base, err)
	}
	ws.SetReadLimit(maxAnswer)
	l := &line{conn: ws, names: map[int]string{}}
	err = l.send(within, map[string]any{"type": "hello", "protocol": protocol.Protocol, "tab": NewIdentity(), "name": "Command line", "build": buildName()})
	for f := (frame{}); err == nil && f.Type != "welcome"; {
		f, err = l.next(within)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("the robot at %s did not say welcome: %w", c.base, err)
	}
	return l, nil
}

func (l *line) Close() { _ = l.conn.Close(websocket.StatusNormalClosure, "") }

func (l *line) send(ctx context.Context, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.conn.Write(ctx, websocket.MessageText, data)
}

// next reads one frame and keeps in mind who has control.
func (l *line) next(ctx context.Context) (frame, error) {
	var f frame
	_, data, err := l.conn.Read(ctx)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, fmt.Errorf("the robot sent something that cannot be read: %w", err)
	}
	hold := func(epoch uint64, holder *int, passing json.RawMessage) {
		l.epoch, l.holder, l.passing = epoch, 0, passing != nil
		if holder != nil {
			l.holder = *holder
		}
	}
	switch {
	case f.Type == "welcome":
		l.you = f.You
		hold(f.Lease.Epoch, f.Lease.Holder, f.Lease.Passing)
	case f.Kind == "lease":
		hold(f.Epoch, f.Holder, f.Passing)
	case f.Type == "state":
		err = l.send(ctx, map[string]any{"type": "ack", "n": f.N})
	case f.Type == "bye":
		return f, errors.New("the robot said goodbye")
	}
	if f.People != nil {
		for _, p := range f.People {
			l.names[p.ID] = p.Name
		}
	}
	return f, err
}

func (l *line) id() uint64 {
	l.ids++
	return l.ids
}

// TakeControl waits until this command line has control, and asks for it when nobody
// has.
func (l *line) TakeControl(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, controlWithin)
	defer cancel()
	asked := uint64(0)
	for l.holder != l.you || l.passing {
		switch {
		case l.passing, l.holder == l.you:
		case l.holder != 0:
			name := l.names[l.holder]
			if name == "" {
				name = "Somebody else"
			}
			return fmt.Errorf("%s has control; ask for control on the robot's page", name)
		case asked == 0:
			asked = l.id()
			if err := l.send(ctx, map[string]any{"type": "control", "id": asked, "action": "take"}); err != nil {
				return err
			}
		}
		f, err := l.next(ctx)
		if err != nil {
			return fmt.Errorf("control was not granted: %w", err)
		}
		if f.Type == "result" && f.ID == asked && f.Word != "SUCCESS" {
			return fmt.Errorf("control was not granted: %s", f.Reason)
		}
	}
	return nil
}

// release gives control back.
func (l *line) release(ctx context.Context) error {
	id := l.id()
	if err := l.send(ctx, map[string]any{"type": "control", "id": id, "action": "release"}); err != nil {
		return err
	}
	for {
		if f, err := l.next(ctx); err != nil || f.Type == "result" && f.ID == id {
			return err
		}
	}
}

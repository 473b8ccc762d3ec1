package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"mybot/script"
	scripts "mybot/script/client"
)

// talk sends what is typed and prints what the robot says. At the end of the input it waits
// for the end of the commands before it.
func (t *scriptTarget) talk(ctx context.Context) error {
	c, err := t.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	typed := &typist{client: c, out: t.out}
	defer typed.end()
	typed.say("[..:ident] *** ID: " + c.ID())
	if _, err := c.SetCallback("", typed.print); err != nil {
		return err
	}
	if t.control {
		if err := takeControl(ctx, c); err != nil {
			return err
		}
	}
	go typed.send(t.in) // it ends with the input, or with the connection
	return awaitEnd(ctx, c)
}

// A typist sends what a person types, and tells the person what waits for the command before
// it. Behind each line it sends a question of its own, whose answer says that everything
// before it that ends with a ; is over.
type typist struct {
	client *scripts.Client

	mu    sync.Mutex
	out   io.Writer // nil = talk is over
	asked int       // questions that were sent
	known int       // of those the last one that was answered
}

const (
	typistTag  = "mybotTyped" // of the questions, with their number
	waitsAfter = time.Second  // how long a line waits for the one before it until the person hears of it
	waitsText  = "This waits for the command before it; a , at its end would not have waited."
)

// say prints a line.
func (t *typist) say(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out != nil {
		_, _ = fmt.Fprintln(t.out, text) // who does not read loses the lines
	}
}

func (t *typist) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out = nil
}

// print prints a line of the robot, unless it answers a question of send.
func (t *typist) print(m scripts.Message) scripts.Action {
	var n int
	if _, err := fmt.Sscanf(m.Tag, typistTag+"%d", &n); err == nil {
		t.mu.Lock()
		t.known = max(t.known, n)
		t.mu.Unlock()
		return scripts.Continue
	}
	t.say(m.String())
	return scripts.Continue
}

// send sends the lines of the input.
func (t *typist) send(input io.Reader) {
	in := bufio.NewReader(input)
	var reader script.Reader
	for {
		line, err := in.ReadString('\n')
		if t.client.Send(line) != nil {
			return
		}
		if err != nil {
			_ = t.client.Send("\n;quit;\n") // if the robot is gone, there is nothing to end
			return
		}
		if hasCommand := !reader.Read(line).IsEmpty(); hasCommand && reader.Pending() == 0 && t.ask() != nil {
			return
		}
	}
}

// ask sends a question behind a line.
func (t *typist) ask() error {
	t.mu.Lock()
	t.asked++
	n := t.asked
	t.mu.Unlock()
	time.AfterFunc(waitsAfter, func() {
		t.mu.Lock()
		waits := t.known < n-1
		t.mu.Unlock()
		if waits {
			t.say(waitsText)
		}
	})
	return t.client.Send(fmt.Sprintf("%s%d: 1,\n", typistTag, n))
}

package scripts

import (
	"fmt"
	"io"
	"net"

	"mybot/lab/internal/testbed"
)

// An echo is a TCP connection over loopback whose other end sends everything back. It shows
// how long a question and answer take on this computer without a robot.
type echo struct {
	conn  net.Conn
	ended chan struct{} // closed when the other end has ended
}

func openEcho() (*echo, error) {
	ln, err := net.Listen("tcp", testbed.Loopback)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ln.Close() }()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		return nil, err
	}
	other, err := ln.Accept()
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	e := &echo{conn: conn, ended: make(chan struct{})}
	go func() {
		defer close(e.ended)
		_, _ = io.Copy(other, io.MultiReader(other)) // without splice, as a robot reads
		_ = other.Close()
	}()
	return e, nil
}

// send sends a line and waits for its echo.
func (e *echo) send() error {
	line := []byte("echo1: {headPan.val},\n")
	if _, err := e.conn.Write(line); err != nil {
		return fmt.Errorf("the echo: %w", err)
	}
	if _, err := io.ReadFull(e.conn, line); err != nil {
		return fmt.Errorf("the echo: %w", err)
	}
	return nil
}

// close ends both ends.
func (e *echo) close() {
	_ = e.conn.Close()
	<-e.ended
}

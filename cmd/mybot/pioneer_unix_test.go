//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/drivers/pioneer/pioneertest"
)

// An unendedLine hides the end of the connection from a robot, as a serial port does.
type unendedLine struct {
	net.Conn
	over <-chan struct{}
}

func (l unendedLine) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if err != nil {
		<-l.over
	}
	return n, err
}

// TestAPioneerStandsWhenItsBaseCanReportNoMore breaks the pipes to which the base of a Pioneer
// writes while the robot drives, as when the server ends. The robot's own watchdog would let it
// drive on for 2 s.
func TestAPioneerStandsWhenItsBaseCanReportNoMore(t *testing.T) {
	robot := &pioneertest.Robot{Subtype: "p3dx-sh", Sonars: 16, Range: 5000}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	var firmware sync.WaitGroup
	firmware.Go(func() {
		if conn, err := l.Accept(); err == nil {
			robot.Serve(unendedLine{conn, over})
			_ = conn.Close()
		}
	})
	defer func() { close(over); _ = l.Close(); firmware.Wait() }()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "base", "serve", "pioneer", "tcp:"+l.Addr().String(), "--stdio")
	cmd.Env = append(os.Environ(), "MYBOT_TEST_BE_THE_PROGRAM=1")
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	errs, errsErr := cmd.StderrPipe()
	if err := cmd.Start(); inErr != nil || outErr != nil || errsErr != nil || err != nil {
		t.Fatal(inErr, outErr, errsErr, err)
	}
	_, _ = io.WriteString(in, `{"t":"hello","v":[1]}`+"\n")
	for n, lines := 1, bufio.NewScanner(out); lines.Scan(); n++ {
		if strings.Contains(lines.Text(), `"t":"reading"`) {
			_, _ = fmt.Fprintf(in, `{"t":"drive","n":%d,"until":9000000000000,"v":0.3,"w":0}`+"\n", n)
		}
		if forward, _ := robot.Speed(); forward > 0.2 {
			break
		}
	}
	_, _ = errs.Close(), out.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the base ended with %v", err)
	}
	for deadline := time.Now().Add(1500 * time.Millisecond); ; time.Sleep(10 * time.Millisecond) {
		forward, _ := robot.Speed()
		if forward == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the robot still drives at %.2f m/s", forward)
		}
	}
}

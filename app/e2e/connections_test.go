package e2e_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mybot/app"
	"mybot/handlers"
	"mybot/jobs"
	"mybot/robot"
)

// idlers opens n connections that send little, and reopens each one that is closed, until the
// test ends. It returns when all have been tried once.
func idlers(t *testing.T, addr string, n int) {
	t.Helper()
	kinds := []string{
		"", // sends nothing
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\n",     // half a head
		"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", // is idle after a request
		"POST /pair HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\ncode=", // half a body
	}
	const again = 2 * time.Second // between two attempts
	ctx, cancel := context.WithCancel(context.Background())
	var all, first sync.WaitGroup
	first.Add(n)
	for i := range n {
		all.Go(func() {
			tried := sync.OnceFunc(first.Done)
			for ctx.Err() == nil {
				var dialer net.Dialer
				c, err := dialer.DialContext(ctx, "tcp", addr)
				if err == nil {
					cut := context.AfterFunc(ctx, func() { _ = c.Close() })
					_, _ = io.WriteString(c, kinds[i%len(kinds)])
					tried()
					_, _ = io.Copy(io.Discard, c) // until the server closes it
					_ = c.Close()
					cut()
				}
				tried()
				select {
				case <-ctx.Done():
				case <-time.After(again):
				}
			}
		})
	}
	t.Cleanup(func() { cancel(); all.Wait() })
	first.Wait()
}

func TestTheRobotIsStoppedWhileThousandsOfConnectionsIdleAndAJobGoesOn(t *testing.T) {
	h := open(t, func(c *app.Config) { c.Limits = handlers.Limits{Sockets: 512} })
	ana := h.enter("Ana")
	start := h.driver.Truth().Pose
	goal := start.Apply(robot.Point{X: 1.5})
	var steps []jobs.Step
	for range 20 { // back and forth, for longer than the test lasts
		steps = append(steps, jobs.Step{Type: jobs.Move, Pose: &[3]float64{goal.X, goal.Y, start.Theta}}, jobs.Step{Type: jobs.Move, Pose: &[3]float64{start.X, start.Y, start.Theta}})
	}
	if begun := ana.do("run", "name", "To and fro", "steps", steps); begun.Word != robot.Success {
		t.Fatalf("the run was answered %s %s", begun.Word, begun.Reason)
	}
	ana.until("the way", func(m message) bool { return at(0, robot.RunRunning)(m) && m.Mode == robot.ModeJob && moving(m) })
	stop := ana.reads()
	idlers(t, h.addr, 3000)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	if r, err := client.Get("http://" + h.addr + "/healthz"); err == nil { // waits until the kernel has passed on the 3,000 connections
		_ = r.Body.Close()
	}
	for i := range 10 {
		begun := time.Now()
		r, err := client.Post("http://"+h.addr+"/api/v1/stop", "application/json", nil)
		if err != nil {
			t.Fatalf("STOP number %d is not answered: %v", i, err)
		}
		body, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if took := time.Since(begun); r.StatusCode != http.StatusOK || took > time.Second {
			t.Errorf("STOP number %d is answered %s after %v: %s", i, r.Status, took, strings.TrimSpace(string(body)))
		}
	}
	stop()
	ana.until("the stop", func(m message) bool { return m.Type == "state" && m.Stop != nil })
	ana.awaitStandstill()
	if late := h.enter("Jin"); late.you == 0 {
		t.Error("no page can connect")
	}
}

package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"mybot/robot"
	"mybot/session/protocol"
)

// A server is killed repeatedly while a map is made. Each time it continues with that map,
// paused, with every key frame that it had reported. MYBOT_KILLS sets how often.
func TestKillWhileAMapIsMadeLosesNoKeyFrame(t *testing.T) {
	long(t)
	kills := 50
	if n, err := strconv.Atoi(os.Getenv("MYBOT_KILLS")); err == nil {
		kills = n
	}
	program := buildProgram(t)
	args := []string{"--map", "none", "--floor", "office", "--robot", "lidar"}
	chance := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	var cookie string
	reported := 0
	for round := range kills {
		addr, kill := launch(t, program.file, program.data, args...)
		h := &testServer{t: t, addr: addr}
		if round == 0 {
			cookie = h.cookie()
		}
		ana := &mapper{enter(t, addr, cookie, "Ana"), h, cookie}
		if round == 0 {
			ana.wants(`"action":"start"`, http.StatusOK, "SUCCESS")
		} else {
			reported = ana.comeBack(round, reported)
		}
		reported = max(reported, ana.turnFor(time.Duration(300+chance.IntN(2200))*time.Millisecond))
		kill()
	}
	enterAgain := func() (*mapper, func()) {
		addr, kill := launch(t, program.file, program.data, args...)
		h := &testServer{t: t, addr: addr}
		return &mapper{enter(t, addr, cookie, "Ana"), h, cookie}, kill
	}
	finish := func(m *mapper) {
		m.wants(`"action":"finish"`, http.StatusOK, "SUCCESS")
		m.mapping("the review", func(e protocol.MappingEvent) bool { return e.State == "review" })
	}
	ana, kill := enterAgain()
	reported = ana.comeBack(kills, reported)
	ana.turnFor(5 * time.Second)
	ana.letGo()
	ana.awaitStandstill()
	finish(ana)
	place := fmt.Sprintf(`{"lease":%d,"edit":{"op":"place","name":"Sofa","pose":[0,0,0]}}`, ana.epoch)
	if status, said := ana.fetch("POST", "/api/v1/mapping/draft", place); status != http.StatusOK {
		t.Fatalf("a place is answered %d %s", status, said)
	}
	kill()
	ana, kill = enterAgain()
	defer kill()
	ana.mapping("the map after a kill in review", func(e protocol.MappingEvent) bool { return e.State == "paused" })
	finish(ana)
	if status, said := ana.fetch("GET", "/api/v1/mapping/draft", ""); status != http.StatusOK || !strings.Contains(string(said), "Sofa") {
		t.Errorf("after a kill in review the draft is answered %d %s; it has no place", status, said)
	}
	ana.wants(`"action":"save","name":"After all"`, http.StatusOK, "SUCCESS")
	ana.mapping("the map in use", func(e protocol.MappingEvent) bool { return e.State == "map" && e.Name == "After all" })
	if reported < kills {
		t.Errorf("after %d kills there are only %d key frames", kills, reported)
	}
	t.Logf("%d key frames after %d kills", reported, kills)
}

// comeBack waits for the map that was in progress when the server was killed, with at least a
// number of key frames, and resumes it. It returns the number of key frames.
func (m *mapper) comeBack(kills, atLeast int) int {
	m.t.Helper()
	e := m.mapping(fmt.Sprintf("the map after kill %d", kills), func(e protocol.MappingEvent) bool { return e.State == "paused" })
	if e.KeyFrames < atLeast {
		m.t.Fatalf("after kill %d the map has %d key frames; %d were reported before it", kills, e.KeyFrames, atLeast)
	}
	if r := m.ask(map[string]any{"type": "unstop", "lease": m.epoch}); r.Word != robot.Success {
		m.t.Fatalf("after kill %d releasing the stop was answered %s %s", kills, r.Word, r.Reason)
	}
	m.wants(`"action":"resume"`, http.StatusOK, "SUCCESS")
	return e.KeyFrames
}

// turnFor turns the robot in place for some time and returns the reported number of key frames.
// The robot continues to turn.
func (m *mapper) turnFor(d time.Duration) (keyFrames int) {
	m.t.Helper()
	end := time.Now().Add(d)
	m.drive(0, 0.8, func(message) bool { return time.Now().After(end) })
	return m.mapping("the map", func(protocol.MappingEvent) bool { return true }).KeyFrames
}

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/robot"
	"mybot/robot/models"
	"mybot/session/protocol"
)

// A mapper is a guest who has control and makes maps with a robot that has a lidar.
type mapper struct {
	*guest
	h      *testServer
	cookie string
}

// openLidar starts a server for a robot with a lidar in the simulated office.
func openLidar(t *testing.T, change ...func(*app.Config)) *testServer {
	t.Helper()
	data, _ := models.Find(models.LidarName)
	desc, err := robot.ParseDescription(data)
	if err != nil {
		t.Fatal(err)
	}
	return openRobot(t, desc, "127.0.0.1:0", func(s *sim.Scene) { s.People, s.Obstacles = nil, nil }, change...)
}

// openMapper starts such a server, and connects Ana.
func openMapper(t *testing.T, change ...func(*app.Config)) (*testServer, *mapper) {
	t.Helper()
	h := openLidar(t, change...)
	cookie := h.cookie()
	return h, &mapper{enter(t, h.addr, cookie, "Ana"), h, cookie}
}

// withoutMap removes the robot's map.
func withoutMap(c *app.Config) {
	c.Plan, c.Start, c.World = &robot.Floorplan{Name: "no map"}, robot.Pose{}, nil
}

// fetch sends a request with the guest's cookie. Meanwhile the guest reads.
func (m *mapper) fetch(method, path, body string) (status int, answer []byte) {
	m.t.Helper()
	stop := m.reads()
	defer stop()
	r, err := http.NewRequestWithContext(m.t.Context(), method, "http://"+m.h.addr+path, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	r.Header.Set("Cookie", "mybot="+m.cookie)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	defer got.Body.Close()
	answer, err = io.ReadAll(got.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	return got.StatusCode, answer
}

// wants requests an action of the mapper and checks the answer.
func (m *mapper) wants(action string, status int, says string) {
	m.t.Helper()
	got, said := m.fetch("POST", "/api/v1/mapping", fmt.Sprintf(`{"lease":%d,%s}`, m.epoch, action))
	if got != status || !strings.Contains(string(said), says) {
		m.t.Fatalf("%s is answered %d %s, want %d %s", action, got, said, status, says)
	}
}

// mapping waits until ok accepts the state of the mapping.
func (m *mapper) mapping(what string, ok func(protocol.MappingEvent) bool) (e protocol.MappingEvent) {
	m.t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); {
		status, said := m.fetch("GET", "/api/v1/mapping", "")
		e = protocol.MappingEvent{}
		if err := json.Unmarshal(said, &e); err != nil || status != http.StatusOK {
			m.t.Fatalf("the map is answered %d %s", status, said)
		}
		if ok(e) {
			return e
		}
		m.until("the next state", func(s message) bool { return s.Type == "state" })
	}
	m.t.Fatalf("waiting for %s: the map is %+v", what, e)
	return e
}

// awaitMapping waits for the next event about mapping that satisfies ok.
func awaitMapping(g *guest, what string, ok func(protocol.MappingEvent) bool) (e protocol.MappingEvent) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	for {
		m, err := g.nextMapping(ctx, &e)
		if err != nil {
			g.t.Fatalf("waiting for %s: %v; the newest is %s with %d key frames", what, err, e.State, e.KeyFrames)
		}
		if m && ok(e) {
			return e
		}
	}
}

// nextMapping reads one frame, like next, and reports whether it is about mapping.
func (g *guest) nextMapping(ctx context.Context, e *protocol.MappingEvent) (bool, error) {
	m, err := g.next(ctx)
	if err != nil || m.Type != "event" || m.Kind != "mapping" {
		return false, err
	}
	return true, json.Unmarshal(m.frame, e)
}

// driveTo drives by hand through points in the simulated building.
func (m *mapper) driveTo(points ...robot.Point) {
	m.t.Helper()
	for _, p := range points {
		for arrived := false; !arrived; {
			v, w := m.steer(p)
			m.drive(v, w, func(message) bool {
				at := m.h.driver.Truth().Pose
				arrived = p.Sub(at.Point()).Norm() < 0.25
				nv, nw := m.steer(p)
				return arrived || nv != v || math.Abs(nw-w) > 0.1
			})
		}
	}
	m.letGo()
	m.awaitStandstill()
}

// steer returns the speeds that bring the robot nearer to a point.
func (m *mapper) steer(p robot.Point) (v, w float64) {
	at := m.h.driver.Truth().Pose
	to := p.Sub(at.Point())
	off := robot.WrapAngle(math.Atan2(to.Y, to.X) - at.Theta)
	if math.Abs(off) > 0.5 {
		return 0, math.Copysign(0.7, off)
	}
	return 0.4, math.Max(-0.7, math.Min(0.7, 1.5*off))
}

func TestAPersonMakesAMapAndSendsTheRobotToAPlaceInIt(t *testing.T) {
	t.Parallel()
	h, ana := openMapper(t, withoutMap)
	jin := h.enter("Jin")
	begin := h.driver.Truth().Pose
	awaitMapping(jin, "no map", func(e protocol.MappingEvent) bool { return e.State == "none" && e.Can[0] == "start" })

	ana.wants(`"action":"finish"`, http.StatusConflict, "No map is being made")
	ana.wants(`"action":"start"`, http.StatusOK, "SUCCESS")
	goal := fmt.Sprintf(`{"lease":%d,"goal":[1,0,0]}`, ana.epoch)
	if status, said := ana.fetch("POST", "/api/v1/goto", goal); status != http.StatusConflict || !strings.Contains(string(said), "A map is being made") {
		t.Errorf("a goal is answered %d %s", status, said)
	}
	ana.wants(`"action":"start"`, http.StatusConflict, "already")
	watches := jin.reads()
	ana.driveTo(robot.Point{X: 8.5, Y: 7.3}, robot.Point{X: 6.5, Y: 7.3})
	grown := ana.mapping("a map that grew", func(e protocol.MappingEvent) bool { return e.KeyFrames > 15 && e.Behind == 0 })
	if grown.State != "mapping" || grown.By != "Ana" || grown.Way < 4 || len(grown.Tiles) == 0 || len(grown.Trail) < 10 || len(grown.Open) == 0 {
		t.Errorf("the map is %+v", grown)
	}
	checkTile(ana, grown.Tiles[0])
	state := ana.until("a state", func(m message) bool { return m.Type == "state" })
	if off := mapPose(begin, h.driver.Truth().Pose).Point().Sub(robot.Point{X: state.Pose[0], Y: state.Pose[1]}).Norm(); off > 0.08 || state.Trust != "OK" {
		t.Errorf("while mapping, the position is off by %.3f m, %s", off, state.Trust)
	}

	ana.wants(`"action":"save","name":"Attic"`, http.StatusConflict, "not finished")
	watches()
	ana.wants(`"action":"finish"`, http.StatusOK, "SUCCESS")
	awaitMapping(jin, "the review", func(e protocol.MappingEvent) bool { return e.State == "review" })
	ana.wants(`"action":"save","name":"../x"`, http.StatusConflict, "cannot be the name")
	ana.wants(`"action":"save","name":"Attic"`, http.StatusOK, "SUCCESS")
	jin.until("the new floor", func(m message) bool { return m.Type == "event" && m.Kind == "floor" })
	awaitMapping(jin, "the map in use", func(e protocol.MappingEvent) bool { return e.State == "map" && e.Name == "Attic" })

	watches = jin.reads()
	ana.arrivesAt(begin, robot.Pose{X: 3.5})
	plant := fmt.Sprintf(`{"lease":%d,"name":"Plant","pose":[3,0.1,1]}`, ana.epoch)
	if status, said := ana.fetch("POST", "/api/v1/places", plant); status/100 != 2 {
		t.Fatalf("a place on the new map was answered %d %s", status, said)
	}

	byHand := ana.addViaByHand(0.6)
	ana.wants(`"action":"extend"`, http.StatusOK, "SUCCESS")
	ana.driveTo(robot.Point{X: 10.2, Y: 7.3})
	ana.wants(`"action":"undo"`, http.StatusOK, "SUCCESS") // but not more than was added
	ana.driveTo(robot.Point{X: 8, Y: 7.3})
	ana.wants(`"action":"finish"`, http.StatusOK, "SUCCESS")
	again := ana.mapping("the review of the extended map", func(e protocol.MappingEvent) bool { return e.State == "review" })
	if !again.Extending || again.Name != "Attic" || again.KeyFrames < grown.KeyFrames {
		t.Errorf("the extended map is %+v", again)
	}
	ana.wants(`"action":"save"`, http.StatusOK, "SUCCESS")
	ana.mapping("the second version", func(e protocol.MappingEvent) bool { return e.State == "map" && e.Version == 1 })
	var kept struct {
		Name string     `json:"name"`
		Pose [3]float64 `json:"pose"`
	}
	if status, said := ana.fetch("GET", "/api/v1/places/Plant", ""); status != http.StatusOK || json.Unmarshal(said, &kept) != nil || math.Hypot(kept.Pose[0]-3, kept.Pose[1]-0.1) > 0.01 || math.Abs(kept.Pose[2]-1) > 0.01 {
		t.Errorf("the place on the extended map was answered %d %s", status, said)
	}
	if now := ana.floorplan(); !now.hasEdge(byHand) {
		t.Errorf("the extended map has the via points %v and the edges %v, without the manual edge %v", now.Via, now.Edges, byHand)
	}
	ana.arrivesAt(begin, robot.Pose{X: 2})
	ana.wants(`"action":"revert"`, http.StatusOK, "SUCCESS")
	ana.mapping("the first version", func(e protocol.MappingEvent) bool { return e.State == "map" && e.Version == 0 })
	if status, said := ana.fetch("GET", "/api/v1/places/Plant", ""); status != http.StatusOK {
		t.Errorf("the place on the first version was answered %d %s", status, said)
	}
	if now := ana.floorplan(); !now.hasEdge(byHand) {
		t.Error("the first version has lost the manual edge")
	}
	ana.wants(`"action":"advance"`, http.StatusOK, "SUCCESS")
	ana.mapping("the second version again", func(e protocol.MappingEvent) bool { return e.State == "map" && e.Version == 1 })
	watches()
}

func TestAnActionAboutAMapIsDoneWhenItIsAnswered(t *testing.T) {
	_, ana := openMapper(t, withoutMap)
	ana.until("the first state", func(s message) bool { return s.Type == "state" })
	for range 5 {
		for _, c := range [][2]string{{"start", "mapping"}, {"pause", "paused"}, {"resume", "mapping"}, {"discard", "none"}} {
			ana.wants(fmt.Sprintf(`"action":%q`, c[0]), http.StatusOK, "SUCCESS")
			if status, said := ana.fetch("GET", "/api/v1/mapping", ""); status != http.StatusOK || !strings.Contains(string(said), fmt.Sprintf(`"state":%q`, c[1])) {
				t.Fatalf("after %s the map is answered %d %.60s, want it %s", c[0], status, said, c[1])
			}
		}
	}
}

// A viaGraph has the via points, edges and places in GET /api/v1/map.
type viaGraph struct {
	Via []struct {
		ID   int        `json:"id"`
		Name string     `json:"name"`
		At   [2]float64 `json:"at"`
	} `json:"via"`
	Edges  [][2]int          `json:"edges"`
	Places []json.RawMessage `json:"places"`
}

func (m *mapper) floorplan() (g viaGraph) {
	m.t.Helper()
	if status, said := m.fetch("GET", "/api/v1/map", ""); status != http.StatusOK || json.Unmarshal(said, &g) != nil {
		m.t.Fatalf("the map is answered %d %s", status, said)
	}
	return g
}

// A handEdge is an edge between via points at a and b.
type handEdge struct{ a, b [2]float64 }

// addViaByHand adds a via point some metres ahead of the one nearest to the start of the
// mapping, and a one-way edge to it, like the map editor.
func (m *mapper) addViaByHand(ahead float64) handEdge {
	m.t.Helper()
	g := m.floorplan()
	first, last := g.Via[0], g.Via[0] // the one nearest to the start of the mapping, and the newest
	for _, v := range g.Via {
		if v.ID > last.ID {
			last = v
		}
		if math.Hypot(v.At[0], v.At[1]) < math.Hypot(first.At[0], first.At[1]) {
			first = v
		}
	}
	last.ID, last.Name, last.At = last.ID+1, "By hand", [2]float64{first.At[0] + ahead, first.At[1]}
	g.Via, g.Edges = append(g.Via, last), append(g.Edges, [2]int{first.ID, last.ID})
	body, err := json.Marshal(struct {
		Lease uint64 `json:"lease"`
		viaGraph
	}{m.epoch, g})
	if err != nil {
		m.t.Fatal(err)
	}
	if status, said := m.fetch("PUT", "/api/v1/map", string(body)); status != http.StatusOK {
		m.t.Fatalf("adding a via point was answered %d %s", status, said)
	}
	return handEdge{first.At, last.At}
}

// hasEdge reports whether the one-way edge exists between via points at unchanged places.
func (g viaGraph) hasEdge(e handEdge) bool {
	at := map[int][2]float64{}
	for _, v := range g.Via {
		at[v.ID] = v.At
	}
	is := func(p, q [2]float64) bool { return math.Hypot(p[0]-q[0], p[1]-q[1]) < 0.01 }
	forth, back := false, false
	for _, x := range g.Edges {
		forth = forth || is(at[x[0]], e.a) && is(at[x[1]], e.b)
		back = back || is(at[x[0]], e.b) && is(at[x[1]], e.a)
	}
	return forth && !back
}

// arrivesAt sends the robot to a pose in a map that began at begin, and checks its true pose
// there.
func (m *mapper) arrivesAt(begin, want robot.Pose) {
	m.t.Helper()
	m.goTo(want)
	if off := mapPose(begin, m.h.driver.Truth().Pose).Point().Sub(want.Point()).Norm(); off > 0.15 {
		m.t.Errorf("the robot is %.2f m from its goal", off)
	}
}

// goTo sends the robot to a pose and waits until it has arrived.
func (m *mapper) goTo(p robot.Pose) {
	m.t.Helper()
	status, said := m.fetch("POST", "/api/v1/goto", fmt.Sprintf(`{"lease":%d,"goal":[%g,%g,%g]}`, m.epoch, p.X, p.Y, p.Theta))
	if status != http.StatusOK {
		m.t.Fatalf("a goal is answered %d %s", status, said)
	}
	m.until("the robot to leave", func(s message) bool { return s.Type == "state" && s.Mode == robot.ModeGoal })
	m.until("the robot to arrive", func(s message) bool { return s.Type == "state" && s.Mode != robot.ModeGoal && standing(s) })
}

// mapPose returns a pose of the building in the frame of a map that began at begin.
func mapPose(begin, at robot.Pose) robot.Pose { return begin.Inverse().Compose(at) }

// checkTile checks the picture of a tile.
func checkTile(m *mapper, tile protocol.MapTile) {
	m.t.Helper()
	status, data := m.fetch("GET", fmt.Sprintf("/api/v1/mapping/tiles/%d/%d.png", tile.Tile, tile.Revision), "")
	if status != http.StatusOK {
		m.t.Fatalf("the picture is answered %d", status)
	}
	picture, err := png.Decode(strings.NewReader(string(data)))
	if err != nil {
		m.t.Fatal(err)
	}
	if size := picture.Bounds(); size.Dx() < 40 || size.Dy() < 40 {
		m.t.Errorf("the picture has %v cells", size)
	}
}

func TestAMapThatIsDiscardedBringsTheOneBeforeBack(t *testing.T) {
	t.Parallel()
	h, ana := openMapper(t)
	ana.mapping("the office", func(e protocol.MappingEvent) bool { return e.State == "map" })
	ana.wants(`"action":"start"`, http.StatusOK, "SUCCESS")
	ana.driveTo(robot.Point{X: 6.5, Y: 7.3})
	ana.wants(`"action":"pause"`, http.StatusOK, "SUCCESS")
	ana.wants(`"action":"discard"`, http.StatusOK, "SUCCESS")
	ana.goTo(robot.Pose{X: 5, Y: 7.3, Theta: math.Pi})
	if at := h.driver.Truth().Pose.Point(); at.Sub(robot.Point{X: 5, Y: 7.3}).Norm() > 0.15 {
		t.Errorf("the robot is at %v", at)
	}
}

func TestAMapThatWasBeingMadeIsThereAfterARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep := func(c *app.Config) { c.DataDir = dir }
	h, ana := openMapper(t, withoutMap, keep)
	begin := h.driver.Truth().Pose
	ana.wants(`"action":"start"`, http.StatusOK, "SUCCESS")
	ana.driveTo(robot.Point{X: 7, Y: 7.3})
	was := ana.mapping("a map", func(e protocol.MappingEvent) bool { return e.State == "mapping" && e.KeyFrames > 5 && e.Behind == 0 })
	stood := h.driver.Truth().Pose
	ana.closeNow()
	h.close()

	h, ana = openMapper(t, withoutMap, keep)
	if err := h.driver.CarryRobot(stood); err != nil { // a robot remains where it is when its program ends
		t.Fatal(err)
	}
	is := ana.mapping("the map again", func(e protocol.MappingEvent) bool { return e.State == "paused" })
	if is.KeyFrames < was.KeyFrames-1 || is.Why == "" || is.Way < was.Way-0.5 {
		t.Errorf("after the restart the map has %d key frames and %v m, before it had %d and %v m: %s", is.KeyFrames, is.Way, was.KeyFrames, was.Way, is.Why)
	}
	ana.wants(`"action":"resume"`, http.StatusOK, "SUCCESS")
	ana.driveTo(robot.Point{X: 9, Y: 7.3})
	ana.mapping("a map that grew", func(e protocol.MappingEvent) bool { return e.KeyFrames > is.KeyFrames+4 && e.Behind == 0 })
	ana.isAt(begin)
	ana.wants(`"action":"finish"`, http.StatusOK, "SUCCESS")
	ana.mapping("the review", func(e protocol.MappingEvent) bool { return e.State == "review" })
	ana.wants(`"action":"save","name":"Attic"`, http.StatusOK, "SUCCESS")
	if in := app.MapInUse(dir); filepath.Base(in) != "Attic" {
		t.Errorf("the next start uses %q", in)
	}
}

// isAt checks the position in a map that began at begin.
func (m *mapper) isAt(begin robot.Pose) {
	m.t.Helper()
	m.isWithin(0.1, begin)
}

func (m *mapper) isWithin(metres float64, begin robot.Pose) {
	m.t.Helper()
	state := m.until("a state", func(s message) bool { return s.Type == "state" })
	if off := mapPose(begin, m.h.driver.Truth().Pose).Point().Sub(robot.Point{X: state.Pose[0], Y: state.Pose[1]}).Norm(); off > metres {
		m.t.Errorf("the position is off by %.2f m", off)
	}
}

func TestMappingPausesWhenTheRobotIsCarriedAway(t *testing.T) {
	t.Parallel()
	h, ana := openMapper(t, withoutMap)
	begin := h.driver.Truth().Pose
	ana.wants(`"action":"start"`, http.StatusOK, "SUCCESS")
	ana.driveTo(robot.Point{X: 8, Y: 7.3})
	stood := h.driver.Truth().Pose
	if err := h.driver.CarryRobot(robot.Pose{X: 16.9, Y: 11.35, Theta: 2}); err != nil {
		t.Fatal(err)
	}
	ana.driveTo(robot.Point{X: 16.9, Y: 13.8})
	paused := ana.mapping("the pause", func(e protocol.MappingEvent) bool { return e.State == "paused" })
	if !strings.Contains(paused.Why, "moved") {
		t.Errorf("the mapping paused because of %q", paused.Why)
	}
	// Resume without bringing it back does not tear the map either.
	ana.wants(`"action":"resume"`, http.StatusOK, "SUCCESS")
	ana.mapping("another pause", func(e protocol.MappingEvent) bool {
		return e.State == "paused" && e.Why == paused.Why && e.Seconds > paused.Seconds
	})
	if err := h.driver.CarryRobot(stood); err != nil {
		t.Fatal(err)
	}
	ana.wants(`"action":"resume"`, http.StatusOK, "SUCCESS")
	ana.driveTo(robot.Point{X: 6, Y: 7.3})
	ana.mapping("a map that grew", func(e protocol.MappingEvent) bool {
		return e.State == "mapping" && e.KeyFrames > paused.KeyFrames && e.Behind == 0
	})
	ana.isWithin(0.1, begin)

	// Where the way before was taken back, nothing is left that the first key frame could fit.
	ana.driveTo(robot.Point{X: 8, Y: 7.3})
	stood = h.driver.Truth().Pose
	if err := h.driver.CarryRobot(robot.Pose{X: 16.9, Y: 11.35, Theta: 2}); err != nil {
		t.Fatal(err)
	}
	ana.driveTo(robot.Point{X: 16.9, Y: 13.8})
	ana.mapping("the pause", func(e protocol.MappingEvent) bool { return e.State == "paused" })
	ana.wants(`"action":"undo"`, http.StatusOK, "SUCCESS")
	undone := ana.mapping("a map without the way", func(e protocol.MappingEvent) bool { return e.Behind == 0 && e.Way < 1 })
	if err := h.driver.CarryRobot(stood); err != nil {
		t.Fatal(err)
	}
	ana.wants(`"action":"resume"`, http.StatusOK, "SUCCESS")
	ana.driveTo(robot.Point{X: 6, Y: 7.3})
	ana.mapping("a map that grew", func(e protocol.MappingEvent) bool {
		return e.State == "mapping" && e.KeyFrames > undone.KeyFrames+4 && e.Behind == 0
	})
}

// control sends a request about control.
func (m *mapper) control(action string) {
	m.t.Helper()
	if got := m.ask(map[string]any{"type": "control", "action": action}); got.Word != robot.Success {
		m.t.Fatalf("%s is answered %s %s", action, got.Word, got.Reason)
	}
}

func TestControlChangesHandsWhileAMapIsMade(t *testing.T) {
	t.Parallel()
	h, ana := openMapper(t, withoutMap)
	begin := h.driver.Truth().Pose
	cookie := h.cookie()
	jin := &mapper{enter(t, h.addr, cookie, "Jin"), h, cookie}
	ana.wants(`"action":"start"`, http.StatusOK, "SUCCESS")
	watches := jin.reads()
	ana.driveTo(robot.Point{X: 6.5, Y: 7.3})
	watches()

	watches = ana.reads()
	for _, action := range []string{`"action":"pause"`, `"action":"undo"`, `"action":"finish"`, `"action":"discard"`, `"action":"save","name":"Attic"`} {
		jin.wants(action, http.StatusConflict, "Ana has control")
	}
	jin.control("request")
	watches()
	// Ana continues to map while she gets the request, and releases control while the robot
	// drives.
	ana.drive(0.3, 0, func(m message) bool { return moving(m) })
	was := ana.mapping("a map", func(e protocol.MappingEvent) bool { return e.State == "mapping" && e.By == "Ana" && e.KeyFrames > 5 })
	watches = jin.reads()
	if got := ana.ask(map[string]any{"type": "control", "action": "give", "to": jin.you}); got.Word != robot.Success {
		t.Fatalf("releasing control was answered %s %s", got.Word, got.Reason)
	}
	ana.until("the change of control", func(message) bool { return ana.holder == jin.you })
	watches()
	if at := h.driver.Truth().Twist; math.Abs(at.Linear) > 0.05 {
		t.Errorf("when control passed on, the robot drove at %.2f m/s", at.Linear)
	}

	watches = ana.reads()
	now := jin.mapping("the map of who has control now", func(e protocol.MappingEvent) bool { return e.By == "Jin" })
	if now.State != "mapping" || now.KeyFrames < was.KeyFrames || now.Why != "" {
		t.Errorf("after control passed on, the map is %+v", now)
	}
	jin.driveTo(robot.Point{X: 9, Y: 7.3})
	jin.mapping("a map that grew", func(e protocol.MappingEvent) bool { return e.KeyFrames > now.KeyFrames+4 && e.Behind == 0 })
	jin.isAt(begin)
	jin.control("release")
	jin.mapping("a map that nobody makes", func(e protocol.MappingEvent) bool { return e.State == "mapping" && e.By == "" })
	watches()
	watches = jin.reads()
	ana.control("take")
	ana.until("control", func(message) bool { return ana.holder == ana.you })
	ana.wants(`"action":"finish"`, http.StatusOK, "SUCCESS")
	ana.mapping("the review", func(e protocol.MappingEvent) bool { return e.State == "review" && e.By == "Ana" })
	ana.control("release")
	watches()

	// Jin saves the map that Ana finished, but only after the robot has stopped.
	watches = ana.reads()
	defer watches()
	jin.control("take")
	jin.until("control", func(message) bool { return jin.holder == jin.you })
	jin.drive(-0.3, 0, func(m message) bool { return m.Twist[0] < -0.1 })
	jin.wants(`"action":"save","name":"Attic"`, http.StatusConflict, "The robot is moving. Save the map once it has stopped.")
	jin.letGo()
	jin.awaitStandstill()
	jin.wants(`"action":"save","name":"Attic"`, http.StatusOK, "SUCCESS")
	jin.mapping("the map in use", func(e protocol.MappingEvent) bool { return e.State == "map" && e.Name == "Attic" })
}

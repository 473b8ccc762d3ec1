package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/sim"
	"mybot/localization"
	"mybot/media/voice"
	"mybot/pathplan"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/script"
	"mybot/script/library"
	"mybot/session"
	"mybot/session/access"
)

// A scriptedServer is a server without its URLs, with a robot in the office, in virtual time.
type scriptedServer struct {
	*server
	t    *testing.T
	base *sim.Driver
	mu   sync.Mutex
	said []string

	forgotten []string // names of the maps in use when jobs were to forget their floor
	audit     entries
}

// withScripts runs control loop, hub and router of a server for a test.
func withScripts(t *testing.T, test func(t *testing.T, s *scriptedServer)) {
	t.Helper()
	desc, plan := built(t)
	synctest.Test(t, func(t *testing.T) {
		scene := sim.DefaultScene()
		scene.Start, scene.Wheels, scene.Compass = robot.Pose{X: 6, Y: 7.3}, sim.WheelErrors{}, sim.CompassErrors{}
		base := sim.NewDriver(sim.NewWorld(desc, plan, scene, sim.Options{Seed: 1, Start: scene.Start}))
		core := onboard.NewCore(desc, localization.NewOdometry(desc, scene.Start), pathplan.NewPlanner(plan, desc))
		s := &scriptedServer{t: t, base: base, server: &server{cfg: Config{Simulator: true}, log: quiet(), driver: base, desc: desc, states: newLatestState(), voice: voice.NewSilent()}}
		s.loop = &haltOnceLoop{Loop: onboard.NewLoop(base, core, s.states.publish, s.log)}
		s.maps = newMapStore(plan, "", nil, nil)
		var err error
		if s.saved, err = library.Open(shelf{}, nil, s.log); err != nil {
			t.Fatal(err)
		}
		if s.access, err = access.NewAuthenticator(noGrants{}); err != nil {
			t.Fatal(err)
		}
		s.hub = session.NewHub(session.Config{Robot: s.loop, Description: desc, Standby: s.scriptPermits(), StandByAfter: time.Minute, Audit: &s.audit, Log: s.log})
		s.states.observers = []func(robot.State){s.hub.Publish}
		s.useScripts()
		cancelLines := s.scripts.Subscribe("", func(lines []script.Line) {
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, l := range lines {
				s.said = append(s.said, l.Unit+" "+l.Text)
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		loopCtx, endLoop := context.WithCancel(t.Context())
		var users, loop sync.WaitGroup
		loop.Go(func() { _ = s.loop.Run(loopCtx) })
		users.Go(func() { _ = s.hub.Run(ctx) })
		users.Go(func() { _ = s.scripts.Run(ctx) })
		time.Sleep(time.Second)
		test(t, s)
		cancelLines()
		cancel()
		users.Wait()
		endLoop()
		loop.Wait()
	})
}

// lines returns what scripts have said.
func (s *scriptedServer) lines() string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.said, "\n")
}

// comes returns how far the robot truly comes within a time, in m.
func (s *scriptedServer) comes(within time.Duration) float64 {
	from := s.base.Truth().Pose.Point()
	time.Sleep(within)
	return s.base.Truth().Pose.Point().Sub(from).Norm()
}

// program reads a text without faults.
func (s *scriptedServer) program(text string) *script.Program {
	p, faults := script.Parse(text)
	if len(faults) > 0 {
		s.t.Fatal(faults)
	}
	return p
}

// control has a person take control, and returns the lease.
func (s *scriptedServer) control(by session.Identity) uint64 {
	term, err := s.hub.TakeControl(s.t.Context(), by, by.Browser, 60)
	if err != nil || !term.Done() {
		s.t.Fatalf("%s takes control: %v, %v", by.Browser, term, err)
	}
	return term.Lease
}

func TestAScriptOfTheServerMovesTheRobotWhileItHasALicence(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		ana, ben := session.Identity{Browser: "ana", Role: session.Operator}, session.Identity{Browser: "ben", Role: session.Operator}
		lease := s.control(ana)
		if err := s.hub.StartScript(t.Context(), ana, lease, session.Script{ID: "patrol", Name: "Patrol", Program: s.program("loop { goto(9, 7.3) | goto(6, 7.3) },")}); err != nil {
			t.Fatal(err)
		}
		if d := s.comes(4 * time.Second); d < 0.3 {
			t.Errorf("in 4 s the robot comes %.2f m", d)
		}
		if r := s.hub.GiveUpControl(t.Context(), ana); !r.Done() {
			t.Errorf("control is not given back: %v", r)
		}
		time.Sleep(time.Minute) // Ana is gone
		if d := s.comes(5 * time.Second); d < 0.3 {
			t.Errorf("a minute after Ana has left the robot comes %.2f m in 5 s", d)
		}
		s.hub.Stop("Jin", session.Identity{})
		time.Sleep(2 * time.Second)
		if d := s.comes(5 * time.Second); d > 0.001 {
			t.Errorf("after STOP it comes %.3f m", d)
		}
		lease = s.control(ben)
		if r := s.hub.Command(t.Context(), ben, session.Order{Lease: lease, Command: robot.ClearStop{}}); !r.Done() {
			t.Errorf("the stop is not released: %v", r)
		}
		if d := s.comes(5 * time.Second); d > 0.001 {
			t.Errorf("after the release it comes %.3f m", d)
		}
		if err := s.hub.ResumeScripts(t.Context(), ben, lease); err != nil {
			t.Error(err)
		}
		if d := s.comes(6 * time.Second); d < 0.3 {
			t.Errorf("after Resume it comes %.2f m", d)
		}
	})
}

func TestAConnectionDrivesTheRobotAfterMotoron(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		unit, err := s.hub.OpenScriptUnit(t.Context(), session.Identity{Remote: "127.0.0.1", Role: session.Admin})
		if err != nil {
			t.Fatal(err)
		}
		var r script.Reader
		give := func(text string) {
			t.Helper()
			if err := s.hub.GiveScriptCommands(t.Context(), unit, r.Read(text+"\n")); err != nil {
				t.Fatal(err)
			}
		}
		give("drive.val = inf speed:0.2, wait(500ms);")
		if d := s.comes(3 * time.Second); d > 0.001 {
			t.Errorf("before motoron it comes %.3f m", d)
		}
		give("motoron; control.val;")
		if d := s.comes(4 * time.Second); d < 0.4 || !strings.Contains(s.lines(), "U1 \"Program U1\"") {
			t.Errorf("after motoron it comes %.2f m; it says\n%s", d, s.lines())
		}
		s.hub.HoldScriptUnit(unit, "Nothing was heard from it.")
		time.Sleep(time.Second)
		if d := s.comes(3 * time.Second); d > 0.001 {
			t.Errorf("in silence it comes %.3f m", d)
		}
		s.hub.ResumeScriptUnit(unit)
		if d := s.comes(3 * time.Second); d < 0.4 {
			t.Errorf("it is heard again and comes %.2f m", d)
		}
		give("stop nothing; drive.val = drive.val; motoroff;")
		time.Sleep(4 * time.Second) // control passes when the robot stands
		give("control.val;")
		time.Sleep(time.Second)
		if got := s.lines(); !strings.HasSuffix(got, "U1 \"\"") {
			t.Errorf("after motoroff it says\n%s", got)
		}
		give("motoron;")
		time.Sleep(time.Second)
		s.hub.CloseScriptUnit(unit)
		time.Sleep(2 * time.Second)
		if d := s.comes(3 * time.Second); d > 0.001 || s.hub.HasControl(session.Identity{Browser: "ana"}) {
			t.Errorf("after its end it comes %.3f m", d)
		}
		s.control(session.Identity{Browser: "ana", Role: session.Operator}) // control is free again
	})
}

func TestTheServerAnswersWhatScriptsAsk(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		ana := session.Identity{Browser: "ana", Role: session.Operator}
		text := `say("Hello.") | echo "said"; goto("Moon"); load "tour"; camera.val(); alert("Look!") | echo "told";
			goto("Sofa") | echo "there";`
		if err := s.hub.StartScript(t.Context(), ana, s.control(ana), session.Script{ID: "tour", Name: "Tour", Program: s.program(text)}); err != nil {
			t.Fatal(err)
		}
		for range 120 {
			if time.Sleep(time.Second); strings.Contains(s.lines(), `"there"`) {
				break
			}
		}
		want := "tour \"said\"\ntour !!! line 1, column 30: goto: the map has no place \"Moon\"\ntour !!! line 1, column 44: load: there is no script \"tour\"\n" +
			"tour !!! line 1, column 57: camera.val: this robot has no camera\ntour \"told\"\ntour \"there\""
		if got := s.lines(); got != want {
			t.Errorf("it says\n%s, want\n%s", got, want)
		}
	})
}

func TestASavedScriptIsFoundByItsIDOrName(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		s.save("Low battery", "dock();", false)
		for name, want := range map[string]string{"low_battery": "dock();", "Low battery": "dock();", "gone": ""} {
			if got, err := s.findScript(name); got != want || (err == nil) != (want != "") {
				t.Errorf("%q is %q, %v", name, got, err)
			}
		}
	})
}

// wavOf returns a WAV file of silence, 8 bit and mono at 8 kHz.
func wavOf(samples int) string {
	return "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\xff\xff\xff\xff" + strings.Repeat("\x80", samples)
}

func TestAProgramPlaysASound(t *testing.T) {
	withScripts(t, func(t *testing.T, s *scriptedServer) {
		unit, err := s.hub.OpenScriptUnit(t.Context(), session.Identity{Remote: "127.0.0.1", Role: session.Admin})
		if err != nil {
			t.Fatal(err)
		}
		var r script.Reader
		give := func(format, data string) *robot.Speech {
			t.Helper()
			text := fmt.Sprintf("speaker.val = BIN %d %s;\n%s", len(data), format, data)
			if err := s.hub.GiveScriptCommands(t.Context(), unit, r.Read(text)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(200 * time.Millisecond)
			state, _ := s.newestState()
			return state.Speech
		}
		v := give("wav", wavOf(8000))
		if v == nil || !v.Aloud || v.ByBase || v.Duration.Round(time.Millisecond) != time.Second || v.Text == "" {
			t.Fatalf("it plays %+v", v)
		}
		if wav, err := s.voice.WAV(t.Context(), v.Text, v.Voice, v.Speed); err != nil || len(wav) < 40000 {
			t.Errorf("the screen gets %d bytes, %v", len(wav), err)
		}
		time.Sleep(time.Second)
		for _, c := range [][2]string{{"wav", "no sound"}, {"ogg", "OggS"}} {
			if v := give(c[0], c[1]); v != nil {
				t.Errorf("it plays %+v", v)
			}
		}
		want := "U1 !!! speaker.val: The sound cannot be played: it is no WAV file; it should be a WAV file.\n" +
			"U1 !!! line 1, column 15: speaker.val is set to a text, which the robot speaks, or to a sound, as in speaker.val = BIN 2048 wav;"
		if got := s.lines(); got != want {
			t.Errorf("it says\n%s, want\n%s", got, want)
		}
	})
}

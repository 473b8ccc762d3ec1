package session

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"mybot/robot"
	"mybot/session/lease"
)

// withVoice runs a hub whose robot has a voice. Ana has control and Ada observes;
// say has one of them send a frame and returns once the hub has handled it.
func withVoice(t *testing.T, test func(h *Hub, ana, ada Identity, say func(who Identity, format string, args ...any))) {
	cfg := testConfig(&fakeRobot{})
	cfg.HasMicrophone = true
	run(t, cfg, func(t *testing.T, h *Hub) {
		users := map[string]*connection{}
		h.Publish(robot.State{Battery: robot.Battery{Charge: 1}})
		for _, name := range []string{"ana", "ada"} {
			users[name] = join(t, h, name).read().hello("t")
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		test(h, Identity{Browser: "ana"}, Identity{Browser: "ada"}, func(who Identity, format string, args ...any) {
			users[who.Browser].Receive(fmt.Appendf(nil, format, args...))
			synctest.Wait()
		})
		for _, u := range users {
			u.cancel()
		}
	})
}

const lendVoice = `{"type":"part","id":1,"lease":1,"action":"lend","part":"voice","to":2}`

// speaks has a user speak for a while, at 50 packets a second, and returns how many
// were let through.
func speaks(h *Hub, who Identity, d time.Duration) (heard int) {
	for range d / (20 * time.Millisecond) {
		if h.Speak(who) {
			heard++
		}
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
	}
	return heard
}

func TestTheHolderLendsTheVoiceAndTakesItBackBySpeaking(t *testing.T) {
	withVoice(t, func(h *Hub, ana, ada Identity, say func(Identity, string, ...any)) {
		if !h.MaySpeak(ana) || h.MaySpeak(ada) || h.Speak(ada) || h.MaySpeak(Identity{}) {
			t.Fatal("before, the holder alone may speak")
		}
		say(ana, lendVoice)
		if !h.Speak(ada) || !h.MaySpeak(ada) || !h.MaySpeak(ana) {
			t.Fatal("the borrower may not speak")
		}
		h.Speak(ana)
		synctest.Wait()
		if h.Speak(ada) || h.MaySpeak(ada) {
			t.Error("the holder spoke, and the borrower speaks on")
		}
		say(ana, lendVoice)
		if !h.Speak(ada) {
			t.Error("lent again, the borrower may not speak")
		}
		h.Speak(ana)
		synctest.Wait()
		if h.Speak(ada) {
			t.Error("the second loan was not taken back")
		}
	})
}

func TestAVoiceThatIsUsedStaysLent(t *testing.T) {
	withVoice(t, func(h *Hub, ana, ada Identity, say func(Identity, string, ...any)) {
		say(ana, lendVoice)
		time.Sleep(lease.UnusedAfter - time.Second)
		if speaks(h, ada, 2*time.Second) != 100 {
			t.Fatal("a voice that is used is cut off")
		}
		time.Sleep(lease.UnusedAfter - time.Second)
		synctest.Wait()
		if !h.MaySpeak(ada) {
			t.Error("it ended too early")
		}
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		if h.Speak(ada) {
			t.Error("it did not end")
		}
	})
}

func TestAVoiceEndsItsSentenceAfterAStop(t *testing.T) {
	for _, c := range []struct {
		name  string
		pause time.Duration // after the stop
		heard int           // of 10 s
	}{
		{"and no other", 0, 250},
		{"which a breath does not end", 400 * time.Millisecond, 230},
		{"and a pause does", 600 * time.Millisecond, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			withVoice(t, func(h *Hub, ana, ada Identity, say func(Identity, string, ...any)) {
				say(ana, lendVoice)
				speaks(h, ada, time.Second)
				h.Stop("Jin", Identity{})
				time.Sleep(c.pause)
				synctest.Wait()
				if got := h.Screen().Lent.Voice; (got == "Guest 2") != (c.heard > 0) {
					t.Errorf("the screen says that the voice is %q's", got)
				}
				if got := speaks(h, ada, 10*time.Second); got < c.heard-2 || got > c.heard+2 {
					t.Errorf("%d packets of 500 were let through, want %d", got, c.heard)
				}
				if !h.MaySpeak(ana) {
					t.Error("the holder is silenced")
				}
				if got := h.Screen().Lent.Voice; got != "" {
					t.Errorf("the screen says that the voice is %s's", got)
				}
			})
		})
	}
	t.Run("but not after the holder took it back", func(t *testing.T) {
		withVoice(t, func(h *Hub, ana, ada Identity, say func(Identity, string, ...any)) {
			say(ana, lendVoice)
			speaks(h, ada, time.Second)
			say(ana, `{"type":"part","id":1,"lease":1,"action":"take","part":"voice"}`)
			h.Stop("Jin", Identity{})
			synctest.Wait()
			if h.Speak(ada) {
				t.Error("it is heard")
			}
		})
	})
}

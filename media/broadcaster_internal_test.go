package media

import (
	"testing"
	"testing/synctest"
)

func TestABroadcasterEndsWhenThePreviousTalkerHasGoneToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Broadcaster{}
		var made []func()
		for range 2 {
			talker := &Talker{broadcaster: s}
			made = append(made, talker.prepareConnection(nil, "", func() { s.removeTalker(talker) }))
			if err := s.setTalker(talker); err != nil {
				t.Fatal(err)
			}
		}
		ended := false
		go func() {
			s.closeAll()
			ended = true
		}()
		made[1]()
		synctest.Wait()
		if ended {
			t.Error("the first of them has not gone yet")
		}
		made[0]()
		synctest.Wait()
		if !ended || s.IsTalking() {
			t.Error("both have gone, and it has not ended")
		}
	})
}

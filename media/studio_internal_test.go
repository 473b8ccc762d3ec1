package media

import (
	"testing"
	"testing/synctest"
)

func TestAStudioEndsWhenTheOneWhoTalkedBeforeHasGoneToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Studio{}
		var made []func()
		for range 2 {
			talker := &Talker{studio: s}
			made = append(made, talker.begin(nil, "", func() { s.hush(talker) }))
			if err := s.give(talker); err != nil {
				t.Fatal(err)
			}
		}
		ended := false
		go func() {
			s.close()
			ended = true
		}()
		made[1]()
		synctest.Wait()
		if ended {
			t.Error("the first of them has not gone yet")
		}
		made[0]()
		synctest.Wait()
		if !ended || s.Talking() {
			t.Error("both have gone, and it has not ended")
		}
	})
}

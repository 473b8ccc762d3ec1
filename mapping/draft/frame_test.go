package draft_test

import (
	"math"
	"testing"

	"mybot/mapping/draft"
	"mybot/robot"
)

func TestTheFrameOfADraftIsKnownByItsEditsAlone(t *testing.T) {
	d := roomsDraft(t)
	for _, e := range []draft.Edit{{Op: draft.Rotate, Angle: 0.3}, {Op: draft.Rotate, Angle: -0.1}} {
		if err := d.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	edits, err := d.Edits()
	if err != nil {
		t.Fatal(err)
	}
	at, err := draft.FrameOf(edits)
	if want := d.FrameFromMap(); err != nil || at.Point() != (robot.Point{}) || math.Abs(at.Theta-want.Theta) > 1e-12 || math.Abs(at.Theta-0.2) > 1e-9 {
		t.Errorf("the frame is %v, want %v, %v", at, want, err)
	}
	if _, err := draft.FrameOf([]byte("{")); err == nil {
		t.Error("edits that are no JSON have a frame")
	}
}

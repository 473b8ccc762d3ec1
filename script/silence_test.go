package script

import "testing"

func TestWhatHasNoEndStandsWhileItsConnectionIsSilent(t *testing.T) {
	h := newHost(t)
	h.send(0, "e: wheelL.val = inf speed:100, s: headPan.val = 0 sin:1000 ampli:20,")
	h.until(1000)
	h.Silence(Milliseconds(1000), "A")
	h.until(3000)
	h.expectTold("wheelL.val", "100.000000")
	if h.IsMoving("wheelL.val") || h.IsMoving("headPan.val") {
		t.Error("an endless motion continues in silence")
	}
	h.Hear(Milliseconds(3000), "A")
	h.until(4000)
	h.expectTold("wheelL.val", "200.000000")
	if !h.IsMoving("wheelL.val") {
		t.Error("the motion does not continue when its connection is heard again")
	}
}

func TestWhatEndsByItselfWithinTenSecondsContinuesInSilence(t *testing.T) {
	h := newHost(t)
	h.send(0, "wheelL.val = 100 time:5000 | echo time, goto(\"Kitchen\") | echo \"there\",")
	h.until(1000)
	h.Silence(Milliseconds(1000), "A")
	h.until(6000)
	h.Answer(Milliseconds(6001), h.asks[0].ID, Value{}, "")
	h.drain()
	h.expect("[000005000:notag] 5000.000000", "[000006001:notag] \"there\"")
	// A motion that begins in silence is judged in the same way.
	h.send(7000, "wheelL.val = 200 speed:5,")
	h.until(8000)
	h.expectTold("wheelL.val", "100.000000")
}

func TestSilenceAndALicenceHoldMotionEachForItself(t *testing.T) {
	h := newHost(t)
	h.send(0, "wheelL.val = inf speed:100,")
	h.until(1000)
	h.Silence(Milliseconds(1000), "A")
	h.Hold(Milliseconds(1200), "")
	h.Hear(Milliseconds(1400), "A")
	h.until(2000)
	if h.expectTold("wheelL.val", "100.000000"); h.IsMoving("wheelL.val") {
		t.Error("hearing a connection lifts the hold of its licence")
	}
	h.Silence(Milliseconds(2000), "A")
	h.Resume(Milliseconds(2200), "")
	h.until(2400)
	if h.expectTold("wheelL.val", "100.000000"); h.IsMoving("wheelL.val") {
		t.Error("resuming lifts the hold of silence")
	}
	h.Hear(Milliseconds(2400), "A")
	h.until(2900)
	h.expectTold("wheelL.val", "150.000000")
}

func TestALoopOfShortDrivesStandsAfterTenSecondsOfSilence(t *testing.T) {
	h := newHost(t)
	h.Machine = New(Config{Devices: []Device{
		{Name: "drive", Moves: true, FollowsAtOnce: true, Odometric: true},
		{Name: "headPan", Moves: true, FollowsAtOnce: true},
	}})
	if err := h.Open(0, "A", false); err != nil {
		t.Fatal(err)
	}
	h.send(0, "loop { drive.val = drive.val + 1 time:500 }, loop { headPan.val = headPan.val + 1 time:500 },")
	h.until(1000)
	h.Silence(Milliseconds(1000), "A")
	h.until(10_900)
	if h.told["drive.val"].number < 21 {
		t.Errorf("the drive is at %v; short motions continue at first", h.told["drive.val"])
	}
	h.until(14_000)
	stands := h.told["drive.val"].number
	h.until(16_000)
	if got := h.told["drive.val"].number; got != stands || h.told["headPan.val"].number < 31 {
		t.Errorf("the drive goes on from %v to %v; the head is at %v", stands, got, h.told["headPan.val"])
	}
	h.Hear(Milliseconds(16_001), "A")
	h.until(17_000)
	if got := h.told["drive.val"].number; got < stands+1 {
		t.Errorf("the drive stays at %v", got)
	}
}

package examples_test

import (
	"bufio"
	"io"
	"testing"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

func TestTheGripperMovesWithinItsLimitsUntilItsInputEnds(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	c, err := startChild("python3", "gripper.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	tell := func(line string) {
		t.Helper()
		if _, err := io.WriteString(c, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	lines, desc, described := bufio.NewScanner(c), robot.Description{}, 0
	// awaitJoint reads until the gripper has a given position, and reports the
	// largest step between two lines.
	awaitJoint := func(is func(at float64) bool) (step float64) {
		t.Helper()
		last, some := 0.0, false
		for lines.Scan() {
			m, err := protocol.DecodeFromBase(lines.Bytes(), false)
			if err != nil {
				t.Fatalf("it says %s: %v", lines.Text(), err)
			}
			if d, ok := m.(protocol.Describe); ok {
				described++
				if desc, err = robot.ParsePart(d.Robot); err != nil {
					t.Fatal(err)
				}
			}
			more, ok := m.(protocol.More)
			if !ok {
				continue
			}
			at, ok := more.Joints["gripper"]
			if !ok || at < desc.Joints[0].Min || at > desc.Joints[0].Max {
				t.Fatalf("it says %s", lines.Text())
			}
			if some {
				step = max(step, at-last, last-at)
			}
			if last, some = at, true; is(at) {
				return step
			}
		}
		t.Fatal("it has ended")
		return 0
	}
	tell("nonsense")
	tell(`{"t":"hello","v":[1]}`)
	awaitJoint(func(at float64) bool { return at == 0 })
	tell(`{"t":"joints","at":{"gripper":NaN}}`)
	tell(`{"t":"joints","at":{"gripper":0.2}}`)
	tell(`{"t":"joints","at":{"gripper":0.03}}`)
	if step := awaitJoint(func(at float64) bool { return at == 0.03 }); step > 0.0021 {
		t.Errorf("it moves by %v m between two lines; at 0.04 m/s it may move by 0.002", step)
	}
	tell(`{"t":"joints","at":{"gripper":0}}`)
	awaitJoint(func(at float64) bool { return at < 0.028 })
	tell(`{"t":"panic"}`)
	held := 0.0
	for range 3 {
		awaitJoint(func(at float64) bool { held = at; return true })
	}
	if step := awaitJoint(func(at float64) bool { return at == held }); step != 0 || held == 0 {
		t.Errorf("after a panic it is at %v m and moves by %v", held, step)
	}
	if described != 1 || len(desc.Links) != 3 || len(desc.Frames) != 1 {
		t.Errorf("it describes itself %d times, with %d links and %d frames", described, len(desc.Links), len(desc.Frames))
	}
	if err := c.CloseWrite(); err != nil {
		t.Error(err)
	}
	for lines.Scan() { // the end of its output: the program has ended
	}
}

package examples_test

import (
	"bufio"
	"io"
	"testing"

	"mybot/drivers/base/protocol"
	"mybot/robot"
)

func TestTheSpeakerReportsTheTextThatItWasToldLast(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	c, err := startChild("python3", "speaker.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for _, line := range []string{
		"nonsense", `{"t":"hello","v":[1]}`, `{"t":"show","lines":["Touch OK"]}`, `{"t":"say","id":1}`,
		`{"t":"say","id":2,"text":"This text is interrupted by the next one."}`, `{"t":"say","id":3,"text":"Hello!","lang":"en"}`, `{"t":"ping","id":9}`,
	} {
		if _, err := io.WriteString(c, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	kinds := map[string]int{}
	for lines := bufio.NewScanner(c); lines.Scan(); {
		m, err := protocol.DecodeFromBase(lines.Bytes(), false)
		if err != nil {
			t.Fatalf("it says %s: %v", lines.Text(), err)
		}
		kinds[protocol.Kind(m)]++
		switch m := m.(type) {
		case protocol.Describe:
			if desc, err := robot.ParsePart(m.Robot); err != nil || !desc.Speaker || !desc.Display {
				t.Errorf("it describes %s: %v", m.Robot, err)
			}
		case protocol.Said:
			if m.ID != 3 {
				t.Errorf("it says that it has spoken %d", m.ID)
			}
			if err := c.CloseWrite(); err != nil {
				t.Error(err)
			}
		}
	}
	if kinds["describe"] != 1 || kinds["said"] != 1 || kinds["pong"] != 1 || kinds["more"] == 0 || kinds["error"] != 0 {
		t.Errorf("it says %v", kinds)
	}
}

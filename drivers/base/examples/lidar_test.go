package examples_test

import (
	"bufio"
	"encoding/json"
	"io"
	"testing"

	"mybot/drivers/base/protocol"
)

func TestTheLidarStreamsUntilItsInputEnds(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	c, err := startChild("python3", "lidar.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, "nonsense\n[1]\n"+`{"t":"hello","v":[1]}`+"\n"+`{"t":"ping","id":5}`+"\n"); err != nil {
		t.Fatal(err)
	}
	var described struct {
		Lidars []struct {
			Beams int
		}
	}
	lines, scans, pongs := bufio.NewScanner(c), []protocol.Scan{}, 0
	for len(scans) < 3 && lines.Scan() {
		m, err := protocol.DecodeFromBase(lines.Bytes(), false)
		switch m := m.(type) {
		case protocol.Describe:
			if err := json.Unmarshal(m.Robot, &described); err != nil {
				t.Error(err)
			}
		case protocol.Pong:
			pongs++
		case protocol.Scan:
			scans = append(scans, m)
		default:
			t.Errorf("it says %s, %v", lines.Text(), err)
		}
	}
	if len(scans) < 3 || pongs != 1 || len(described.Lidars) != 1 {
		t.Fatalf("%d scans, %d pongs, %d lidars", len(scans), pongs, len(described.Lidars))
	}
	for i, s := range scans {
		if len(s.Ranges) != described.Lidars[0].Beams || s.Ranges[0] != 3000 || s.Ranges[90] != 2000 || i > 0 && s.At <= scans[i-1].At {
			t.Errorf("scan %d of %d: %d beams, %d mm ahead, %d mm to the left, from %d ms", i, len(scans), len(s.Ranges), s.Ranges[0], s.Ranges[90], s.At)
		}
	}
	if err := c.CloseWrite(); err != nil {
		t.Error(err)
	}
	for lines.Scan() { // the end of its output: the program has ended
	}
}

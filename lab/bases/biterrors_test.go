package bases

import (
	"testing"

	"mybot/drivers/base/firmware"
	"mybot/drivers/base/protocol"
	"mybot/robot"
)

func TestNoDriveLineWithABitErrorIsExecutedWrong(t *testing.T) {
	if wrong, err := countWrongDrives(5000, 1); wrong != 0 || err != nil {
		t.Errorf("%d drive lines were executed with another content, %v", wrong, err)
	}
}

// executes notices every change that a bit error may make.
func TestWhatABitErrorChangesIsSeen(t *testing.T) {
	asked := protocol.Drive{Number: 7, Until: 1080, Twist: robot.Twist{Linear: 0.3, Angular: 0.2}}
	for _, c := range []struct {
		name  string
		heard protocol.Drive
		same  bool
	}{
		{"nothing", asked, true},
		{"number", protocol.Drive{Number: 5, Until: asked.Until, Twist: asked.Twist}, false},
		{"expiry", protocol.Drive{Number: 7, Until: 1090, Twist: asked.Twist}, false},
		{"speed", protocol.Drive{Number: 7, Until: asked.Until, Twist: robot.Twist{Linear: 0.7, Angular: 0.2}}, false},
		{"turn", protocol.Drive{Number: 7, Until: asked.Until, Twist: robot.Twist{Linear: 0.3, Angular: -0.2}}, false},
	} {
		base := firmware.New(firmware.Config{Hold: bitErrorHold, Max: robot.Limit{Linear: 10, Angular: 10}})
		connection, _, _ := base.Connect(1000)
		base.Hear(connection, []byte(`{"t":"hello","v":[1]}`), 1000)
		line, err := protocol.AppendLine(nil, c.heard, false)
		if err != nil {
			t.Fatal(err)
		}
		base.Hear(connection, line[:len(line)-1], 1000)
		if same := executes(base, asked, c.heard.Number, 1000); same != c.same {
			t.Errorf("a change of %s: executed as sent is %v", c.name, same)
		}
	}
}

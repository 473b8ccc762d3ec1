package testbed

import (
	"bytes"
	"context"
	"log/slog"
	"net"

	"mybot/drivers/base/bridge"
	"mybot/drivers/base/firmware"
	"mybot/robot"
	"mybot/robot/models"
)

// MybotBase returns the built-in robot as it is at the end of a line: it forgets a
// command earlier than the simulator in the server's process does.
func MybotBase() robot.Description {
	desc := Mybot()
	desc.Holds = firmware.RecommendedHold
	return desc
}

// ServeBase makes a base of a driver of the built-in robot until ctx ends, or the only
// line of the listener. Where checked is set every line has a checksum.
func ServeBase(ctx context.Context, l net.Listener, d robot.Driver, checked bool) error {
	description := bytes.Replace(models.Mybot(), []byte(`"holds_s": 0.25`), []byte(`"holds_s": 0.1`), 1)
	return bridge.Serve(ctx, l, d, bridge.Config{Program: "lab", Robot: description, Hold: firmware.RecommendedHold, Checked: checked, Log: slog.New(slog.DiscardHandler)})
}

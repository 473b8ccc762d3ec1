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

// ServeBase makes a base of a driver of the built-in robot until ctx ends.
func ServeBase(ctx context.Context, l net.Listener, d robot.Driver) error {
	description := bytes.Replace(models.Mybot(), []byte(`"holds_s": 0.25`), []byte(`"holds_s": 0.1`), 1)
	return bridge.Serve(ctx, l, d, bridge.Config{Program: "lab", Robot: description, Hold: firmware.RecommendedHold, Log: slog.New(slog.DiscardHandler)})
}

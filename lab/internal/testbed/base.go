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

// MybotBase returns the built-in robot as a base: its commands expire earlier than in the
// simulator within the server's process.
func MybotBase() robot.Description {
	desc := Mybot()
	desc.Holds = firmware.RecommendedHold
	return desc
}

// ServeBase runs a driver of the built-in robot as a base until ctx ends, or the only connection
// of the listener. checked adds a checksum to every line.
func ServeBase(ctx context.Context, l net.Listener, d robot.Driver, checked bool) error {
	description := bytes.Replace(models.Mybot(), []byte(`"holds_s": 0.25`), []byte(`"holds_s": 0.1`), 1)
	return bridge.Serve(ctx, l, d, bridge.Config{Program: "lab", Robot: description, Hold: firmware.RecommendedHold, Checked: checked, Log: slog.New(slog.DiscardHandler)})
}

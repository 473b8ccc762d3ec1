package examples_test

import (
	"context"
	"net"
	"os"
	"testing"

	"mybot/drivers/base/check"
)

func TestThePythonBaseFollowsEveryRuleOverTCP(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	port := freePort(t)
	startProgram(t, "python3", "base.py", "--tcp", port)
	dial := func(ctx context.Context) (check.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", "127.0.0.1:"+port)
	}
	until(t, "the base", func() error {
		conn, err := dial(t.Context())
		if err == nil {
			err = conn.Close()
		}
		return err
	})
	judge(t, check.Options{Dial: dial})
}

func TestThePythonBaseFollowsEveryRuleAsAChild(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	judge(t, check.Options{Kind: check.Child, Dial: func(context.Context) (check.Conn, error) { return startChild("python3", "base.py") }})
}

func TestThePythonBaseFollowsEveryRuleOnASerialPort(t *testing.T) {
	t.Parallel()
	need(t, "python3", "socat")
	ours, theirs := cable(t)
	startProgram(t, "python3", "base.py", "--serial", theirs)
	judge(t, check.Options{Kind: check.Serial, Dial: func(context.Context) (check.Conn, error) { return os.OpenFile(ours, os.O_RDWR, 0) }})
}

package examples_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"strings"
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

// TestThePythonBaseDoesNotDriveByANumberThatIsNone sends NaN, which Python's JSON
// accepts, for each speed. It once made the wheels turn at full speed.
func TestThePythonBaseDoesNotDriveByANumberThatIsNone(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	for _, speeds := range []string{`"v":0.1,"w":NaN`, `"v":NaN,"w":0.1`, `"v":0.1,"w":Infinity`, `"v":0.1,"w":-200`} {
		c, err := startChild("python3", "base.py")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, `{"t":"hello","v":[1]}`+"\n"+`{"t":"drive","n":1,"until":9007199254740991,`+speeds+"}\n")
		last := ""
		for n, lines := 0, bufio.NewScanner(c); n < 5 && lines.Scan(); {
			if strings.Contains(lines.Text(), `"t":"reading"`) {
				n, last = n+1, lines.Text()
			}
		}
		if !strings.Contains(last, `"wheels":[0.0,0.0],"got":0,`) {
			t.Errorf("%s: the base reports %s", speeds, last)
		}
		_ = c.Close()
	}
}

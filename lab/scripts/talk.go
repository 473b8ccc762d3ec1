// Package scripts holds the experiments with the script language.
package scripts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mybot/lab/internal/experiment"
	"mybot/script"
	"mybot/script/talk"
)

const talkHelp = `mybot lab talk FILE [--devices FILE.json] [--tick MS]

A conversation with the language of scripts in virtual time, without a robot.
FILE has a line for each text that a client sends:

  @0:A headPan.val = 30 time:1000;
  @500:B headPan.val;
  @2000:A END

@MS:NAME text: the client NAME sends the text at that time. @MS:NAME END: it leaves,
and what it runs ends. A line that begins with a space continues the text before it;
empty lines and lines that begin with # are left out. Lines count in the order of
their time. What each client receives is printed in order: NAME [time:tag] text.

A conversation whose last line is an END continues while a client runs something that
ends by itself: a wait, a motion with an end, a timeout. What watches (at, whenever,
every, waituntil), repeats without end or is frozen does not prolong it. Without an
END in the last line it is over when nothing runs any more. It is over in any case
60 s after its last line. A command without its ; or , at the end is not run.

Devices are a list such as
[{"name":"headPan","unit":"deg","min":-91,"max":91,"kind":"joint"}]; kinds are joint,
wheel (turns without end, so it has no range), led (0 to 1 unless it says otherwise)
and sensor, which is the default. A range may have one end only. Other fields are
ignored, and null is the same as none. Each has a .val that begins at 0 and follows
at once. Where a client has the name of a device, other clients reach its variables
as NAME_client.x. load reads files beside FILE.

`

// spoken is one line that a client received, as JSON in the outcome.
type spoken struct {
	Client string `json:"client"`
	Ms     int64  `json:"ms"`
	Tag    string `json:"tag"`
	Text   string `json:"text"`
}

type transcript struct {
	Lines []spoken `json:"lines"`
}

// Talk runs a conversation from a file and prints what its clients receive.
func Talk(ctx context.Context, c experiment.Call) error {
	devices, tick, asJSON := "", 20, slices.ContainsFunc(c.Args, isJSONFlag)
	file, args := splitFile(c.Args)
	c.Args = args
	if slices.ContainsFunc(args, isHelpFlag) {
		_, _ = io.WriteString(c.Err, talkHelp)
	}
	err := c.Parse(func(f *experiment.Flags) {
		f.StringVar(&devices, "devices", "", "a `file` with the devices; none without it")
		f.Int(&tick, "tick", 20, 1, 1000, "`ms` between two ticks, {}")
	})
	switch {
	case err != nil:
		return err
	case file == "":
		return c.Refuse("it takes the file of a conversation, such as greeting.talk")
	}
	conversation, setup, err := readTalk(file, devices)
	if err != nil {
		return fmt.Errorf("lab: talk: %w", err)
	}
	setup.Tick = int64(tick)
	t := transcript{Lines: []spoken{}}
	var failed error
	err = talk.Run(ctx, conversation, setup, func(l script.Line) {
		if asJSON {
			t.Lines = append(t.Lines, spoken{l.Unit, l.Time.Milliseconds(), l.TagName(), l.Text})
			return
		}
		if _, err := fmt.Fprintln(c.Out, l.Unit, l); err != nil && failed == nil {
			failed = err
		}
	})
	if err = errors.Join(err, failed); err != nil || !asJSON {
		return err
	}
	return c.Print(t)
}

func (t transcript) String() string { return fmt.Sprintf("%d lines", len(t.Lines)) }

func isHelpFlag(a string) bool {
	return a == "-h" || a == "--h" || a == "-help" || a == "--help"
}

func isJSONFlag(a string) bool {
	name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
	return strings.HasPrefix(a, "-") && name == "json" && (!has || value == "true" || value == "1")
}

// splitFile removes the file from the arguments: the one that is neither a flag nor the value
// of one.
func splitFile(args []string) (file string, rest []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case strings.HasPrefix(a, "-"):
			rest = append(rest, a)
			name := strings.TrimLeft(a, "-")
			if (name == "devices" || name == "tick") && i+1 < len(args) {
				i++
				rest = append(rest, args[i])
			}
		case file == "":
			file = a
		default:
			rest = append(rest, a)
		}
	}
	return file, rest
}

// readTalk reads the file of a conversation and that of its devices.
func readTalk(file, devices string) (*talk.Conversation, talk.Setup, error) {
	var setup talk.Setup
	text, err := readAtMost(file, talk.MaxBytes)
	if err != nil {
		return nil, setup, err
	}
	conversation, err := talk.Read(string(text))
	if err != nil {
		return nil, setup, fmt.Errorf("%s: %w", file, err)
	}
	setup.Load = func(name string) (string, error) { return loadBeside(file, name) }
	if devices == "" {
		return conversation, setup, nil
	}
	list, err := readAtMost(devices, talk.MaxBytes)
	if err != nil {
		return nil, setup, err
	}
	if setup.Devices, err = talk.ReadDevices(list); err != nil {
		return nil, setup, fmt.Errorf("%s: %w", devices, err)
	}
	return conversation, setup, nil
}

// loadBeside reads a script in the folder of a conversation.
func loadBeside(file, name string) (string, error) {
	if name == "" || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("%q is not the name of a file beside the conversation", name)
	}
	text, err := readAtMost(filepath.Join(filepath.Dir(file), name), script.MaxScript)
	if err != nil {
		return "", fmt.Errorf("there is no file %q beside the conversation that can be read", name)
	}
	return string(text), nil
}

// readAtMost reads a file with a limit on its size in bytes.
func readAtMost(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is longer than %d bytes", file, most)
	}
	return text, err
}

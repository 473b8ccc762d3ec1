package scripts

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mybot/lab/internal/experiment"
	"mybot/lab/internal/experiment/experimenttest"
)

var commands = experimenttest.New(map[string]func(context.Context, experiment.Call) error{"talk": Talk, "scripts": Licence, "urbi": MeasurePort, "mirror": MeasureMirror})

func TestMain(m *testing.M) { commands.Main(m) }

// write writes a file into a folder of the test.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const (
	greeting = "@0:A headPan.val = 30 time:1000,\n@500:B x: headPan.val;\n@1000:A load \"hi.u\";\n@1100:B END\n"
	head     = `[{"name":"headPan","unit":"deg","min":-91,"max":91,"kind":"joint"}]`
)

func TestAConversationIsPrintedAsItsClientsAreTold(t *testing.T) {
	folder := t.TempDir()
	file, devices := write(t, folder, "greeting.talk", greeting), write(t, folder, "head.json", head)
	write(t, folder, "hi.u", `echo "hi";`)
	out, _, err := commands.Run(t, "talk", file, "--devices", devices, "--tick", "50")
	if want := "B [000000500:x] 15.000000\nA [000001000:notag] \"hi\"\n"; err != nil || out != want {
		t.Errorf("talk says\n%s\n%v; want\n%s", out, err, want)
	}
	out, _, err = commands.Run(t, "talk", "--json", "--devices="+devices, file)
	var got transcript
	if err != nil || json.Unmarshal([]byte(out), &got) != nil || len(got.Lines) != 2 || got.Lines[0] != (spoken{"B", 500, "x", "15.000000"}) {
		t.Errorf("talk --json says %s, %v", out, err)
	}
}

func TestWhatIsWrongWithAConversationIsSaid(t *testing.T) {
	folder := t.TempDir()
	good, devices := write(t, folder, "good.talk", greeting), write(t, folder, "head.json", head)
	bad, badDevices := write(t, folder, "bad.talk", "@0:A 1;\n@x:A 2;\n"), write(t, folder, "bad.json", `[{"name":"a","kind":"arm"}]`)
	for call, want := range map[string]string{
		"talk":                                      "it takes the file of a conversation",
		"talk " + good + " " + devices:              "takes flags only",
		"talk " + good + " --tick 0":                "--tick is 0; it must be from 1 to 1000",
		"talk " + folder + "/none.talk":             "none.talk",
		"talk " + bad:                               `bad.talk: line 2: "x" is no time; it must be whole milliseconds`,
		"talk " + good + " --devices " + bad:        "bad.talk: line 1, column 1",
		"talk --devices " + badDevices + " " + good: `bad.json: [0].kind is "arm"; it must be joint, wheel, led or sensor`,
	} {
		_, _, err := commands.Run(t, strings.Fields(call)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; it must say %q", call, err, want)
		}
	}
	out, _, err := commands.Run(t, "talk", good, "--devices", devices)
	if err != nil || !strings.Contains(out, "there is no file \"hi.u\" beside the conversation") {
		t.Errorf("a load of a missing file says %s, %v", out, err)
	}
	_, help, err := commands.Run(t, "talk", "-h")
	if err != nil || !strings.Contains(help, "whose last line is an END continues while") || !strings.Contains(help, "-tick") {
		t.Errorf("talk -h says %s, %v", help, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Talk(ctx, experiment.Call{Name: "talk", Args: []string{good, "--devices", devices}, Out: &strings.Builder{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled conversation says %v", err)
	}
}

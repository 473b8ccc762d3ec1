package talk

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"mybot/script"
)

func TestDevicesAreRead(t *testing.T) {
	good := `[{"name":"headPan","unit":"deg","min":-91,"max":91,"kind":"joint"},{"name":"wheelR","unit":"deg","kind":"wheel"},{"name":"led.left","kind":"led"},{"name":"near","unit":"cm","kind":"sensor"}]`
	devices, err := ReadDevices([]byte(good))
	if err != nil || len(devices) != 4 || devices[0].Min != -91 || devices[2].Max != 1 || !devices[1].Moves || devices[3].ReadOnly {
		t.Errorf("good devices are read as %+v, %v", devices, err)
	}
	outside := `[{"name":"a","id":7,"min":null,"max":5,"unit":null},{"name":"b","kind":"wheel","min":0,"max":360},{"name":"c","min":-2,"limits":{"x":[1]},"kind":null}]`
	devices, err = ReadDevices([]byte(outside))
	if err != nil || len(devices) != 3 || devices[0].Kind != "sensor" || devices[0].Max != 5 || !math.IsInf(devices[0].Min, -1) ||
		devices[1].Min != 0 || devices[1].Max != 0 || devices[2].Min != -2 || !math.IsInf(devices[2].Max, 1) {
		t.Errorf("devices of another program are read as %+v, %v", devices, err)
	}
	if devices, err := ReadDevices([]byte(" [ ] ")); err != nil || len(devices) != 0 {
		t.Errorf("no devices are read as %v, %v", devices, err)
	}
	for text, want := range map[string]string{
		``:                               "it is empty",
		`[{"name":"a"`:                   "line 1, column 13: it ends too early",
		`{"name":"a","kind":"led"}`:      "it must be a list of devices in [ ]",
		`[1]`:                            "[0] is 1; it must be an object in braces",
		`[{"kind":"led"}]`:               `[0].name is missing; it must be the name of a device, such as "headPan"`,
		`[{"name":5,"kind":"led"}]`:      `[0].name is 5; it must be the name of a device`,
		`[{"name":"a b","kind":"led"}]`:  `[0].name is "a b"; a name has letters, digits and _`,
		`[{"name":"loop","kind":"led"}]`: `[0].name is "loop"`,
		`[{"name":null}]`:                `[0].name is null; it must be the name of a device`,
		`[{"name":"a","kind":7}]`:        `[0].kind is 7; it must be "joint", "wheel", "led", "sensor"`,
		`[{"name":"a","kind":"jont"}]`:   `[0].kind is "jont"; it must be joint, wheel, led or sensor`,
		`[{"name":"a","kind":"joint","min":"x","max":3}]`:                  `[0].min is "x"; it must be a number`,
		`[{"name":"a","kind":"joint","min":3,"max":3}]`:                    "[0]: min is 3 and max is 3; min must be less than max",
		`[{"name":"a","kind":"led","unit":3}]`:                             "[0].unit is 3; it must be a unit in quotes",
		`[{"name":"a","kind":"led"},{"name":"a","kind":"led"}]`:            `[1].name is "a", which another device has; names must differ`,
		`[{"name":"a","kind":"led","kind":"wheel"}]`:                       "[0].kind comes twice",
		`[` + strings.Repeat(`{"name":"a","kind":"led"},`, 1) + `{"a":1}]`: "[1].name is missing",
	} {
		if _, err := ReadDevices([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; it must say %q", text, err, want)
		}
	}
}

func TestFilesMayBeginWithAByteOrderMarkAndHaveTabs(t *testing.T) {
	if devices, err := ReadDevices([]byte("\ufeff[{\"name\":\"a\"}]")); err != nil || len(devices) != 1 {
		t.Errorf("the devices are read as %v, %v", devices, err)
	}
	if got := runStory(t, "\ufeff@0:A\t1;\r\n@10:A\tEND\r\n"); got != "A [000000000:notag] 1.000000\n" {
		t.Errorf("the conversation says %q", got)
	}
}

func TestAConversationIsReadStrictly(t *testing.T) {
	for text, want := range map[string]string{
		"@0:A 1;\nhello\n":           `line 2: "hello"; a line begins with @MS:NAME`,
		"@:A 1;":                     `line 1: "" is no time; it must be whole milliseconds from 0 to 999999999`,
		"@-5:A 1;":                   `"-5" is no time`,
		"@1.5:A 1;":                  `"1.5" is no time`,
		"@1000000000:A 1;":           `"1000000000" is no time`,
		"@5 A 1;":                    `"@5 A 1;" has no name`,
		"@5: 1;":                     "the client's name is missing",
		"@5:A END\n  more":           "line 2: nothing can follow an END",
		"\xff":                       "it is not UTF-8 text",
		strings.Repeat(" ", 5000000): "a conversation has at most 4194304",
	} {
		if _, err := Read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v; it must say %q", text, err, want)
		}
	}
}

// say runs a conversation without devices.
func say(t *testing.T, text string, tick int64) string {
	t.Helper()
	c, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	if err := Run(context.Background(), c, Setup{Tick: tick}, func(l script.Line) { said = append(said, l.Unit+" "+l.String()) }); err != nil {
		t.Fatal(err)
	}
	return strings.Join(said, "\n")
}

func TestAConversationEndsWhenNothingIsPendingAfterItsLastEnd(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{
			"after an END in the last line only what ends by itself goes on", "@0:A wait(200ms) | x = 0 | x = 3 time:100 | 1; while (x < 6) { x++; wait(10ms) }; every (1s) 5, 4; loop { wait(10ms) },\n@100:B END\n",
			"A [000000300:notag] 1.000000\nA [000000330:notag] 5.000000\nA [000000330:notag] 4.000000",
		},
		{
			"what is frozen or has no end does not prolong it", "@0:A f: { wait(1h) | 1 }, freeze f; x = 0; x = inf speed:1, at (x > 10) 2; whenever (1) { wait(1s) }, wait(100ms) | 3; while (1) wait(10ms);\n@50:B END\n",
			"A [000000100:notag] 3.000000",
		},
		{
			"a rule does not prolong it", "@0:A every (100ms) echo 1,\n@0:B echo 2;\n@150:B END\n",
			"A [000000000:notag] 1.000000\nB [000000000:notag] 2.000000\nA [000000100:notag] 1.000000",
		},
		{"without one it is over when nothing runs", "@0:A wait(5s) | echo time;\n", "A [000005000:notag] 5000.000000"},
		{"what waits for the end of a command is not run", "@0:A echo 1; echo 2", "A [000000000:notag] 1.000000"},
		{"the others go by their time", "@100:A echo 2;\n@0:B echo 1;\n@200:A END", "B [000000000:notag] 1.000000\nA [000000100:notag] 2.000000"},
		{"a tick comes before what is sent in its ms", "@0:A x = 0; loop x++,\n@20:A x;\n@20:A END", "A [000000020:notag] 2.000000"},
		{"nobody speaks", "# nothing\n\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := say(t, c.text, 20); got != c.want {
				t.Errorf("it says\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	lines := strings.Split(say(t, "@0:A every (1s) echo time,", 20), "\n")
	if last := lines[len(lines)-1]; len(lines) != 61 || last != "A [000060000:notag] 60000.000000" {
		t.Errorf("a rule without END says %d lines, the last %s", len(lines), last)
	}
	if got := say(t, "@0:A x = 0; loop x++,\n@100:A x;\n@100:A END", 50); got != "A [000000100:notag] 3.000000" {
		t.Errorf("with ticks of 50 ms it says %s", got)
	}
}

func TestAConversationCanBeCalledOff(t *testing.T) {
	c, err := Read("@100:A 1;")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, c, Setup{}, func(script.Line) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

func TestAClientMayHaveTheNameOfADevice(t *testing.T) {
	c, err := Read("@0:led x = 4; led.val = 0.5;\n@10:B led.val; led_client.x;\n@20:led x; group g {led};\n@25:g 7;\n@30:led END\n@40:led y = 1; y;\n@50:led END\n")
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	err = Run(t.Context(), c, Setup{Devices: []script.Device{{Name: "led", FollowsAtOnce: true}}}, func(l script.Line) { said += l.Unit + " " + l.Text + "," })
	if want := "B 0.500000,B 4.000000,led 4.000000,g 7.000000,led 1.000000,"; err != nil || said != want {
		t.Errorf("it says %s, %v; want %s", said, err, want)
	}
	c, _ = Read("@0:" + strings.Repeat("x", 101) + " 1;")
	if err := Run(t.Context(), c, Setup{}, func(script.Line) {}); err == nil || !strings.Contains(err.Error(), "1 to 100 characters") {
		t.Errorf("a name that is too long: %v", err)
	}
}

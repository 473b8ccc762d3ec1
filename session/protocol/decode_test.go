package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mybot/robot"
	"mybot/session/lease"
	"mybot/session/protocol"
	"mybot/session/protocol/protocoltest"
)

func ptr[T any](x T) *T { return &x }

func TestEveryCommandIsRead(t *testing.T) {
	for _, tc := range []struct {
		frame string
		want  any
	}{
		{`{"type":"hello","protocol":"mybot.v1","tab":"k3v9x2","name":"Ana","build":"0.1.0"}`, protocol.Hello{"mybot.v1", "k3v9x2", "Ana", "0.1.0"}},
		{`{"type":"hello","protocol":"mybot.v1","tab":"k3v9x2","build":"0.1.0"}`, protocol.Hello{"mybot.v1", "k3v9x2", "", "0.1.0"}},
		{`{"type":"clock","t1":12.3456,"rtt_ms":310}`, protocol.Clock{12.3456, ptr(310.0)}},
		{`{"type":"clock","t1":-1e3,"rtt_ms":null}`, protocol.Clock{-1000, nil}},
		{`{"type":"drive","lease":4,"hold":2,"seq":117,"t":12.35,"v":0.3,"w":-0.2,"valid":0.25}`, protocol.Drive{4, 2, 117, 12.35, 0.3, -0.2, 250 * time.Millisecond, nil}},
		{`{"type":"drive","lease":4,"hold":2,"seq":0,"t":0,"v":-0,"w":0.0}`, protocol.Drive{4, 2, 0, 0, math.Copysign(0, -1), 0, 250 * time.Millisecond, nil}},
		{`{"type":"drive","lease":4,"hold":2,"seq":118,"t":12.4,"v":0.3,"w":-0.2,"vr":[11,7,-0.1,0.28,-0.2,1.9]}`, protocol.Drive{4, 2, 118, 12.4, 0.3, -0.2, 250 * time.Millisecond, &robot.Follow{
			Lease: 4, Hold: 2, Seq: 118, T: 12.4, Want: robot.Twist{Linear: 0.3, Angular: -0.2}, Twist: robot.Twist{Linear: 0.28, Angular: -0.2},
			Pose: robot.Pose{X: 11, Y: 7, Theta: -0.1}, S: 1.9, Valid: 250 * time.Millisecond,
		}}},
		{`{"type":"drive","lease":4,"hold":2,"seq":9,"t":1,"v":0,"w":0,"valid":0.5,"vr":[1,2,7,0,0,0], "hist" : [ [7,0.9,0.1,0.2,1,2,0,0.3,0.4,0.5] ,[8,0.95,0,0,-1,-2,1,0,0,0]]}`, protocol.Drive{4, 2, 9, 1, 0, 0, 500 * time.Millisecond, &robot.Follow{
			Lease: 4, Hold: 2, Seq: 9, T: 1, Pose: robot.Pose{X: 1, Y: 2, Theta: robot.WrapAngle(7)}, Valid: 500 * time.Millisecond,
			Hist: []robot.Follow{
				{Lease: 4, Hold: 2, Seq: 7, T: 0.9, Want: robot.Twist{Linear: 0.1, Angular: 0.2}, Twist: robot.Twist{Linear: 0.3, Angular: 0.4}, Pose: robot.Pose{X: 1, Y: 2}, S: 0.5, Valid: 500 * time.Millisecond},
				{Lease: 4, Hold: 2, Seq: 8, T: 0.95, Pose: robot.Pose{X: -1, Y: -2, Theta: 1}, Valid: 500 * time.Millisecond},
			},
		}}},
		{`{"type":"drive","lease":1,"hold":1,"seq":1,"t":0,"v":0,"w":0,"vr":[0,0,0,0,0,0],"hist":[ ]}`, protocol.Drive{1, 1, 1, 0, 0, 0, 250 * time.Millisecond, &robot.Follow{Lease: 1, Hold: 1, Seq: 1, Valid: 250 * time.Millisecond}}},
		{" {\n\"v\" : 1E-2 , \"w\":0,\"t\":0,\"seq\":1,\"hold\":1,\"lease\":1,\"valid\":0.5,\"type\":\"drive\"\t}\r\n", protocol.Drive{1, 1, 1, 0, 0.01, 0, 500 * time.Millisecond, nil}},
		{`{"type":"stop","id":7}`, protocol.Stop{7}},
		{`{"type":"stop"}`, protocol.Stop{}},
		{`{"\u0074ype":"st\u006fp"}`, protocol.Stop{}},
		{`{"type":"unstop","id":8,"lease":4}`, protocol.Unstop{8, 4}},
		{`{"type":"control","id":9,"action":"take"}`, protocol.Control{9, "take", 0, ""}},
		{`{"type":"control","id":9,"action":"release"}`, protocol.Control{9, "release", 0, ""}},
		{`{"type":"control","id":9,"action":"request","reason":" A spill, 진. "}`, protocol.Control{9, "request", 0, "A spill, 진."}},
		{`{"type":"control","id":9,"action":"request","reason":""}`, protocol.Control{9, "request", 0, ""}},
		{`{"type":"control","id":9,"action":"request","reason":"می\u200cخواهم, 👩\u200d🔬, urgent\u00a0!"}`, protocol.Control{9, "request", 0, "می\u200cخواهم, 👩\u200d🔬, urgent\u00a0!"}},
		{`{"type":"control","id":9,"action":"request","reason":"` + strings.Repeat("é", 80) + `"}`, protocol.Control{9, "request", 0, strings.Repeat("é", 80)}},
		{`{"type":"control","id":9,"action":"request"}`, protocol.Control{9, "request", 0, ""}},
		{`{"type":"control","id":9,"action":"give","to":3}`, protocol.Control{9, "give", 3, ""}},
		{`{"type":"control","id":9,"action":"keep","to":3}`, protocol.Control{9, "keep", 3, ""}},
		{`{"type":"control","id":9,"action":"cancel"}`, protocol.Control{9, "cancel", 0, ""}},
		{`{"type":"control","id":9,"action":"accept"}`, protocol.Control{9, "accept", 0, ""}},
		{`{"type":"control","id":9,"action":"decline"}`, protocol.Control{9, "decline", 0, ""}},
		{`{"type":"control","id":9,"action":"here"}`, protocol.Control{9, "here", 0, ""}},
		{`{"type":"rename","id":10,"name":"Jin"}`, protocol.Rename{10, "Jin"}},
		{`{"type":"rename","id":10,"name":"\uc9c4 \"J\" é"}`, protocol.Rename{10, `진 "J" é`}},
		{`{"type":"plan","id":19,"goal":[12.1,3.35,3.75]}`, protocol.Navigate{ID: 19, Command: robot.Plan{Goal: robot.Pose{X: 12.1, Y: 3.35, Theta: robot.WrapAngle(3.75)}}}},
		{`{"type":"plan","id":19,"goal": [ -1e5 ,1e5, 0 ] }`, protocol.Navigate{ID: 19, Command: robot.Plan{Goal: robot.Pose{X: -1e5, Y: 1e5}}}},
		{`{"type":"goto","id":20,"lease":4,"goal":[12.1,3.35,-0.5],"name":"Copy room"}`, protocol.Navigate{20, 4, robot.GoTo{Goal: robot.Pose{X: 12.1, Y: 3.35, Theta: -0.5}, Name: "Copy room"}}},
		{`{"type":"goto","id":20,"lease":4,"goal":[1,2,0]}`, protocol.Navigate{20, 4, robot.GoTo{Goal: robot.Pose{X: 1, Y: 2}}}},
		{`{"type":"goal","id":21,"lease":4,"action":"pause"}`, protocol.Navigate{21, 4, robot.Pause{}}},
		{`{"type":"goal","id":21,"lease":4,"action":"resume"}`, protocol.Navigate{21, 4, robot.Resume{}}},
		{`{"type":"goal","id":21,"lease":4,"action":"cancel"}`, protocol.Navigate{21, 4, robot.Cancel{}}},
		{`{"type":"goal","id":21,"lease":4,"action":"around"}`, protocol.Navigate{21, 4, robot.GoAround{}}},
		{`{"type":"pose","id":22,"lease":4,"pose":[4.5,7.3,0]}`, protocol.Navigate{22, 4, robot.SetPose{Pose: robot.Pose{X: 4.5, Y: 7.3}}}},
		{`{"type":"world","id":23,"lease":4,"action":"put","kind":"obstacle","at":[11.2,7.4],"radius":0.25}`, protocol.World{23, 4, protocol.PutThing{protocol.Obstacle, robot.Point{X: 11.2, Y: 7.4}, 0.25}}},
		{`{"type":"world","id":23,"lease":4,"action":"put","kind":"magnet","at":[11.2,7.4],"radius":2}`, protocol.World{23, 4, protocol.PutThing{protocol.Magnet, robot.Point{X: 11.2, Y: 7.4}, 2}}},
		{`{"type":"world","id":24,"lease":4,"action":"move","thing":3,"at":[11.4,7.4]}`, protocol.World{24, 4, protocol.MoveThing{3, robot.Point{X: 11.4, Y: 7.4}}}},
		{`{"type":"world","id":25,"lease":4,"action":"remove","thing":3}`, protocol.World{25, 4, protocol.RemoveThing{3}}},
		{`{"type":"world","id":26,"lease":4,"action":"door","door":2,"closed":true}`, protocol.World{26, 4, protocol.SetDoor{2, true}}},
		{`{"type":"world","id":26,"lease":4,"action":"door","door":0,"closed":false}`, protocol.World{26, 4, protocol.SetDoor{}}},
		{`{"type":"rtc","id":30,"offer":"v=0\r\ns=-\r\n"}`, protocol.RTC{30, "v=0\r\ns=-\r\n"}},
		{`{"type":"link","id":31,"lease":4,"profile":"rtt=310ms,loss=1%"}`, protocol.Link{31, 4, "rtt=310ms,loss=1%"}},
		{`{"type":"world","id":27,"lease":4,"action":"carry","pose":[18.2,7.3,3.1]}`, protocol.World{27, 4, protocol.Carry{robot.Pose{X: 18.2, Y: 7.3, Theta: 3.1}}}},
		{`{"type":"world","id":28,"lease":4,"action":"ok"}`, protocol.World{28, 4, protocol.PressOK{}}},
		{`{"type":"world","id":29,"lease":4,"action":"battery","charge":0.29}`, protocol.World{29, 4, protocol.SetCharge{0.29}}},
		{`{"type":"joints","id":46,"lease":4,"at":{"shoulder":1.2,"grip \u00e9":-3e-2}}`, protocol.MoveJoints{46, 4, 0, robot.MoveJoints{At: map[string]float64{"shoulder": 1.2, "grip é": -0.03}}}},
		{`{"type":"look","id":45,"lease":4,"pan":0.5,"tilt":-0.2}`, protocol.Look{45, 4, 0, robot.Look{HeadAngles: robot.HeadAngles{Pan: 0.5, Tilt: -0.2}}}},
		{`{"type":"look","id":46,"lease":4,"loan":7,"pan":0.5,"tilt":-0.2}`, protocol.Look{46, 4, 7, robot.Look{HeadAngles: robot.HeadAngles{Pan: 0.5, Tilt: -0.2}}}},
		{`{"type":"part","id":47,"lease":4,"action":"ask","part":"head"}`, protocol.Part{47, 4, "ask", lease.Head, 0}},
		{`{"type":"part","id":48,"lease":4,"action":"lend","part":"voice","to":3}`, protocol.Part{48, 4, "lend", lease.Voice, 3}},
		{`{"type":"part","id":49,"lease":4,"action":"deny","part":"arm","to":3}`, protocol.Part{49, 4, "deny", lease.Arm, 3}},
		{`{"type":"part","id":50,"lease":4,"action":"take","part":"head"}`, protocol.Part{50, 4, "take", lease.Head, 0}},
		{`{"type":"part","id":51,"lease":4,"action":"give","part":"head"}`, protocol.Part{51, 4, "give", lease.Head, 0}},
		{`{"type":"ack","n":1234}`, protocol.Ack{1234}},
		{`{"type":"ack","n":9007199254740991}`, protocol.Ack{1<<53 - 1}},
	} {
		got, err := protocol.Decode([]byte(tc.frame))
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s\n is %#v, %v\nwant %#v", tc.frame, got, err, tc.want)
		}
	}
}

func TestARefusedFrameIsToldWhatWouldBeRight(t *testing.T) {
	drive := func(from, to string) string {
		return strings.Replace(`{"type":"drive","lease":4,"hold":2,"seq":117,"t":12.35,"v":0.3,"w":-0.2,"valid":0.25}`, from, to, 1)
	}
	for _, tc := range []struct{ name, frame, want string }{
		{"nothing", ``, `The frame is not JSON (byte 0: unexpected end of JSON input); it should be one JSON object.`},
		{"half an object", `{"type":`, `The frame is not JSON (byte 8: unexpected end of JSON input); it should be one JSON object.`},
		{"NaN", drive("0.3", "NaN"), `The frame is not JSON (byte 60: invalid character 'N' looking for beginning of value); it should be one JSON object.`},
		{"two objects", `{"type":"stop"}{"type":"stop"}`, `The frame is not JSON (byte 16: invalid character '{' after top-level value); it should be one JSON object.`},
		{"a list", `[1]`, `The frame is [1]; it should be one JSON object, for example {"type":"ack","n":1}.`},
		{"a number", ` 12 `, `The frame is 12; it should be one JSON object, for example {"type":"ack","n":1}.`},
		{"not UTF-8", "{\"type\":\"rename\",\"id\":1,\"name\":\"\xff\"}", `The frame is not UTF-8; it should be one JSON object in UTF-8.`},
		{"no type", `{}`, `frame: "type" is missing; it should be the kind of command, for example "drive".`},
		{"type of the wrong kind", `{"type":7}`, `frame: "type" is 7; it should be the kind of command, for example "drive".`},
		{"an unknown type", `{"type":"jump"}`, `"type" is "jump"; it should be hello, clock, drive, stop, unstop, control, rename, plan, goto, goal, pose, world, rtc, link, motion, job, look, joints, part, watch or ack.`},
		{"another case", `{"type":"Stop"}`, `"type" is "Stop"; it should be hello, clock, drive, stop, unstop, control, rename, plan, goto, goal, pose, world, rtc, link, motion, job, look, joints, part, watch or ack.`},
		{"a field in another case", `{"Type":"stop"}`, `frame: "type" is missing; it should be the kind of command, for example "drive".`},
		{"an unknown field", `{"type":"stop","id":7,"now":true}`, `stop: "now" is not a field of it; it should be left out.`},
		{"a missing field", drive(`"v":0.3,`, ``), `drive: "v" is missing; it should be a speed in m/s, for example 0.3.`},
		{"a field twice", drive(`"v":0.3`, `"v":0.3,"v":0.3`), `"v" is there twice; it should be there once.`},
		{"a field twice in disguise", drive(`"v":0.3`, `"v":0.3,"\u0076":0.3`), `"v" is there twice; it should be there once.`},
		{"a text for a number", drive(`0.3`, `"0.3"`), `drive: "v" is "0.3"; it should be a speed in m/s, for example 0.3.`},
		{"null for a number", drive(`-0.2`, `null`), `drive: "w" is null; it should be a turning speed in rad/s, for example -0.2.`},
		{"a list for a number", drive(`0.3`, `[0.3,"]"]`), `drive: "v" is [0.3,"]"]; it should be a speed in m/s, for example 0.3.`},
		{"an object for a number", drive(`0.3`, `{"a":{"b":"}"}}`), `drive: "v" is {"a":{"b":"}"}}; it should be a speed in m/s, for example 0.3.`},
		{"infinity", drive(`0.3`, `1e999`), `drive: "v" is 1e999, which is not a finite number; it should be a speed in m/s, for example 0.3.`},
		{"minus infinity", drive(`-0.2`, `-1e999`), `drive: "w" is -1e999, which is not a finite number; it should be a turning speed in rad/s, for example -0.2.`},
		{"a broken number", drive(`117`, `117.5`), `drive: "seq" is 117.5; it should be a whole number from 0 on.`},
		{"a negative number", drive(`"lease":4`, `"lease":-4`), `drive: "lease" is -4; it should be a whole number from 0 on.`},
		{"a number too large to count to", drive(`"hold":2`, `"hold":9007199254740992`), `drive: "hold" is 9007199254740992; it should be a whole number from 0 on.`},
		{"no life", drive(`0.25`, `0`), `drive: "valid" is 0; it should be a time in s above 0 and at most 0.5.`},
		{"too long a life", drive(`0.25`, `0.6`), `drive: "valid" is 0.6; it should be a time in s above 0 and at most 0.5.`},
		{"a life that overflows", drive(`0.25`, `1e300`), `drive: "valid" is 1e+300; it should be a time in s above 0 and at most 0.5.`},
		{"a virtual robot that is a number", drive(`0.25}`, `0.25,"vr":7}`), `drive: "vr" is 7; it should be [x, y, heading, linear, angular, s] in m, rad, m/s and rad/s.`},
		{"a virtual robot without its arc", drive(`0.25}`, `0.25,"vr":[1,2,3,4,5]}`), `drive: "vr" is [1,2,3,4,5]; it should be [x, y, heading, linear, angular, s] in m, rad, m/s and rad/s.`},
		{"a virtual robot off the map", drive(`0.25}`, `0.25,"vr":[100001,2,3,4,5,6]}`), `drive: "vr" has the coordinate 100001; it should be [x, y, heading, linear, angular, s] in m, rad, m/s and rad/s.`},
		{"earlier samples without a virtual robot", drive(`0.25}`, `0.25,"hist":[]}`), `drive: "hist" is there without vr; it should be beside "vr", or left out.`},
		{"earlier samples that are none", drive(`0.25}`, `0.25,"vr":[1,2,3,4,5,6],"hist":{}}`), `drive: "hist" is {}; it should be a list of at most 8 samples, each [seq, t, v, w, x, y, heading, linear, angular, s].`},
		{"an earlier sample that is too short", drive(`0.25}`, `0.25,"vr":[1,2,3,4,5,6],"hist":[[1,2,3,4,5,6,7,8,9]]}`), `drive: "hist" is [[1,2,3,4,5,6,7,8,9]]; it should be a list of at most 8 samples, each [seq, t, v, w, x, y, heading, linear, angular, s].`},
		{"an earlier sample without a number", drive(`0.25}`, `0.25,"vr":[1,2,3,4,5,6],"hist":[[1.5,2,3,4,5,6,7,8,9,10]]}`), `drive: "hist" has the seq 1.5; it should be a list of at most 8 samples, each [seq, t, v, w, x, y, heading, linear, angular, s].`},
		{"an earlier sample off the map", drive(`0.25}`, `0.25,"vr":[1,2,3,4,5,6],"hist":[[1,2,3,4,5,-1e6,7,8,9,10]]}`), `drive: "hist" has the coordinate -1e+06; it should be a list of at most 8 samples, each [seq, t, v, w, x, y, heading, linear, angular, s].`},
		{"nine earlier samples", drive(`0.25}`, `0.25,"vr":[1,2,3,4,5,6],"hist":[`+strings.Repeat(`[1,2,3,4,5,6,7,8,9,10],`, 8)+`[1,2,3,4,5,6,7,8,9,10]]}`), `drive: "hist" is [[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8...; it should be a list of at most 8 samples, each [seq, t, v, w, x, y, heading, linear, angular, s].`},
		{"id zero", `{"type":"stop","id":0}`, `stop: "id" is 0; it should be a whole number from 1 on.`},
		{"no id", `{"type":"unstop","lease":4}`, `unstop: "id" is missing; it should be a whole number from 1 on.`},
		{"an unknown action", `{"type":"control","id":9,"action":"grab"}`, `control: "action" is "grab"; it should be take, release, request, cancel, give, keep, accept, decline or here.`},
		{"no action", `{"type":"control","id":9}`, `control: "action" is missing; it should be take, release, request, cancel, give, keep, accept, decline or here.`},
		{"give to nobody", `{"type":"control","id":9,"action":"give"}`, `control: "to" is missing; it should be a whole number from 1 on.`},
		{"keep from nobody", `{"type":"control","id":9,"action":"keep","to":0}`, `control: "to" is 0; it should be a whole number from 1 on.`},
		{"take to somebody", `{"type":"control","id":9,"action":"take","to":3}`, `control: "to" is not a field of it; it should be left out.`},
		{"a long reason", `{"type":"control","id":9,"action":"request","reason":"` + strings.Repeat("x", 81) + `"}`, `control: "reason" is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...; it should be one line of at most 80 letters.`},
		{"a reason over two lines", `{"type":"control","id":9,"action":"request","reason":"a\nb"}`, `control: "reason" is "a\nb"; it should be one line of at most 80 letters.`},
		{"a reason that turns the line", `{"type":"control","id":9,"action":"request","reason":"a\u202eb"}`, `control: "reason" is "a\u202eb"; it should be one line of at most 80 letters.`},
		{"a reason that is no text", `{"type":"control","id":9,"action":"request","reason":7}`, `control: "reason" is 7; it should be one line of at most 80 letters.`},
		{"no name", `{"type":"rename","id":9,"name":""}`, `rename: "name" is ""; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"a long name", `{"type":"rename","id":9,"name":"abcdefghijklmnopqrstuvwxy"}`, `rename: "name" is "abcdefghijklmnopqrstuvwxy"; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"a name of spaces", `{"type":"rename","id":9,"name":" Jin"}`, `rename: "name" is " Jin"; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"a name over two lines", `{"type":"rename","id":9,"name":"J\nin"}`, `rename: "name" is "J\nin"; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"a name that turns the text round", `{"type":"rename","id":9,"name":"J\u202ein"}`, `rename: "name" is "J\u202ein"; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"half a letter", `{"type":"rename","id":9,"name":"\ud800"}`, `rename: "name" is "\ud800"; it should be a name of 1 to 24 letters, for example "Jin".`},
		{"no tab", `{"type":"hello","protocol":"mybot.v1","tab":"","build":"1"}`, `hello: "tab" is ""; it should be the tab's random word.`},
		{"a negative round trip", `{"type":"clock","t1":1,"rtt_ms":-1}`, `clock: "rtt_ms" is -1; it should be a time in ms from 0 to 3600000 (an hour), or null.`},
		{"a round trip that outlives the robot", `{"type":"clock","t1":1,"rtt_ms":1e308}`, `clock: "rtt_ms" is 1e308; it should be a time in ms from 0 to 3600000 (an hour), or null.`},
		{"no goal", `{"type":"plan","id":1}`, `plan: "goal" is missing; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"a goal without a heading", `{"type":"plan","id":1,"goal":[1,2]}`, `plan: "goal" is [1,2]; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"a goal with too much", `{"type":"plan","id":1,"goal":[1,2,3,4]}`, `plan: "goal" is [1,2,3,4]; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"a goal of nothing", `{"type":"plan","id":1,"goal":[]}`, `plan: "goal" is []; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"a goal that is null", `{"type":"plan","id":1,"goal":null}`, `plan: "goal" is null; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"a goal of lists", `{"type":"plan","id":1,"goal":[[1,2],3,4]}`, `plan: "goal" is [[1,2],3,4]; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"a goal of texts", `{"type":"plan","id":1,"goal":["1",2,3]}`, `plan: "goal" is ["1",2,3]; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"a goal with a hole", `{"type":"plan","id":1,"goal":[1,null,3]}`, `plan: "goal" is [1,null,3]; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"an endless goal", `{"type":"plan","id":1,"goal":[1,2,1e999]}`, `plan: "goal" is [1,2,1e999]; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"a goal on no map", `{"type":"plan","id":1,"goal":[1,-100001,0]}`, `plan: "goal" has the coordinate -100001; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"a plan with a lease", `{"type":"plan","id":1,"lease":1,"goal":[1,2,3]}`, `plan: "lease" is not a field of it; it should be left out.`},
		{"a goto without a lease", `{"type":"goto","id":1,"goal":[1,2,3]}`, `goto: "lease" is missing; it should be a whole number from 0 on.`},
		{"a goto with a long name", `{"type":"goto","id":1,"lease":1,"goal":[1,2,3],"name":"` + strings.Repeat("x", protocol.MaxPlaceName+1) + `"}`, `goto: "name" is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...; it should be one line of at most 60 letters.`},
		{"an unknown wish", `{"type":"goal","id":1,"lease":1,"action":"hurry"}`, `goal: "action" is "hurry"; it should be pause, resume, cancel or around.`},
		{"a goal without a number", `{"type":"goal","lease":1,"action":"pause"}`, `goal: "id" is missing; it should be a whole number from 1 on.`},
		{"joints of a list", `{"type":"joints","id":1,"lease":1,"at":[1]}`, `joints: "at" is [1]; it should be an object of 1 to 12 joints, each with its position in rad or m, for example {"shoulder":1.2}.`},
		{"no joint", `{"type":"joints","id":1,"lease":1,"at":{}}`, `joints: "at" is {}; it should be an object of 1 to 12 joints, each with its position in rad or m, for example {"shoulder":1.2}.`},
		{"a joint at no number", `{"type":"joints","id":1,"lease":1,"at":{"shoulder":"up"}}`, `joints: "at" is {"shoulder":"up"}; it should be an object of 1 to 12 joints, each with its position in rad or m, for example {"shoulder":1.2}.`},
		{"a joint too far", `{"type":"joints","id":1,"lease":1,"at":{"shoulder":1e999}}`, `joints: "at" is {"shoulder":1e999}; it should be an object of 1 to 12 joints, each with its position in rad or m, for example {"shoulder":1.2}.`},
		{"a joint twice", `{"type":"joints","id":1,"lease":1,"at":{"shoulder":1,"shoulder":2}}`, `joints: "at" has "shoulder" twice; it should be an object of 1 to 12 joints, each with its position in rad or m, for example {"shoulder":1.2}.`},
		{"joints of nobody", `{"type":"joints","id":1,"at":{"shoulder":1}}`, `joints: "lease" is missing; it should be a whole number from 0 on.`},
		{"a pose of words", `{"type":"pose","id":1,"lease":1,"pose":"here"}`, `pose: "pose" is "here"; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
		{"a charge in percent", `{"type":"world","id":1,"lease":1,"action":"battery","charge":29}`, `world: "charge" is 29; it should be a charge between 0 (empty) and 1 (full).`},
		{"an unknown change", `{"type":"world","id":1,"lease":1,"action":"burn"}`, `world: "action" is "burn"; it should be put, move, remove, door, carry, ok or battery.`},
		{"an unknown thing", `{"type":"world","id":1,"lease":1,"action":"put","kind":"dog","at":[1,2],"radius":1}`, `world: "kind" is "dog"; it should be obstacle or magnet.`},
		{"a thing without a kind", `{"type":"world","id":1,"lease":1,"action":"put","at":[1,2],"radius":1}`, `world: "kind" is missing; it should be obstacle or magnet.`},
		{"a thing too small", `{"type":"world","id":1,"lease":1,"action":"put","kind":"obstacle","at":[1,2],"radius":0.049}`, `world: "radius" is 0.049; it should be a radius in m between 0.05 and 2.`},
		{"a thing too large", `{"type":"world","id":1,"lease":1,"action":"put","kind":"obstacle","at":[1,2],"radius":2.1}`, `world: "radius" is 2.1; it should be a radius in m between 0.05 and 2.`},
		{"a thing on no map", `{"type":"world","id":1,"lease":1,"action":"move","thing":1,"at":[1e6,2]}`, `world: "at" has the coordinate 1e+06; it should be [x, y] in m, each between -100000 and 100000.`},
		{"thing zero", `{"type":"world","id":1,"lease":1,"action":"remove","thing":0}`, `world: "thing" is 0; it should be a whole number from 1 on.`},
		{"a door half closed", `{"type":"world","id":1,"lease":1,"action":"door","door":0,"closed":0.5}`, `world: "closed" is 0.5; it should be true or false.`},
		{"a door that says nothing", `{"type":"world","id":1,"lease":1,"action":"door","door":0}`, `world: "closed" is missing; it should be true or false.`},
		{"a field of another action", `{"type":"world","id":1,"lease":1,"action":"remove","thing":1,"at":[1,2]}`, `world: "at" is not a field of it; it should be left out.`},
		{"too many fields", `{"type":"ack","n":1,"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`, `The frame has more than 12 fields; no command has so many.`},
		{"an offer without one", `{"type":"rtc","id":1}`, `rtc: "offer" is missing; it should be a session description of WebRTC.`},
		{"an empty offer", `{"type":"rtc","id":1,"offer":""}`, `rtc: "offer" is ""; it should be a session description of WebRTC of at most 8192 bytes.`},
		{"an offer that is too long", `{"type":"rtc","id":1,"offer":"` + strings.Repeat("x", 8193) + `"}`, `rtc: "offer" is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...; it should be a session description of WebRTC of at most 8192 bytes.`},
		{"an offer nobody waits for", `{"type":"rtc","offer":"v=0"}`, `rtc: "id" is missing; it should be a whole number from 1 on.`},
		{"a network that is a number", `{"type":"link","id":1,"lease":1,"profile":310}`, `link: "profile" is 310; it should be a network, for example "kaist-davis", or "off".`},
		{"a job that asks for something else", `{"type":"job","id":1,"lease":1,"action":"fly"}`, `job: "action" is "fly"; it should be run, change, pause, resume, skip, retry, end or ok.`},
		{"a job without a name", `{"type":"job","id":1,"lease":1,"action":"run","steps":[]}`, `job: "name" is missing; it should be the name of the job.`},
		{"a job without steps", `{"type":"job","id":1,"lease":1,"action":"run","name":"A"}`, `job: "steps" is missing; it should be a list of 1 to 100 steps.`},
		{"a job with a wrong step", `{"type":"job","id":1,"lease":1,"action":"run","name":"A","steps":[{"type":"WAIT","seconds":2},{"type":"WAIT","seconds":0.5},{"type":"VOICE"}]}`, `Step 2: seconds is 0.5; it should be 1 to 3600 s. There is one more fault.`},
		{"a change with a wrong step", `{"type":"job","id":1,"lease":1,"action":"change","steps":[{"type":"MOVE","plase":"Sofa"}]}`, `Step 1: it has a field "plase", which is not known; the fields are type, place, pose, text, voice, speed, ok, seconds, on_failure, retries, retry_after.`},
		{"a step before the first", `{"type":"job","id":1,"lease":1,"action":"skip","step":-1}`, `job: "step" is -1; it should be a whole number from 0 on.`},
		{"a step where none is meant", `{"type":"job","id":1,"lease":1,"action":"end","step":1}`, `job: "step" is not a field of it; it should be left out.`},
		{"a message that nobody shows", `{"type":"job","id":1,"lease":1,"action":"ok","message":0}`, `job: "message" is 0; it should be a whole number from 1 on.`},
		{"steps where none belong", `{"type":"job","id":1,"lease":1,"action":"pause","steps":[]}`, `job: "steps" is not a field of it; it should be left out.`},
		{"a head that is not turned", `{"type":"look","id":1,"lease":1,"pan":0.5}`, `look: "tilt" is missing; it should be an angle in rad, for example -0.2.`},
		{"a loan of nothing", `{"type":"look","id":1,"lease":1,"loan":0,"pan":0.5,"tilt":0}`, `look: "loan" is 0; it should be a whole number from 1 on.`},
		{"a part that is not lent", `{"type":"part","id":1,"lease":1,"action":"ask","part":"wheels"}`, `part: "part" is "wheels"; it should be head, voice or arm.`},
		{"a loan to nobody", `{"type":"part","id":1,"lease":1,"action":"lend","part":"head"}`, `part: "to" is missing; it should be a whole number from 1 on.`},
		{"a part that is asked of somebody", `{"type":"part","id":1,"lease":1,"action":"ask","part":"head","to":2}`, `part: "to" is not a field of it; it should be left out.`},
		{"no values to watch", `{"type":"watch","id":1}`, `watch: "values" is missing; it should be a list of at most 24 values in quotes, such as ["battery.val"].`},
		{"a number to watch", `{"type":"watch","id":1,"values":[7]}`, `watch: "values" is [7]; it should be a list of at most 24 values in quotes, such as ["battery.val"].`},
		{"too many values to watch", `{"type":"watch","id":1,"values":["1"` + strings.Repeat(`,"1"`, 24) + `]}`, `watch: "values" is ["1","1","1","1","1","1","1","1","1","1"...; it should be a list of at most 24 values in quotes, such as ["battery.val"].`},
		{"something else than a value to watch", `{"type":"watch","id":1,"values":["pose.x","stop all"]}`, `stop all, column 1: expected a value, found stop, which is a word of the language.`},
		{"an effect to watch", `{"type":"watch","id":1,"values":["1 + random(0, 1)"]}`, `1 + random(0, 1), column 5: random is not called in a watched value, which may change nothing; functions such as abs and max are.`},
		{"a part that is sold", `{"type":"part","id":1,"lease":1,"action":"sell","part":"head"}`, `part: "action" is "sell"; it should be ask, lend, deny, take or give.`},
		{"a long value", `{"type":"` + strings.Repeat("é", 30) + `"}`, `"type" is "éééééééééééééééééééé..."; it should be hello, clock, drive, stop, unstop, control, rename, plan, goto, goal, pose, world, rtc, link, motion, job, look, joints, part, watch or ack.`},
		{"too long a frame", `{"type":"stop"` + strings.Repeat(" ", protocol.MaxFrame) + `}`, `The frame has 32783 bytes; it should have at most 32768.`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cmd, err := protocol.Decode([]byte(tc.frame))
			if cmd != nil || err == nil {
				t.Fatalf("read as %#v", cmd)
			}
			if err.Error() != tc.want {
				t.Errorf("it says\n%s\nwant\n%s", err, tc.want)
			}
		})
	}
}

func TestARefusedCommandIsAnsweredByItsNumber(t *testing.T) {
	for _, tc := range []struct {
		frame   string
		id, seq *uint64
	}{
		{`{"type":"rename","id":10,"name":""}`, ptr(uint64(10)), nil},
		{`{"id":11,"type":"jump"}`, ptr(uint64(11)), nil},
		{`{"type":"drive","lease":4,"hold":2,"seq":117,"t":12.35,"v":null,"w":-0.2}`, nil, ptr(uint64(117))},
		{`{"type":"rename","id":"x","name":""}`, nil, nil},
		{`{"type":"rename","id":10,"name":""`, nil, nil},
	} {
		_, err := protocol.Decode([]byte(tc.frame))
		var bad *protocol.FrameError
		if !errors.As(err, &bad) {
			t.Fatalf("%s: %v", tc.frame, err)
		}
		if !reflect.DeepEqual(bad.ID, tc.id) || !reflect.DeepEqual(bad.Seq, tc.seq) {
			t.Errorf("%s: id %v, seq %v", tc.frame, bad.ID, bad.Seq)
		}
	}
}

func TestABodyIsReadAsStrictlyAsAFrame(t *testing.T) {
	for _, tc := range []struct{ kind, body, want string }{
		{"plan", `{"goal":[1,2,0]}`, ""},
		{"goto", `{"lease":1,"goal":[1,2,0],"name":"Sofa"}`, ""},
		{"goal", `{"lease":1,"action":"pause"}`, ""},
		{"pose", `{"lease":1,"pose":[1,2,0]}`, ""},
		{"goto", ``, `The body is not JSON (byte 0: unexpected end of JSON input); it should be one JSON object.`},
		{"goto", `{"goal":[1,2,0]}`, `goto: "lease" is missing; it should be a whole number from 0 on.`},
		{"goto", `{"lease":1,"goal":[1,2,0],"id":1}`, `goto: "id" is not a field of it; it should be left out.`},
		{"goal", `{"lease":1,"action":"hurry"}`, `goal: "action" is "hurry"; it should be pause, resume, cancel or around.`},
		{"plan", `{"goal":[1,2]}`, `plan: "goal" is [1,2]; it should be [x, y, heading] in m and rad, x and y each between -100000 and 100000.`},
	} {
		n, err := protocol.DecodeNavigate(tc.kind, []byte(tc.body))
		if got := fmt.Sprint(err); tc.want != "" && got != tc.want || tc.want == "" && (err != nil || n.Command == nil) {
			t.Errorf("%s %s: %v, want %q", tc.kind, tc.body, err, tc.want)
		}
	}
}

// checkPath holds the virtual robot of a sample to the fields it was read from,
// and takes those out.
func checkPath(t *testing.T, d protocol.Drive, fields map[string]any) {
	t.Helper()
	vr, there := fields["vr"].([]any)
	if there != (d.Path != nil) {
		t.Fatalf("vr is %v, read as %+v", fields["vr"], d.Path)
	}
	same := func(list []any, f robot.Follow) bool {
		for i, x := range []float64{f.Pose.X, f.Pose.Y, f.Pose.Theta, f.Twist.Linear, f.Twist.Angular, f.S} {
			read := list[i].(float64)
			if i == 2 {
				read = robot.WrapAngle(read)
			}
			if read != x {
				return false
			}
		}
		return math.Abs(f.Pose.X) <= 1e5 && math.Abs(f.Pose.Y) <= 1e5 && f.Lease == d.Lease && f.Hold == d.DriveEpoch && f.Valid == d.Valid
	}
	hist, _ := fields["hist"].([]any)
	if there && (!same(vr, *d.Path) || d.Path.Seq != d.Seq || d.Path.T != d.T || d.Path.Want != d.Twist() || len(hist) != len(d.Path.Hist) || len(hist) > 8) {
		t.Fatalf("%v is read as %+v", fields, *d.Path)
	}
	for i := range hist {
		list, h := hist[i].([]any), d.Path.Hist[i]
		if len(list) != 10 || !same(list[4:], h) || list[0] != float64(h.Seq) || list[1] != h.T || list[2] != h.Want.Linear || list[3] != h.Want.Angular {
			t.Fatalf("%v is read as %+v", list, h)
		}
	}
	delete(fields, "vr")
	delete(fields, "hist")
}

// FuzzDecode holds Decode to encoding/json: what it takes is one JSON object
// whose fields have the values it gives, and everything else is refused with a
// sentence.
func FuzzDecode(f *testing.F) {
	for _, frame := range protocoltest.Examples(f, "protocol.md", "## Page to robot", "## Robot to page") {
		f.Add([]byte(frame))
	}
	f.Add([]byte(`{"type":"drive","lease":4,"hold":2,"seq":117,"t":12.35,"v":1e999,"w":-0.2}`))
	f.Add([]byte(`{"type":"rename","id":1,"name":"\ud83e\udd16"}`))
	f.Add([]byte(`{"type":"ack","n":{"a":["]}",1]}}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		whole := bytes.Clone(frame)
		cmd, err := protocol.Decode(frame)
		if !bytes.Equal(frame, whole) {
			t.Fatal("the frame was written to")
		}
		if err != nil {
			if cmd != nil || err.Error() == "" || len(err.Error()) > 400 || !utf8.ValidString(err.Error()) {
				t.Fatalf("%#v, %q", cmd, err)
			}
			return
		}
		var fields map[string]any
		if err := json.Unmarshal(frame, &fields); err != nil {
			t.Fatalf("taken as %#v, but: %v", cmd, err)
		}
		check := func(name string, got any) {
			if want, ok := fields[name]; ok && want != got {
				t.Fatalf("%s is %v, read as %v", name, want, got)
			}
			delete(fields, name)
		}
		kind := fields["type"]
		delete(fields, "type")
		switch c := cmd.(type) {
		case protocol.Hello:
			check("protocol", c.Protocol)
			check("tab", c.Tab)
			check("build", c.Build)
			check("name", c.Name)
		case protocol.Clock:
			check("t1", c.T1)
			if c.RTT == nil {
				check("rtt_ms", nil)
			} else {
				check("rtt_ms", *c.RTT)
			}
		case protocol.Drive:
			check("lease", float64(c.Lease))
			check("hold", float64(c.DriveEpoch))
			check("seq", float64(c.Seq))
			check("t", c.T)
			check("v", c.V)
			check("w", c.W)
			if !c.Twist().IsFinite() || c.Valid <= 0 || c.Valid > protocol.MaxValid {
				t.Fatalf("%+v", c)
			}
			delete(fields, "valid")
			checkPath(t, c, fields)
		case protocol.Stop:
			check("id", float64(c.ID))
		case protocol.Unstop:
			check("id", float64(c.ID))
			check("lease", float64(c.Lease))
		case protocol.Control:
			check("id", float64(c.ID))
			check("action", c.Action)
			if to, ok := fields["to"]; ok && to != float64(c.To) || ok != (c.Action == "give" || c.Action == "keep") {
				t.Fatalf("to is %v, read as %v", to, c.To)
			}
			if reason, ok := fields["reason"].(string); ok && (strings.TrimSpace(reason) != c.Reason || c.Action != "request") {
				t.Fatalf("reason is %q, read as %q", reason, c.Reason)
			}
			delete(fields, "to")
			delete(fields, "reason")
		case protocol.Rename:
			check("id", float64(c.ID))
			check("name", c.Name)
		case protocol.Navigate:
			check("id", float64(c.ID))
			check("lease", float64(c.Lease))
			pose := func(name string, got robot.Pose) {
				list := fields[name].([]any)
				if len(list) != 3 || list[0] != got.X || list[1] != got.Y || robot.WrapAngle(list[2].(float64)) != got.Theta {
					t.Fatalf("%s is %v, read as %v", name, list, got)
				}
				if math.Abs(got.X) > 1e5 || math.Abs(got.Y) > 1e5 || math.Abs(got.Theta) > math.Pi {
					t.Fatalf("%s is %v", name, got)
				}
				delete(fields, name)
			}
			kinds := map[string]any{"pause": robot.Pause{}, "resume": robot.Resume{}, "cancel": robot.Cancel{}, "around": robot.GoAround{}}
			read := "goal"
			switch cmd := c.Command.(type) {
			case robot.Plan:
				read = "plan"
				pose("goal", cmd.Goal)
			case robot.GoTo:
				read = "goto"
				pose("goal", cmd.Goal)
				if name, _ := fields["name"].(string); strings.TrimSpace(name) != cmd.Name {
					t.Fatalf("name is %q, read as %q", name, cmd.Name)
				}
				delete(fields, "name")
			case robot.SetPose:
				read = "pose"
				pose("pose", cmd.Pose)
			default:
				if want := kinds[fields["action"].(string)]; want != c.Command {
					t.Fatalf("%v was read as %T", fields["action"], c.Command)
				}
				delete(fields, "action")
			}
			if kind != read || len(fields) > 0 {
				t.Fatalf("%v was read as %s, left over: %v", kind, read, fields)
			}
			return
		case protocol.RTC:
			check("id", float64(c.ID))
			check("offer", c.Offer)
			if len(c.Offer) > 8<<10 {
				t.Fatalf("an offer of %d bytes was taken", len(c.Offer))
			}
		case protocol.Link:
			check("id", float64(c.ID))
			check("lease", float64(c.Lease))
			check("profile", c.Profile)
		case protocol.World:
			check("id", float64(c.ID))
			check("lease", float64(c.Lease))
			at := func(got robot.Point) {
				list := fields["at"].([]any)
				if len(list) != 2 || list[0] != got.X || list[1] != got.Y || math.Abs(got.X) > 1e5 || math.Abs(got.Y) > 1e5 {
					t.Fatalf("at is %v, read as %v", list, got)
				}
				delete(fields, "at")
			}
			switch change := c.Change.(type) {
			case protocol.PutThing:
				check("action", "put")
				check("kind", string(change.Kind))
				check("radius", change.Radius)
				at(change.At)
				if change.Radius < 0.05 || change.Radius > 2 {
					t.Fatalf("%+v", change)
				}
			case protocol.MoveThing:
				check("action", "move")
				check("thing", float64(change.Thing))
				at(change.At)
			case protocol.RemoveThing:
				check("action", "remove")
				check("thing", float64(change.Thing))
			case protocol.SetDoor:
				check("action", "door")
				check("door", float64(change.Door))
				check("closed", change.Closed)
			case protocol.Carry:
				check("action", "carry")
				if list := fields["pose"].([]any); len(list) != 3 || list[0] != change.Pose.X || list[1] != change.Pose.Y {
					t.Fatalf("pose is %v, read as %v", list, change.Pose)
				}
				delete(fields, "pose")
			case protocol.PressOK:
				check("action", "ok")
			case protocol.SetCharge:
				check("action", "battery")
				check("charge", change.Charge)
			default:
				t.Fatalf("%#v is no change", change)
			}
		case protocol.Motion:
			check("id", float64(c.ID))
			check("lease", float64(c.Lease))
			check("action", c.Action)
			if c.Action != "stop" {
				check("motion", float64(c.Motion))
			}
			if c.Action == "rename" {
				check("name", c.Name)
				if fields["was"] != nil {
					check("was", c.Was)
				}
			}
		case protocol.Job:
			check("id", float64(c.ID))
			check("lease", float64(c.Lease))
			delete(fields, "action")
			meant := func(nth int) {
				if nth > 0 {
					check("step", float64(nth-1))
				}
			}
			switch cmd := c.Command.(type) {
			case robot.SkipStep:
				meant(cmd.Nth)
			case robot.RetryStep:
				meant(cmd.Nth)
			case robot.OK:
				if cmd.Message > 0 {
					check("message", float64(cmd.Message))
				}
			case robot.RunJob:
				if faults := c.Job.Check(nil); len(faults) > 0 {
					t.Fatalf("%+v was let through: %v", c.Job, faults)
				}
				check("name", c.Job.Name)
				delete(fields, "job")
				delete(fields, "steps")
			case robot.ChangeRun:
				delete(fields, "steps")
			}
		case protocol.Look:
			check("id", float64(c.ID))
			check("lease", float64(c.Lease))
			check("pan", c.Pan)
			check("tilt", c.Tilt)
			if c.Loan != 0 {
				check("loan", float64(c.Loan))
			}
		case protocol.MoveJoints:
			kind = "movejoints"
			if c.Loan != 0 {
				check("loan", float64(c.Loan))
			}
			check("id", float64(c.ID))
			check("lease", float64(c.Lease))
			if want, ok := fields["at"].(map[string]any); !ok || len(want) != len(c.At) {
				t.Fatalf("%v was read as %v", fields["at"], c.At)
			}
			delete(fields, "at")
		case protocol.Part:
			check("id", float64(c.ID))
			check("lease", float64(c.Lease))
			check("action", c.Action)
			check("part", string(c.Part))
			if c.To != 0 {
				check("to", float64(c.To))
			}
		case protocol.Watch:
			check("id", float64(c.ID))
			want, ok := fields["values"].([]any)
			for i, one := range c.Values {
				ok = ok && len(want) == len(c.Values) && want[i] == one.Text()
			}
			if !ok || len(want) != len(c.Values) {
				t.Fatalf("%v was read as %v", fields["values"], c.Values)
			}
			delete(fields, "values")
		case protocol.Ack:
			check("n", float64(c.N))
		default:
			t.Fatalf("%#v is no command", cmd)
		}
		name := strings.ToLower(reflect.TypeOf(cmd).Name())
		if name != kind || len(fields) > 0 {
			t.Fatalf("%v was read as %s, left over: %v", kind, name, fields)
		}
	})
}

func BenchmarkDecodeDrive(b *testing.B) {
	frame := []byte(`{"type":"drive","lease":4,"hold":2,"seq":117,"t":12.35,"v":0.3,"w":-0.2,"valid":0.25}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := protocol.Decode(frame); err != nil {
			b.Fatal(err)
		}
	}
}

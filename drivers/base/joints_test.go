package base_test

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/basetest"
	"mybot/drivers/base/protocol"
	"mybot/robot"
	"mybot/robot/models"
)

// gripper is a part with one joint.
const gripper = `{"name":"Gripper","links":[{"name":"base_link","shapes":[{"kind":"sphere","radius_m":0.1}]},{"name":"claw","parent":"base_link"}],` +
	`"joints":[{"name":"claw","link":"claw","kind":"slide","axis":[0,1,0],"min_m":0,"max_m":0.1,"speed_m_s":0.1}],"frames":[{"name":"claw_tip","link":"claw"}]}`

// openWithPart opens the simulator with an arm, and a part whose end of the
// connection is play.
func openWithPart(t *testing.T, play func(net.Conn)) (*base.Composite, error) {
	t.Helper()
	l, m := basetest.NewPipes(), basetest.NewPipes()
	serveSimulator(t, l, models.ArmName)
	var playing sync.WaitGroup
	playing.Go(func() {
		for {
			conn, err := m.Accept()
			if err != nil {
				return
			}
			playing.Go(func() { play(conn) })
		}
	})
	t.Cleanup(func() { _ = m.Close(); playing.Wait() })
	return base.Compose(openDriver(t, base.Config{Dial: dialer(l)}), openDriver(t, base.Config{Dial: dialer(m), Part: true}))
}

// playGripper is a base that moves gripper's joint at once and reports its
// position.
func playGripper(description string) func(net.Conn) {
	return func(conn net.Conn) {
		defer func() { _ = conn.Close() }()
		at := 0.02
		lines := bufio.NewScanner(conn)
		for ms := 1000; lines.Scan(); ms += 10 {
			m, err := protocol.DecodeToBase(lines.Bytes(), false)
			if err != nil {
				continue
			}
			answer := ""
			switch m := m.(type) {
			case protocol.Hello:
				answer = `{"t":"describe","protocol":1,"base":"gripper 1","robot":` + description + "}\n"
			case protocol.Joints:
				if to, ok := m.At["claw"]; ok && len(m.At) == 1 {
					at = to
				}
			case protocol.Ping:
				answer = fmt.Sprintf(`{"t":"pong","id":%d,"ms":%d}`+"\n", m.ID, ms)
			}
			if _, err := fmt.Fprintf(conn, `%s{"t":"more","ms":%d,"joints":{"claw":%g}}`+"\n", answer, ms, at); err != nil {
				return
			}
		}
	}
}

func TestJointsOfSeveralBasesMoveWhereTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := openWithPart(t, playGripper(gripper))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		desc := c.Describe()
		claw := desc.Joint("claw")
		if len(desc.Joints) != 6 || claw != 5 || desc.Links[len(desc.Links)-1].Name != "claw" || desc.Frames[1].Name != "claw_tip" || len(desc.Links[0].Shapes) != 5 {
			t.Fatalf("the robot has the joints %+v and the links %+v", desc.Joints, desc.Links)
		}
		read := func(n int) (r robot.Reading) {
			for range n {
				if r, err = c.Read(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			return r
		}
		read(25)
		if err := c.MoveJoints(map[string]float64{"lift": 0.1, "claw": 9}); err != nil {
			t.Error(err)
		}
		if r := read(20); r.Joints[claw] != 0.1 || r.Joints[0] < 0.02 || r.Joints[0] > 0.04 || len(r.Joints) != 6 {
			t.Errorf("the joints are at %v", r.Joints)
		}
		if err := c.MoveJoints(map[string]float64{"lift": 0.3, "clow": 0}); !errors.Is(err, robot.ErrNA) {
			t.Errorf("an unknown joint: %v", err)
		}
		time.Sleep(2 * time.Second)
		if r := read(2); math.Abs(r.Joints[0]-0.1) > 1e-9 {
			t.Errorf("the lift is at %v", r.Joints[0])
		}
	})
}

func TestJointsOfAPartThatIsSilentAreNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := openWithPart(t, func(conn net.Conn) {
			defer func() { _ = conn.Close() }()
			lines := bufio.NewScanner(conn)
			for n := 0; lines.Scan(); n++ {
				if n == 0 {
					_, _ = fmt.Fprintf(conn, `{"t":"describe","protocol":1,"base":"gripper 1","robot":%s}`+"\n"+`{"t":"more","ms":1,"joints":{"claw":0.01}}`+"\n", gripper)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		var r robot.Reading
		for range 100 {
			if r, err = c.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if len(r.Joints) != 6 || !math.IsNaN(r.Joints[5]) || math.IsNaN(r.Joints[0]) {
			t.Errorf("the joints are at %v", r.Joints)
		}
	})
}

func TestPartsWhoseJointsDoNotFitAreRefused(t *testing.T) {
	for part, want := range map[string]string{
		strings.Replace(gripper, `"name":"claw","link"`, `"name":"gripper","link"`, 1): `Gripper has the joint "gripper", and so has another base; their names must differ`,
		strings.ReplaceAll(gripper, `"claw"`, `"forearm"`):                             `Gripper has the link "forearm", and so has another base; their names must differ`,
		strings.Replace(gripper, `claw_tip`, `gripper_tip`, 1):                         `Gripper has the frame "gripper_tip", and so has another base; their names must differ`,
	} {
		synctest.Test(t, func(t *testing.T) {
			if _, err := openWithPart(t, playGripper(part)); err == nil || err.Error() != want {
				t.Errorf("the error is %v, want %s", err, want)
			}
		})
	}
}

// Mybot reports a base that sends degrees for radians, or mm for m, and does not move its
// joints. A joint slightly beyond its limits is accepted.
func TestAJointFarOutsideItsLimitsIsAFault(t *testing.T) {
	for at, why := range map[string]string{
		"0.12": "",
		"12":   `The base reports the joint "claw" at 12 m, but it goes from 0 to 0.1; a turn is reported in rad, a slide in m.`,
		"-1":   `The base reports the joint "claw" at -1 m, but it goes from 0 to 0.1; a turn is reported in rad, a slide in m.`,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStageOf(t, base.Config{}, strings.Replace(tinker, `{"name":"Tinker",`, strings.TrimSuffix(gripper, "}")+",", 1))
			clock := protocol.Millis(1000)
			s.standing(&clock, time.Second, `,"joints":{"claw":0.02}`)
			s.take()
			s.standing(&clock, 100*time.Millisecond, `,"joints":{"claw":`+at+`}`)
			if link := s.driver.BaseLink(); link.Up != (why == "") || link.Why != why {
				t.Errorf("at %s the link is %+v, want %q", at, link, why)
			}
		})
	}
}

// Mybot reports a joint name that the description of the base does not have.
func TestAJointThatIsNotDescribedIsAFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, base.Config{})
		s.say(`{"t":"reading","ms":52020,"wheels":[0,0],"joints":{"schoulder":1}}`)
		if why := s.driver.BaseLink().Why; !strings.Contains(why, `he base reports the joint "schoulder", which its description does not have`) {
			t.Errorf("the link says %q", why)
		}
		if err := s.driver.MoveJoints(map[string]float64{"shoulder": 1}); !errors.Is(err, robot.ErrNA) {
			t.Errorf("MoveJoints says %v", err)
		}
		_ = s.driver.Close()
		s.reader.Wait()
	})
}

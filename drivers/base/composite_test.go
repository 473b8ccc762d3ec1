package base_test

import (
	"bufio"
	"fmt"
	"math"
	"net"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mybot/drivers/base"
	"mybot/drivers/base/basetest"
	"mybot/drivers/drivertest"
	"mybot/robot"
	"mybot/robot/models"
)

// streamer is a part with a lidar of four beams and two sonars.
const streamer = `{"name":"Streamer","lidars":[{"x_m":0,"y_m":0,"heading_deg":0,"height_m":0.2,"from_deg":0,"step_deg":90,"beams":4,"min_m":0.1,"max_m":8,"rate_hz":10}],` +
	`"sonars":[{"x_m":-0.2,"y_m":0.1,"heading_deg":150,"beam_deg":20,"min_m":0.1,"max_m":4},{"x_m":-0.2,"y_m":-0.1,"heading_deg":210,"beam_deg":20,"min_m":0.1,"max_m":4}]}`

// stream streams that part's lines until the connection ends.
func stream(conn net.Conn, robot string) {
	defer func() { _ = conn.Close() }()
	lines := bufio.NewReader(conn)
	if _, err := lines.ReadString('\n'); err != nil {
		return
	}
	go func() { // what else Mybot says
		for {
			if _, err := lines.ReadString('\n'); err != nil {
				return
			}
		}
	}()
	_, _ = fmt.Fprintf(conn, `{"t":"describe","protocol":1,"base":"streamer 1","robot":%s}`+"\n", robot)
	for name, more := range map[string]string{"Pressed": `"estop":true`, "Refuses": `"refuses":"The arm is out."`, "Monitor": `"battery":{"charge":0.8}`} {
		if strings.Contains(robot, name) {
			_, _ = fmt.Fprintf(conn, `{"t":"more","ms":6999,%s}`+"\n", more)
		}
	}
	for ms := 7000; ; ms += 100 {
		time.Sleep(100 * time.Millisecond)
		if _, err := fmt.Fprintf(conn, `{"t":"scan","ms":%d,"lidar":0,"lasts":90,"mm":[%d,2000,0,-1]}`+"\n"+`{"t":"more","ms":%d,"ranges":[700,0]}`+"\n", ms, 3000+ms%7, ms+100); err != nil {
			return
		}
	}
}

// openComposite opens the simulator with a lidar part that streams. cut ends the
// lidar's connection, which then stays down.
func openComposite(t *testing.T, part string) (c *base.Composite, cut func(), err error) {
	t.Helper()
	l, m := basetest.NewPipes(), basetest.NewPipes()
	description, _ := models.Find(models.MybotName)
	if strings.Contains(part, `"battery"`) { // which a robot has once
		description = regexp.MustCompile(`(?s)"battery": \{.*?\},`).ReplaceAll(description, nil)
	}
	serveSimulated(t, l, description)
	var playing sync.WaitGroup
	var line net.Conn
	playing.Go(func() {
		for {
			conn, err := m.Accept()
			if err != nil {
				return
			}
			line = conn
			playing.Go(func() { stream(conn, part) })
		}
	})
	cut = func() { _ = m.Close(); _ = line.Close() }
	t.Cleanup(func() { cut(); playing.Wait() })
	first := openDriver(t, base.Config{Dial: dialer(l)})
	second := openDriver(t, base.Config{Dial: dialer(m), Part: true})
	c, err = base.Compose(first, second)
	return c, cut, err
}

func TestSeveralBasesKeepTheDriverContractAsOneRobot(t *testing.T) {
	drivertest.Run(t, func(t *testing.T) robot.Driver {
		c, _, err := openComposite(t, streamer)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}, drivertest.Options{Bubble: true})
}

func TestAPartAddsWhatItMeasuresAndIsMissedByItsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, cut, err := openComposite(t, streamer)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		desc := c.Describe()
		own := len(desc.Sonars) - 2
		if desc.Name != "Mybot" || own != 12 || len(desc.Lidars) != 1 || desc.Lidars[0].Beams != 4 {
			t.Fatalf("the robot is %s with %d sonars and %d lidars", desc.Name, len(desc.Sonars), len(desc.Lidars))
		}
		read := func(n int) (r robot.Reading, scans []robot.Scan) {
			for range n {
				if r, err = c.Read(t.Context()); err != nil {
					t.Fatal(err)
				}
				scans = append(scans, r.Scans...)
			}
			return r, scans
		}
		read(25) // until both are there
		r, scans := read(50)
		if len(r.Ranges) != 14 || r.Ranges[own] != 0.7 || !math.IsInf(r.Ranges[own+1], 1) {
			t.Errorf("its sonars measure %v", r.Ranges)
		}
		if len(scans) < 9 || len(scans) > 11 {
			t.Errorf("%d scans came in a second, want 10", len(scans))
		}
		for i, s := range scans {
			if age := r.Time.Sub(s.Time); s.Lidar != 0 || s.Lasts != 90*time.Millisecond || math.Abs(age.Seconds()-(1-float64(i)/10)) > 0.15 {
				t.Errorf("scan %d is %v old: %+v", i, age, s)
			}
			if v := s.Ranges; v[0] < 3 || v[0] > 3.01 || v[1] != 2 || !math.IsInf(v[2], 1) || !math.IsNaN(v[3]) {
				t.Errorf("scan %d is %v", i, v)
			}
		}
		if link := c.BaseLink(); !link.Up || link.Why != "" || len(link.Gone) > 0 {
			t.Errorf("the link is %+v", link)
		}
		cut()
		read(40) // 0.8 s
		r, scans = read(20)
		if !math.IsNaN(r.Ranges[own]) || !math.IsNaN(r.Ranges[own+1]) || math.IsNaN(r.Ranges[0]) || len(scans) > 0 {
			t.Errorf("without the part the sonars measure %v, and there are %d scans", r.Ranges, len(scans))
		}
		if link := c.BaseLink(); !link.Up || len(link.Gone) != 1 || link.Gone[0] != (robot.LostPart{Name: "Streamer", Sees: true}) || !strings.HasPrefix(link.Why, "Streamer is out of reach. ") {
			t.Errorf("the link is %+v", link)
		}
		if err := c.Drive(robot.Twist{Linear: 0.1}); err != nil {
			t.Error(err)
		}
		if r.EStop {
			t.Error("the emergency stop counts as pressed without a press")
		}
	})
}

// TestTheEmergencyStopOfAPartThatIsLostRemainsPressed cuts the connection of a part
// whose emergency stop is pressed: whether it was released can no longer be known.
func TestTheEmergencyStopOfAPartThatIsLostRemainsPressed(t *testing.T) {
	readsAfterCut(t, strings.Replace(streamer, "Streamer", "Pressed", 1), func(n int, r robot.Reading) {
		if n >= 25 && !r.EStop {
			t.Fatalf("after %d readings it is not pressed", n)
		}
	})
}

// readsAfterCut calls see with each reading of a composite whose part is cut off after a second.
func readsAfterCut(t *testing.T, part string, see func(n int, r robot.Reading)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c, cut, err := openComposite(t, part)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		for n := range 200 { // 4 s
			r, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n == 50 {
				cut()
			}
			see(n, r)
		}
	})
}

func TestTheRefusalOfAPartThatIsLostRemains(t *testing.T) {
	readsAfterCut(t, strings.Replace(streamer, "Streamer", "Refuses", 1), func(n int, r robot.Reading) {
		if n >= 25 && r.Refuses != "The arm is out." {
			t.Fatalf("after %d readings it refuses %q", n, r.Refuses)
		}
	})
}

func TestABatteryWhosePartIsLostIsUnknownAndNotEmpty(t *testing.T) {
	monitor := strings.Replace(streamer, `"Streamer"`, `"Monitor","battery":{"nominal_v":12,"capacity_ah":7,"idle_w":5,"moving_w":20,"charger_w":30}`, 1)
	readsAfterCut(t, monitor, func(n int, r robot.Reading) {
		switch b := r.Battery; {
		case n == 49 && b.Charge != 0.8, !math.IsNaN(b.Volts), n > 100 && !math.IsNaN(b.Charge):
			t.Fatalf("after %d readings the battery is %+v", n, b)
		}
	})
}

func TestALostPartSaysWhetherItSees(t *testing.T) {
	for part, sees := range map[string]bool{
		streamer: true,
		`{"name":"Sonars",` + streamer[strings.Index(streamer, `"sonars"`):]:                                                                   true,
		`{"name":"Voice","speaker":true,"display":true}`:                                                                                       false,
		`{"name":"Monitor","bumper":true,"ok_switch":true,"battery":{"nominal_v":12,"capacity_ah":7,"idle_w":5,"moving_w":20,"charger_w":30}}`: false,
	} {
		synctest.Test(t, func(t *testing.T) {
			c, cut, err := openComposite(t, part)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			cut()
			time.Sleep(time.Second)
			if gone := c.BaseLink().Gone; len(gone) != 1 || gone[0].Sees != sees {
				t.Errorf("gone of %s is %+v", part, gone)
			}
		})
	}
}

func TestPartsThatDoNotFitAreRefused(t *testing.T) {
	for part, want := range map[string]string{
		strings.Replace(streamer, "Streamer", "Mybot", 1):                   "two bases are called Mybot; the names of the bases of a robot must differ",
		strings.Replace(streamer, `"lidars"`, `"compass":true,"lidars"`, 1): "Streamer has a compass, and so has another base; a robot has one",
	} {
		synctest.Test(t, func(t *testing.T) {
			if _, _, err := openComposite(t, part); err == nil || err.Error() != want {
				t.Errorf("the error is %v, want %s", err, want)
			}
		})
	}
}

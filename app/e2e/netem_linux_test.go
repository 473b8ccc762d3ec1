package e2e_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"nhooyr.io/websocket"

	"mybot/app"
	"mybot/drivers/sim"
	"mybot/link"
)

// The server and the page, each in a network namespace.
const (
	besideRobot = "10.88.7.1"
	besidePage  = "10.88.7.2"
	netemRole   = "MYBOT_NETEM" // of a child process in one of the namespaces: a key's file for the page, a folder for the server
)

// Two networks with the kernel's TCP and UDP, with late and lost packets, and the stall of the
// paper: for three seconds no packet goes up, and the driver lets go one second before the end.
func TestAStallInTheKernelsNetworkExecutesNothingStale(t *testing.T) {
	switch role, at, _ := strings.Cut(os.Getenv(netemRole), " "); role {
	case "server":
		serveBehind(t, at)
		return
	case "page":
		driveThroughStall(t, at)
		return
	}
	if testing.Short() {
		t.Skip("networks of their own take long; -short leaves them out")
	}
	up, _ := joinNetworks(t)

	folder := t.TempDir()
	server := behind(t, "robot", "server "+folder)
	server.says("ready")
	page := behind(t, "page", "page "+folder)
	page.says("stall")
	now := time.Now()
	up.BlackHole(now, now.Add(3*time.Second))
	page.says("done")
	if err := page.wait(); err != nil {
		t.Errorf("the page: %v", err)
	}
	_ = server.in.Close()
	if err := server.wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
}

// joinNetworks creates two networks and carries the packets between them until the test ends.
// It skips the test if the machine does not allow that.
func joinNetworks(t *testing.T) (up, down *link.Path) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("networks of their own are root's to make")
	}
	profile, err := link.ParseProfile("kaist-davis")
	if err != nil {
		t.Fatal(err)
	}
	up, down = link.NewPair(profile, 1)
	robot, page := tun(t, "robot"), tun(t, "page")
	addresses := map[string][2]string{"robot": {besideRobot, besidePage}, "page": {besidePage, besideRobot}}
	for name, a := range addresses {
		network, device := "mybot-"+name, "mybot-"+name
		_ = exec.Command("ip", "netns", "del", network).Run() // of a test that was killed
		for _, step := range []string{
			"netns add " + network,
			"link set " + device + " netns " + network,
			"-n " + network + " addr add " + a[0] + " peer " + a[1] + " dev " + device,
			"-n " + network + " link set " + device + " mtu 1400 up",
			"-n " + network + " link set lo up",
		} {
			if said, err := exec.Command("ip", strings.Fields(step)...).CombinedOutput(); err != nil {
				t.Skipf("this machine makes no networks: ip %s: %s", step, said)
			}
		}
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", network).Run() })
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	carry := func(from, to *os.File, path *link.Path) {
		packets := make(chan []byte)
		all.Go(func() {
			defer close(packets)
			for {
				packet := make([]byte, 2048)
				n, err := from.Read(packet)
				if err != nil {
					return
				}
				select {
				case packets <- packet[:n]:
				case <-ctx.Done():
					return
				}
			}
		})
		all.Go(func() {
			_ = link.DeliverMessages(ctx, path, link.Datagram, packets, func(packet []byte) error {
				_, _ = to.Write(packet) // the network may be gone
				return nil
			})
		})
	}
	carry(page, robot, up)
	carry(robot, page, down)
	t.Cleanup(func() {
		cancel()
		_, _ = robot.Close(), page.Close()
		all.Wait()
	})
	return up, down
}

// tun opens the test's end of a network device.
func tun(t *testing.T, name string) *os.File {
	t.Helper()
	fd, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("this machine makes no network devices: %v", err)
	}
	const setName, tunDevice, noHeader = 0x400454ca, 0x0001, 0x1000 // TUNSETIFF, IFF_TUN, IFF_NO_PI
	var request struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], "mybot-"+name)
	request.flags = tunDevice | noHeader
	if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), setName, uintptr(unsafe.Pointer(&request))); no != 0 {
		_ = syscall.Close(fd)
		t.Skipf("this machine makes no network devices: %v", no)
	}
	return os.NewFile(uintptr(fd), "mybot-"+name)
}

// An outpost is this test in another network namespace.
type outpost struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   interface{ Close() error }
	said *bufio.Scanner
	log  strings.Builder
}

func behind(t *testing.T, network, role string) *outpost {
	t.Helper()
	cmd := exec.Command("ip", "netns", "exec", "mybot-"+network, os.Args[0], "-test.run=^TestAStallInTheKernelsNetworkExecutesNothingStale$", "-test.v")
	cmd.Env = append(os.Environ(), netemRole+"="+role)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &outpost{t: t, cmd: cmd, in: in, said: bufio.NewScanner(out)}
}

// says reads until the outpost prints the word.
func (o *outpost) says(word string) {
	o.t.Helper()
	for o.said.Scan() {
		if o.said.Text() == word {
			return
		}
		o.log.WriteString(o.said.Text() + "\n")
	}
	o.t.Fatalf("the process ended without %q:\n%s", word, o.log.String())
}

// wait waits for the end and shows the output.
func (o *outpost) wait() error {
	for o.said.Scan() {
		o.log.WriteString(o.said.Text() + "\n")
	}
	o.t.Log(strings.TrimSpace(o.log.String()))
	return o.cmd.Wait()
}

// serveBehind runs a server until its standard input ends.
func serveBehind(t *testing.T, folder string) {
	h := openAt(t, besideRobot+":8080", func(s *sim.Scene) { s.People = nil }, func(c *app.Config) { c.DataDir = folder })
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	h.close()
}

// driveThroughStall is the page: it drives over both channels, announces the stall, lets go two
// seconds later and checks the result.
func driveThroughStall(t *testing.T, folder string) {
	key, err := app.ReadKey(folder)
	if err != nil {
		t.Fatal(err)
	}
	come := func() *guest {
		conn, _, err := dial(t.Context(), besideRobot+":8080", "", func(h http.Header) { h.Del("Cookie"); h.Set("Authorization", "Bearer "+key.Token) })
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.CloseNow() })
		g := &guest{t: t, conn: conn}
		g.send(map[string]any{"type": "hello", "protocol": "mybot.v1", "tab": "tab", "name": "Ana", "build": "test"})
		g.until("a welcome", func(m message) bool { return m.Type == "welcome" })
		return g
	}
	ana := come()
	ana.until("control", func(m message) bool { return m.Type == "state" && ana.holder == ana.you })
	c := ana.opens()

	// One goroutine sends the samples, this one reads.
	var mu sync.Mutex
	speed, held, sent, hold := 0.0, true, 0, ana.hold
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	epoch := ana.epoch
	all.Go(func() {
		every := time.NewTicker(50 * time.Millisecond)
		defer every.Stop()
		pressed := uint64(0) // the drive epoch in which the driver has begun from neutral
		for neutral := 0; ctx.Err() == nil && neutral < 3; {
			mu.Lock()
			v := speed
			if pressed != hold {
				pressed, v = hold, 0
			}
			if !held {
				v = 0
				neutral++
			}
			sent++
			frame := fmt.Sprintf(`{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":%g,"v":%g,"w":0,"valid":0.5}`, epoch, hold, sent, float64(sent)/20, v)
			mu.Unlock()
			_ = ana.conn.Write(ctx, websocket.MessageText, []byte(frame)) // an unsent sample is lost
			_ = c.data.SendText(frame)
			<-every.C
		}
	})
	set := func(v float64, h bool) { mu.Lock(); speed, held = v, h; mu.Unlock() }
	set(0.3, true)
	ana.until("the robot to drive", func(m message) bool {
		mu.Lock()
		hold = ana.hold
		mu.Unlock()
		return moving(m)
	})
	fmt.Println("stall")
	began := time.Now()
	page, last := ana, ana.until("a state", func(m message) bool { return m.Type == "state" })
	// From here on, times are the robot's: its states may arrive late.
	letGo, end := last.T+2, last.T+8
	defer time.AfterFunc(2*time.Second, func() { set(0, false) }).Stop()
	path, fastest, counted := 0.0, 0.0, 0
	for last.T < end {
		m, err := page.next(ctx)
		if err != nil { // the robot has closed the connection, because the kernel retransmits too rarely
			t.Logf("%v after the stall began the connection ended, and the page comes back", time.Since(began).Round(time.Millisecond))
			page = come()
			continue
		}
		if m.Type != "state" {
			continue
		}
		if last.T > letGo {
			path += math.Hypot(m.Pose[0]-last.Pose[0], m.Pose[1]-last.Pose[1])
			fastest, counted = max(fastest, math.Abs(m.Twist[0])), counted+1
		}
		last = m
	}
	t.Logf("from when the stick was let go until 5 s after the stall it moves at %.3f m/s at most, %.3f m, by %d states", fastest, path, counted)
	if fastest > 0.01 || path > 0.03 || counted < 10 {
		t.Error("delayed samples move the robot after the stick was released")
	}
	fmt.Println("done")
}

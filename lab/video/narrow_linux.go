package video

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"mybot/app"
	"mybot/lab/internal/chrome"
	"mybot/lab/internal/stats"
	"mybot/lab/internal/testbed"
)

// The network of the page alone, and the addresses at its ends.
const (
	narrowNetwork = "mybot-lab"
	narrowRobot   = "10.88.9.1"
	narrowPage    = "10.88.9.2"
	narrowQueue   = 300 * time.Millisecond // a packet that waits longer is lost
	maxWaiting    = 4096                   // packets on their way
)

// measureNarrow measures the rows over narrow networks: the page is in a network of its own,
// and this process carries the packets. The error is unmade if the computer does not allow it.
func (o *glassOutcome) measureNarrow(ctx context.Context, lasts time.Duration) error {
	for _, network := range []struct {
		name string
		rate int
	}{{"600 kbit/s, rtt=310ms", tightWay}, {"1 Mbit/s, rtt=310ms", narrowWay}} {
		row := glassRow{Network: network.name}
		if err := o.narrowRow(ctx, &row, network.rate, lasts); err != nil {
			return err
		}
		o.Rows = append(o.Rows, row)
	}
	return nil
}

// narrowRow measures one row, and over 1 Mbit/s also the delay of drive packets.
func (o *glassOutcome) narrowRow(ctx context.Context, row *glassRow, rate int, lasts time.Duration) error {
	carried, end, err := joinNarrow(&pipe{rate: rate, delay: glassTrip / 2, waits: narrowQueue}, &pipe{rate: rate, delay: glassTrip / 2, waits: narrowQueue})
	if err != nil {
		return err
	}
	defer end()
	carried(ctx)
	cfg := testbed.OpenFloor()
	cfg.Camera = newBusy()
	var invitation app.Invitation
	cfg.Invite = func(i app.Invitation) { invitation = i }
	return testbed.WithServer(ctx, narrowRobot+":0", cfg, func(addr string) (err error) {
		page, err := chrome.OpenWith(ctx, []string{"ip", "netns", "exec", narrowNetwork}, addr, "/pair")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, page.Kill()) }()
		if err := pairIn(ctx, page, addr, invitation); err != nil {
			return err
		}
		if err := row.watchPage(ctx, page, lasts); err != nil || rate != narrowWay {
			return err
		}
		if o.Drive.With, err = measureDriveDelay(ctx, page, lasts); err != nil {
			return err
		}
		if err := page.EvaluateScript(`document.querySelector('#eye-video').srcObject.getTracks().forEach((t) => t.stop()); __close()`, nil); err != nil {
			return err
		}
		if err := sleepFor(ctx, time.Second); err != nil {
			return err
		}
		o.Drive.Alone, err = measureDriveDelay(ctx, page, lasts)
		return err
	})
}

// pairIn pairs the page by the invitation.
func pairIn(ctx context.Context, page *chrome.Browser, addr string, i app.Invitation) error {
	if err := sleepFor(ctx, 2*time.Second); err != nil { // until it has loaded
		return err
	}
	form := url.Values{"code": {i.PIN}, "name": {"Lab"}}.Encode()
	script := fmt.Sprintf(`fetch('/pair', { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: %q }).then(async (r) => { if (!r.ok) throw new Error(await r.text()); })`, form)
	if err := page.EvaluateScript(script, nil); err != nil {
		return err
	}
	return page.Call("Page.navigate", map[string]any{"url": "http://" + addr + "/"}, nil)
}

// measureDriveDelay sends clock messages, which travel like drive packets and return with their
// time of arrival, through the page's channel at 20 a second. It returns the 99th percentile of
// their delay to the robot, in ms.
func measureDriveDelay(ctx context.Context, page *chrome.Browser, lasts time.Duration) (float64, error) {
	script := `(() => {
		const channel = window.__channel;
		if (channel?.readyState !== 'open') throw new Error('the channel is not open');
		const sent = new Map(), took = (window.__took = []);
		window.__end?.();
		const hear = (e) => {
			const m = JSON.parse(e.data);
			if (m.type === 'clock' && sent.has(m.t1)) took.push(m.t2 - m.t1);
		};
		channel.addEventListener('message', hear);
		const every = setInterval(() => {
			const t1 = (performance.timeOrigin + performance.now()) / 1000;
			sent.set(t1, true);
			channel.send(JSON.stringify({ type: 'clock', t1, rtt_ms: null }));
		}, 50);
		window.__end = () => { clearInterval(every); channel.removeEventListener('message', hear); };
	})()`
	if err := page.EvaluateScript(script, nil); err != nil {
		return 0, err
	}
	if err := sleepFor(ctx, lasts); err != nil {
		return 0, err
	}
	var took []float64
	if err := page.EvaluateScript(`(__end(), __took)`, &took); err != nil {
		return 0, err
	}
	if len(took) == 0 {
		return 0, errors.New("no clock came back by the channel")
	}
	// The robot's clock has another origin: the fastest message took half a round trip.
	fastest := slices.Min(took)
	for i := range took {
		took[i] = 1000*(took[i]-fastest) + glassTrip.Seconds()*500
	}
	return stats.Round(stats.Quantile(took, 0.99), 10), nil
}

// joinNarrow creates the network. It returns a function that carries packets over it until the
// context ends, and one that removes it.
func joinNarrow(down, up *pipe) (carry func(context.Context), end func(), err error) {
	if os.Geteuid() != 0 {
		return nil, nil, unmade{errors.New("networks are root's to make")}
	}
	robotEnd, err := openTun("mybot-lab0")
	if err != nil {
		return nil, nil, err
	}
	pageEnd, err := openTun("mybot-lab1")
	if err != nil {
		_ = robotEnd.Close()
		return nil, nil, err
	}
	var all sync.WaitGroup
	done := make(chan struct{})
	end = sync.OnceFunc(func() {
		close(done)
		_ = exec.Command("ip", "netns", "del", narrowNetwork).Run()
		_, _ = robotEnd.Close(), pageEnd.Close()
		all.Wait()
	})
	_ = exec.Command("ip", "netns", "del", narrowNetwork).Run() // of a run that was killed
	for _, step := range []string{
		"netns add " + narrowNetwork,
		"link set mybot-lab1 netns " + narrowNetwork,
		"-n " + narrowNetwork + " addr add " + narrowPage + " peer " + narrowRobot + " dev mybot-lab1",
		"-n " + narrowNetwork + " link set mybot-lab1 mtu 1400 up",
		"-n " + narrowNetwork + " link set lo up",
		"addr add " + narrowRobot + " peer " + narrowPage + " dev mybot-lab0",
		"link set mybot-lab0 mtu 1400 up",
	} {
		if said, err := exec.Command("ip", strings.Fields(step)...).CombinedOutput(); err != nil {
			end()
			return nil, nil, unmade{fmt.Errorf("ip %s: %s", step, strings.TrimSpace(string(said)))}
		}
	}
	carry = func(ctx context.Context) {
		all.Go(func() { carryPackets(ctx, done, robotEnd, pageEnd, down) })
		all.Go(func() { carryPackets(ctx, done, pageEnd, robotEnd, up) })
	}
	return carry, end, nil
}

// carryPackets carries packets from one end to the other.
func carryPackets(ctx context.Context, done <-chan struct{}, from, to *os.File, by *pipe) {
	type underway struct {
		at    time.Time
		bytes []byte
	}
	network := make(chan underway, maxWaiting)
	var out sync.WaitGroup
	out.Go(func() {
		for p := range network { // they arrive in order
			select {
			case <-ctx.Done():
			case <-done:
			case <-time.After(time.Until(p.at)):
				_, _ = to.Write(p.bytes) // the network may be gone
			}
		}
	})
	defer out.Wait()
	defer close(network)
	buffer := make([]byte, 2048)
	for {
		n, err := from.Read(buffer)
		if err != nil || ctx.Err() != nil {
			return
		}
		at, ok := by.arrivalTime(time.Now(), n)
		if !ok {
			continue
		}
		select {
		case network <- underway{at, slices.Clone(buffer[:n])}:
		default: // the queue is full
		}
	}
}

// openTun opens this end of a network device.
func openTun(name string) (*os.File, error) {
	fd, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, unmade{fmt.Errorf("there are no network devices: %w", err)}
	}
	const setName, tunDevice, noHeader = 0x400454ca, 0x0001, 0x1000 // TUNSETIFF, IFF_TUN, IFF_NO_PI
	var request struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], name)
	request.flags = tunDevice | noHeader
	if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), setName, uintptr(unsafe.Pointer(&request))); no != 0 {
		_ = syscall.Close(fd)
		return nil, unmade{fmt.Errorf("there are no network devices: %w", no)}
	}
	return os.NewFile(uintptr(fd), name), nil
}

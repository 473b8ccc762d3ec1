// Package guest simulates a page without a browser. Unlike package client it can lose frames in
// either direction and freeze without closing, and it is small enough for a thousand guests beside
// the server that they observe.
package guest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"mybot/robot"
	"mybot/robot/playout"
)

// A Guest is a simulated page: a browser's cookie, a tab and a WebSocket (RFC 6455) with only the
// features that the experiments need.
//
// One goroutine calls ReadFrames, once; any goroutine may call the other methods.
type Guest struct {
	Conn net.Conn
	in   *bufio.Reader

	acked   uint64 // the last acknowledged state; belongs to ReadFrames
	writing sync.Mutex
	out     []byte // the frame being written
	seq     uint64

	UplinkLost   atomic.Bool // frames to the robot are lost
	Frozen       atomic.Bool // the page is frozen; its browser still answers pings
	DownlinkLost atomic.Bool // frames from the robot are lost

	Virtual *virtualRobot // whose pose the samples contain; nil = they only contain a speed; belongs to DriveStraight

	Epoch, hold atomic.Uint64 // last received
	refused     atomic.Bool   // the robot has refused a sample since the driver last pressed
}

// The opcodes of WebSocket frames.
const (
	OpText  = 0x1
	opClose = 0x8
	opPing  = 0x9
	opPong  = 0xA
)

// goingAway is the close code of a browser whose tab is closed.
const goingAway = 1001

// sampleEvery is the interval at which a page sends drive samples.
const sampleEvery = 50 * time.Millisecond

// ackEvery is how many states a page acknowledges together.
const ackEvery = 3

// sampleValid is how long a drive sample is valid, in s.
const sampleValid = 0.25

// OpenPage opens the page at addr as a new browser and returns its cookies.
func OpenPage(ctx context.Context, addr string) ([]*http.Cookie, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/", nil)
	if err != nil {
		return nil, err
	}
	r.Close = true
	r.Header.Set("Accept-Encoding", "identity") // compression would cost the server more than the experiment
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the page at %s is answered %s", addr, answer.Status)
	}
	return answer.Cookies(), nil
}

// Connect connects a tab of the browser with the cookies, and says hello.
func Connect(ctx context.Context, addr string, cookies []*http.Cookie, tab string) (_ *Guest, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/ws", nil)
	if err != nil {
		return nil, err
	}
	key := make([]byte, 16)
	rand.Read(key) // never fails
	for k, v := range map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": base64.StdEncoding.EncodeToString(key), "Sec-WebSocket-Protocol": "mybot.v1", "Origin": "http://" + addr,
	} {
		r.Header.Set(k, v)
	}
	for _, c := range cookies {
		r.AddCookie(c)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = conn.Close()
		}
	}()
	if err := r.Write(conn); err != nil {
		return nil, err
	}
	g := &Guest{Conn: conn, in: bufio.NewReaderSize(conn, 2048)}
	answer, err := http.ReadResponse(g.in, r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusSwitchingProtocols {
		why, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
		return nil, fmt.Errorf("the WebSocket is answered %s: %s", answer.Status, bytes.TrimSpace(why))
	}
	return g, g.sendMessage(`{"type":"hello","protocol":"mybot.v1","tab":%q,"build":"lab"}`, tab)
}

// writeFrame sends one frame, unless UplinkLost drops it. The caller cannot tell.
func (g *Guest) writeFrame(op byte, payload []byte) error {
	g.writing.Lock()
	defer g.writing.Unlock()
	if g.UplinkLost.Load() {
		return nil
	}
	var mask [4]byte
	rand.Read(mask[:]) // never fails
	out := append(g.out[:0], 0x80|op)
	if len(payload) < 126 {
		out = append(out, 0x80|byte(len(payload)))
	} else {
		out = append(out, 0x80|126)
		out = binary.BigEndian.AppendUint16(out, uint16(len(payload)))
	}
	out = append(out, mask[:]...)
	for i, b := range payload {
		out = append(out, b^mask[i%4])
	}
	g.out = out
	_, err := g.Conn.Write(out)
	return err
}

func (g *Guest) sendMessage(format string, args ...any) error {
	return g.writeFrame(OpText, fmt.Appendf(nil, format, args...))
}

// sendSample sends a drive sample under the hold number.
func (g *Guest) sendSample(hold uint64, v float64) error {
	if g.Frozen.Load() {
		return nil
	}
	g.seq++
	if g.Virtual != nil {
		t, vr := g.Virtual.advance(v, time.Now())
		return g.sendMessage(`{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":%.6f,"v":%g,"w":0,"valid":%g,"vr":%s}`,
			g.Epoch.Load(), hold, g.seq, t, v, sampleValid, vr)
	}
	return g.sendMessage(`{"type":"drive","lease":%d,"hold":%d,"seq":%d,"t":%g,"v":%g,"w":0,"valid":%g}`,
		g.Epoch.Load(), hold, g.seq, float64(g.seq)*sampleEvery.Seconds(), v, sampleValid)
}

// A virtualRobot is the virtual robot of a page that drives straight ahead, in steps of
// robot.Tick.
type virtualRobot struct {
	train  robot.Drivetrain
	limit  robot.Limit
	seen   func() robot.Pose // where the robot is
	begun  time.Time
	ticks  int
	want   robot.Twist
	motion robot.Motion
	gone   float64 // m
}

// NewVirtualRobot returns the virtual robot of a page that starts now; seen returns the pose of
// the robot.
func NewVirtualRobot(desc robot.Description, seen func() robot.Pose) *virtualRobot {
	return &virtualRobot{train: desc.Drivetrain, limit: playout.LimitOf(desc), seen: seen, begun: time.Now()}
}

// advance advances the virtual robot to now and returns the page's time and the virtual robot, in
// the format of a sample. A neutral sample starts a press at the robot's pose.
func (r *virtualRobot) advance(v float64, now time.Time) (t float64, vr string) {
	for end := int(now.Sub(r.begun).Seconds() / robot.Tick); r.ticks < end; r.ticks++ {
		r.motion = robot.Step(r.motion, r.want, r.limit, robot.Tick)
		r.gone += math.Abs(r.motion.Twist.Linear) * robot.Tick
	}
	if r.want = (robot.Twist{Linear: v}); v == 0 {
		r.motion = robot.Motion{Axle: r.train.Axle(r.seen())}
	}
	c, m := r.train.Centre(r.motion.Axle), r.motion.Twist
	return float64(r.ticks) * robot.Tick, fmt.Sprintf("[%.6f,%.6f,%.6f,%.6f,%.6f,%.6f]", c.X, c.Y, c.Theta, m.Linear, m.Angular, r.gone)
}

// DriveStraight drives at v m/s until ctx or the connection ends. When the robot ends the drive
// with a HOLD or refuses a sample, the driver presses again, with the new hold number, as soon as
// again returns true; until then it continues unchanged.
func (g *Guest) DriveStraight(ctx context.Context, v float64, again func() bool) error {
	every := time.NewTicker(sampleEvery)
	defer every.Stop()
	var hold uint64
	for {
		if now := g.hold.Load(); again() && (now != hold || g.refused.Swap(false)) {
			hold = now
			if err := g.sendSample(hold, 0); err != nil {
				return err
			}
		}
		if hold != 0 { // the robot has sent welcome
			if err := g.sendSample(hold, v); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-every.C:
		}
	}
}

// ReadFrames reads frames until the connection ends, acknowledges states and answers pings. handle
// gets each text frame, which it must not keep; it may be nil.
func (g *Guest) ReadFrames(handle func(frame []byte)) error {
	var frame []byte
	for {
		op, err := g.readFrame(&frame)
		switch {
		case err != nil:
			return err
		case g.DownlinkLost.Load():
			continue
		case op == opPing:
			err = g.writeFrame(opPong, frame)
		case op == opClose:
			return io.EOF
		case op == OpText:
			if handle != nil {
				handle(frame)
			}
			err = g.handleMessage(frame)
		}
		if err != nil {
			return err
		}
	}
}

// readFrame reads one frame into payload.
func (g *Guest) readFrame(payload *[]byte) (op byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(g.in, head[:2]); err != nil {
		return 0, err
	}
	op, n := head[0]&0xF, uint64(head[1])
	switch n {
	case 126:
		_, err = io.ReadFull(g.in, head[:2])
		n = uint64(binary.BigEndian.Uint16(head[:2]))
	case 127:
		_, err = io.ReadFull(g.in, head[:8])
		n = binary.BigEndian.Uint64(head[:8])
	}
	if err == nil && n > 1<<20 {
		err = errors.New("the robot sent a frame of more than 1 MiB")
	}
	if err != nil {
		return 0, err
	}
	*payload = slices.Grow((*payload)[:0], int(n))[:n]
	_, err = io.ReadFull(g.in, *payload)
	return op, err
}

// handleMessage updates the guest's state from a message, as a page does.
func (g *Guest) handleMessage(frame []byte) error {
	if n, ok := ParseStateNumber(frame); ok {
		if g.Frozen.Load() || n-g.acked < ackEvery {
			return nil
		}
		g.acked = n
		ack := append(make([]byte, 0, 40), `{"type":"ack","n":`...)
		ack = strconv.AppendUint(ack, n, 10)
		return g.writeFrame(OpText, append(ack, '}'))
	}
	if bytes.HasPrefix(frame, []byte(`{"type":"event"`)) && !bytes.HasPrefix(frame, []byte(`{"type":"event","kind":"lease"`)) {
		return nil
	}
	var m struct {
		Type             string
		Hold, Epoch, Seq uint64
		Lease            struct{ Epoch uint64 }
	}
	if err := json.Unmarshal(frame, &m); err != nil {
		return err
	}
	switch m.Type {
	case "welcome":
		g.Epoch.Store(m.Lease.Epoch)
		g.hold.Store(m.Hold)
	case "hold":
		g.hold.Store(m.Hold)
	case "result":
		g.refused.Store(m.Seq > 0)
	case "event":
		g.Epoch.Store(m.Epoch)
	}
	return nil
}

// ParseStateNumber returns the number of a state; ok is false for other frames.
func ParseStateNumber(frame []byte) (n uint64, ok bool) {
	rest, ok := bytes.CutPrefix(frame, []byte(`{"type":"state","n":`))
	if !ok {
		return 0, false
	}
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + uint64(c-'0')
	}
	return n, true
}

// CloseTab closes the connection as a browser does when its tab is closed.
func (g *Guest) CloseTab() {
	_ = g.writeFrame(opClose, binary.BigEndian.AppendUint16(nil, goingAway)) // the connection ends in any case
	_ = g.Conn.Close()
}

// OpenAndConnect opens the robot's page.
func OpenAndConnect(ctx context.Context, addr string) (*Guest, error) {
	cookies, err := OpenPage(ctx, addr)
	if err != nil {
		return nil, err
	}
	return Connect(ctx, addr, cookies, "lab")
}

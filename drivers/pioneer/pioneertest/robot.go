// Package pioneertest simulates a robot of the Pioneer family for tests, packet by
// packet: its firmware, its wheels and its sonars.
package pioneertest

import (
	"io"
	"math"
	"sync"
	"time"

	"mybot/drivers/pioneer"
)

const (
	// cycle is the time between two packets with the robot's state.
	cycle = 100 * time.Millisecond
	// step is the time step of the wheels.
	step = 5 * time.Millisecond
	// watchdog is the time without a command after which the robot stops.
	watchdog = 2 * time.Second
	// acceleration and turnAcceleration are the firmware's defaults, in m/s² and
	// rad/s².
	acceleration, turnAcceleration = 0.6, 3.5
)

// A Robot answers at one end of a line. Its fields are set before Serve.
type Robot struct {
	Subtype string                // the subtype that it reports
	Unit    float64               // m per unit of distance; 0 = 1 mm
	Sonars  int                   // how many it has
	Range   uint16                // what they all hear, in units
	Told    func(forward float64) // called with every commanded speed in m/s; nil = not called
	Rate    func() int            // baud of the other end of a serial line; nil = the line has none
	Fixed   bool                  // it keeps its rate of 9600 baud whatever it is asked

	mu      sync.Mutex
	flags   uint16
	contact uint16
	state   int // of the connection
	motors  bool
	heard   time.Time // time of the last command
	asked   [2]float64
	speed   [2]float64 // m/s forward and rad/s, current
	pose    [3]float64 // m, m, rad since power-on
	next    int        // sonar
	baud    int        // 0 = 9600
}

// The states of the connection.
const (
	waiting = iota // for the handshake
	synchronized
	opened
)

// Serve is the robot's firmware: it executes commands from the line and reports,
// until the line ends.
func (r *Robot) Serve(line io.ReadWriter) {
	var all sync.WaitGroup
	ended := make(chan struct{})
	answers := make(chan []byte, 64)
	all.Go(func() { r.runMotion(answers, ended) })
	all.Go(func() {
		for a := range answers {
			if r.isGarbled() {
				a = []byte{0x80, 0xF0}
			}
			if _, err := line.Write(a); err != nil {
				for range answers { // until run ends
				}
				return
			}
		}
	})
	var splitter pioneer.Splitter
	buffer := make([]byte, 256)
	for {
		n, err := line.Read(buffer)
		splitter.Split(buffer[:n], func(data []byte) { r.executePacket(data, answers) })
		if err != nil {
			break
		}
	}
	close(ended)
	all.Wait()
}

// executePacket executes a packet, or echoes one of the handshake.
func (r *Robot) executePacket(data []byte, answers chan<- []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, value, ok := pioneer.ReadCommand(data)
	if !ok || c != pioneer.CommandHostBaud && r.garbles() { // that one was written before the other end changed its rate
		return
	}
	if r.state == waiting {
		if len(data) > 1 || data[0] > 2 {
			return
		}
		echo := []byte{data[0]}
		if data[0] == 2 {
			echo = append(echo, "Test robot\x00Pioneer\x00"+r.Subtype+"\x00"...)
			r.state = synchronized
		}
		select {
		case answers <- pioneer.AppendPacket(nil, echo):
		default:
		}
		return
	}
	r.heard = time.Now()
	switch c {
	case pioneer.CommandOpen:
		r.state = opened
	case pioneer.CommandVel:
		r.asked[0] = float64(value) / 1000
		r.reportSpeed()
	case pioneer.CommandRVel:
		r.asked[1] = float64(value) * math.Pi / 180
	case pioneer.CommandEnable:
		r.motors = value != 0
	case pioneer.CommandStop:
		r.asked = [2]float64{}
		r.reportSpeed()
	case pioneer.CommandHostBaud:
		if !r.Fixed {
			r.baud = []int{9600, 19200, 38400, 57600, 115200}[value]
		}
	case pioneer.CommandClose:
		r.state, r.asked = waiting, [2]float64{}
		r.reportSpeed()
	}
}

// garbles reports whether the two ends of the line have different rates.
func (r *Robot) garbles() bool { return r.Rate != nil && r.Rate() != max(r.baud, 9600) }

func (r *Robot) isGarbled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.garbles()
}

// reportSpeed reports what the motors are asked for.
func (r *Robot) reportSpeed() {
	if r.Told != nil {
		r.Told(r.asked[0])
	}
}

// runMotion moves the robot and reports until the line ends.
func (r *Robot) runMotion(answers chan<- []byte, ended <-chan struct{}) {
	defer close(answers)
	ticker := time.NewTicker(step)
	defer ticker.Stop()
	reported := time.Now()
	for {
		select {
		case <-ended:
			return
		case <-ticker.C:
		}
		r.mu.Lock()
		now := time.Now()
		r.moveWheels(now)
		var packet []byte
		if r.state == opened && now.Sub(reported) >= cycle {
			reported = now
			packet = r.statePacket()
		}
		r.mu.Unlock()
		if packet != nil {
			select {
			case answers <- packet:
			default: // packets are lost if no one reads the line
			}
		}
	}
}

// moveWheels turns the wheels for one step.
func (r *Robot) moveWheels(now time.Time) {
	if !r.motors || now.Sub(r.heard) > watchdog {
		r.asked = [2]float64{}
	}
	for i, a := range [2]float64{acceleration, turnAcceleration} {
		d := a * step.Seconds()
		r.speed[i] += min(d, max(-d, r.asked[i]-r.speed[i]))
	}
	turn := r.speed[1] * step.Seconds()
	sin, cos := math.Sincos(r.pose[2] + turn/2)
	way := r.speed[0] * step.Seconds()
	r.pose[0] += way * cos
	r.pose[1] += way * sin
	r.pose[2] += turn
}

// statePacket returns the packet with the robot's state, with new ranges of two sonars
// each time.
func (r *Robot) statePacket() []byte {
	unit := r.Unit
	if unit == 0 {
		unit = 0.001
	}
	s := pioneer.SIP{
		Moving:  r.speed != [2]float64{},
		X:       uint16(int64(math.Round(r.pose[0]/unit)) & 0x7fff),
		Y:       uint16(int64(math.Round(r.pose[1]/unit)) & 0x7fff),
		Heading: int16(int64(math.Round(r.pose[2]*4096/(2*math.Pi))) & 0xfff),
		Battery: 124, Contact: r.contact, Flags: r.flags,
	}
	if r.motors {
		s.Flags |= pioneer.FlagMotors
	}
	for range min(2, r.Sonars) {
		s.Echoes = append(s.Echoes, pioneer.Echo{Sonar: r.next, Range: r.Range})
		r.next = (r.next + 1) % r.Sonars
	}
	return pioneer.AppendSIP(nil, s)
}

// Speed returns the robot's current speed, in m/s and rad/s.
func (r *Robot) Speed() (forward, turn float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.speed[0], r.speed[1]
}

// Pose returns the robot's pose since power-on, in m and rad.
func (r *Robot) Pose() (x, y, theta float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pose[0], r.pose[1], r.pose[2]
}

// PressStop presses or releases the emergency stop. Pressing switches the motors
// off.
func (r *Robot) PressStop(pressed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flags &^= pioneer.FlagStop
	if pressed {
		r.flags |= pioneer.FlagStop
		r.motors = false
	}
}

// PressMotors presses the button that switches the motors on.
func (r *Robot) PressMotors() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.motors = true
}

// Touch sets the bits of bumpers and stalls.
func (r *Robot) Touch(contact uint16) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.contact = contact
}

package mapping

import (
	"math"

	"mybot/robot"
)

// A request is work that the Mapper was asked for.
type request struct {
	kind     requestKind
	keyFrame KeyFrame
	at       robot.Pose // of a fixed key frame
	window   window     // search window of a key frame after a gap
	keep     int        // remaining key frames
}

type requestKind uint8

const (
	addFrame     requestKind = iota
	addBehindGap             // a key frame that does not follow the previous one in one motion
	addFixed
	takeBack
	finishMap
)

// A promise is what is known about a key frame before it is placed.
type promise struct {
	motion   robot.Pose // since the previous one
	distance float64    // m driven up to here
}

// Add queues a key frame; Step does the work. If its Motion is a jump of odometry,
// the key frame is searched for where the newest one is, as after Interrupt.
func (m *Mapper) Add(k KeyFrame) {
	r := request{kind: addFrame, keyFrame: k}
	if n := len(m.promised); m.carried != (robot.Pose{}) || n > 0 && n == m.fixed {
		m.widenGap(wideWindow(0, 0))
	}
	if m.gap == (window{}) && IsJump(k.Motion) {
		k.Motion = robot.Pose{}
		m.Interrupt()
	}
	if m.gap != (window{}) {
		r.kind, r.window = addBehindGap, m.gap
		m.gap = window{}
	}
	r.keyFrame.Motion = m.carried.Compose(k.Motion)
	m.carried = robot.Pose{}
	distance := k.Motion.Point().Norm()
	if r.kind == addBehindGap {
		distance = 0 // there was no mapping in between
	}
	m.promiseKeyFrame(r.keyFrame.Motion, distance)
	m.queue = append(m.queue, r)
}

// restartWindow is where the robot may be after a restart: within ten seconds of
// driving.
var restartWindow = window{distance: 6, turn: math.Pi}

// Interrupt interrupts mapping between the newest key frame and the next one: the
// robot may have driven far meanwhile, or been pushed. The next key frame is
// searched for in a window of 1 m and 34 degrees around the pose that its Motion
// gives, and begins a submap.
func (m *Mapper) Interrupt() { m.widenGap(wideWindow(0, 0)) }

// Restart says that the program was restarted: the newest key frames may be lost,
// and the robot may be turned. The next key frame is searched for in a window of 6
// m and all headings.
func (m *Mapper) Restart() { m.widenGap(restartWindow) }

func (m *Mapper) widenGap(w window) {
	if len(m.promised) > 0 {
		m.gap = window{distance: max(m.gap.distance, w.distance), turn: max(m.gap.turn, w.turn)}
	}
}

// promiseKeyFrame counts a queued key frame, distance m after the previous one.
func (m *Mapper) promiseKeyFrame(motion robot.Pose, distance float64) {
	p := promise{motion: motion}
	if n := len(m.promised); n > 0 {
		p.distance = m.promised[n-1].distance + distance
	}
	m.promised = append(m.promised, p)
}

// Waiting returns how many key frames are queued.
func (m *Mapper) Waiting() int {
	n := 0
	for _, r := range m.queue {
		if r.kind == addFrame || r.kind == addBehindGap || r.kind == addFixed {
			n++
		}
	}
	return n
}

// Finish asks for the final optimization, which drops the loops that contradict the
// rest. Step does the work, after earlier requests. Key frames may be added
// afterwards.
func (m *Mapper) Finish() {
	m.rounds = 0
	m.queue = append(m.queue, request{kind: finishMap})
}

// beginRequest starts the work on a request.
func (m *Mapper) beginRequest(r request) {
	switch r.kind {
	case addFrame:
		m.tasks = append(m.tasks, func() bool { return m.checkMounting(r.keyFrame) }, func() bool {
			m.placeKeyFrame(r.keyFrame)
			return true
		})
	case addBehindGap:
		m.placeBehindGap(r.keyFrame, r.window)
	case addFixed:
		m.placeFixed(r.keyFrame, r.at)
	case takeBack:
		m.takeBack(r.keep)
	case finishMap:
		m.tasks = append(m.tasks, m.optimizeGraph(finishRounds), m.judgeMap)
	}
}

// Busy reports whether Step has something to do.
func (m *Mapper) Busy() bool { return len(m.tasks) > 0 || len(m.queue) > 0 }

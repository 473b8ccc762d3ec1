package base

import (
	"maps"
	"sync"

	"mybot/drivers/base/protocol"
)

// maxOrders is how many lines other than drive, joints and show may wait.
const maxOrders = 16

// An outbox holds what is to be written to a base: the newest drive line, the
// newest position of each joint, the newest lines of the display, and up to 16 other
// lines. Several goroutines may call all methods.
type outbox struct {
	mu     sync.Mutex
	drive  protocol.ToBase // nil = none
	joints map[string]float64
	show   protocol.ToBase   // nil = none
	orders []protocol.ToBase // oldest first
	ready  chan struct{}     // something is waiting
}

func newOutbox() *outbox { return &outbox{ready: make(chan struct{}, 1)} }

// replaceDrive replaces the waiting drive line.
func (o *outbox) replaceDrive(m protocol.Drive) {
	o.mu.Lock()
	o.drive = m
	o.mu.Unlock()
	o.wake()
}

// replaceJoints replaces waiting positions of joints.
func (o *outbox) replaceJoints(at map[string]float64) {
	o.mu.Lock()
	if o.joints == nil {
		o.joints = map[string]float64{}
	}
	maps.Copy(o.joints, at)
	o.mu.Unlock()
	o.wake()
}

// replaceShow replaces the waiting lines of the display.
func (o *outbox) replaceShow(m protocol.Show) {
	o.mu.Lock()
	o.show = m
	o.mu.Unlock()
	o.wake()
}

// add appends a line; ok is false if there is no room.
func (o *outbox) add(m protocol.ToBase) (ok bool) {
	o.mu.Lock()
	if ok = len(o.orders) < maxOrders; ok {
		o.orders = append(o.orders, m)
	}
	o.mu.Unlock()
	o.wake()
	return ok
}

// begin drops everything and adds the first line of a conversation.
func (o *outbox) begin(m protocol.Hello) {
	o.mu.Lock()
	o.drive, o.joints, o.show, o.orders = nil, nil, nil, []protocol.ToBase{m}
	o.mu.Unlock()
	o.wake()
}

func (o *outbox) wake() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}

// take returns the next line, nil = none. Drive lines go first, unless the
// conversation has not begun, then joints; the display is last.
func (o *outbox) take() (next protocol.ToBase) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.orders) > 0 {
		if _, hello := o.orders[0].(protocol.Hello); hello || o.drive == nil && o.joints == nil {
			next, o.orders = o.orders[0], o.orders[1:]
			return next
		}
	}
	if o.drive == nil && o.joints != nil {
		next, o.joints = protocol.Joints{At: o.joints}, nil
		return next
	}
	if o.drive == nil {
		next, o.show = o.show, nil
		return next
	}
	next, o.drive = o.drive, nil
	return next
}

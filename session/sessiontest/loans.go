package sessiontest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"mybot/robot"
	"mybot/session"
	"mybot/session/lease"
)

// Loans counts what a random history did with lent parts.
type Loans struct {
	Used      int // commands of borrowers that were executed
	TakenBack int // loans that the holder took back, by a command or by using the part

	// These must stay zero.
	TwoAtOnePart        int // loans of a part that was already lent
	ExecutedAfterEnd    int // commands of a borrower that were executed after the end of the loan, or moved a part for longer than takeBackWithin after it
	BaseMovedByBorrower int

	// TakeBack is the longest time between the end of a loan and the last motion
	// that the borrower had commanded.
	TakeBack time.Duration
}

// takeBackWithin is how long a part may still follow its borrower after the loan
// has ended.
const takeBackWithin = 100 * time.Millisecond

// CheckLoans runs a hub and a Core through a random history like CheckHistory, with
// an emphasis on loans: people ask for the head, the voice and the arm, lend them,
// use them under correct, old and guessed numbers, take them back, return them,
// vanish, leave them unused, are sent away, stop the robot and hand over control,
// while the control loop blocks now and then. It returns the counts and the first
// violation.
func CheckLoans(chance Chance, clients, steps int) (Loans, error) {
	h := newHistory(chance, clients)
	for n := range steps {
		h.lendSomething()
		h.checkAll()
		if h.fault != "" {
			return h.loans.Loans, fmt.Errorf("session: step %d, %v in: %s", n, h.now.Sub(start), h.fault)
		}
	}
	return h.loans.Loans, nil
}

// loans is what the clients know of the loans from their actions and the answers,
// independently of the hub.
type loans struct {
	Loans
	known    map[lease.Part]*loan // the newest of each part
	numbered map[uint64]*loan
	newest   uint64
	commands []partCommand
	looks    map[float64]int // commands by the pan angle that they ask for
	moves    map[float64]int // commands by the position of the joint
	handedIn time.Time       // when the frame that is being handled arrived

	stopAt   time.Time // of the last stop while the voice was lent
	lastWord string    // browser of the voice's borrower at that stop
}

// A loan lasts until the earliest of its ends.
type loan struct {
	part             lease.Part
	number           uint64
	lender, borrower int
	browser          string // of the borrower
	usedAt, awayFrom time.Time
	endedAt, movedAt time.Time // zero = not yet
	taken            bool      // by its holder
}

// A partCommand is one person's command to a part.
type partCommand struct {
	by           *client
	user         *session.User
	part         lease.Part
	lease, loan  uint64
	fromBorrower bool // it was executed as a borrower's command
}

// movedJoint is the joint that the histories move.
const movedJoint = "elbow"

var lentParts = []lease.Part{lease.Head, lease.Voice, lease.Arm}

// lendSomething performs one random action about parts.
func (h *history) lendSomething() {
	c := h.clients[h.chance.IntN(len(h.clients))]
	if c.user == nil {
		if h.isOneIn(4) {
			h.deliverLate()
		} else {
			h.connectClient(c)
		}
		return
	}
	switch h.chance.IntN(32) {
	case 0:
		h.disconnectClient(c)
	case 1, 2:
		h.readMail(c)
	case 3:
		h.deliverLate()
	case 4, 5:
		h.driveCorrectly(c)
	case 6:
		h.stopRobot(c)
	case 7:
		h.releaseStop(c)
	case 8, 9:
		if holder := h.clientInControl(); holder != nil {
			h.releaseStop(holder)
		}
	case 10:
		h.sendControl(c)
	case 11, 12, 13:
		h.letTimePass(time.Duration([]int{1, 20, 40, 250, 1000, 3000, 9000, 10_000, 31_000, 59_000, 60_000}[h.chance.IntN(11)]) * time.Millisecond)
	case 14:
		h.base.limbs.holdUp(time.Duration(20*(1+h.chance.IntN(3))) * time.Millisecond)
	case 15, 16:
		h.sendPart(c)
	case 17, 18, 19:
		h.lendPart(c)
	case 20, 21, 22:
		h.takePart()
	default:
		h.usePart(c)
	}
}

// lendPart has the holder lend a part to the client, without mistakes.
func (h *history) lendPart(c *client) {
	holder := h.clientInControl()
	who, ok := h.hub.Member(c.user)
	if holder == nil || holder == c || !ok {
		return
	}
	h.readMail(holder)
	if holder.user == nil {
		return
	}
	h.requestPart(holder, "lend", lentParts[h.chance.IntN(3)], who.ID)
	h.readMail(c)
	if c.user != nil {
		h.usePart(c)
	}
}

// takePart has a borrower use a part, and the holder take it back while it moves.
func (h *history) takePart() {
	holder := h.clientInControl()
	if holder == nil {
		return
	}
	for _, part := range lentParts {
		l := h.loans.known[part]
		i := slices.IndexFunc(h.clients, func(c *client) bool { return l != nil && c.user != nil && c.identity.Browser == l.browser })
		if i < 0 || holder.user == nil {
			continue
		}
		h.readMail(h.clients[i])
		h.sendUse(h.clients[i], part, l.number, false)
		h.letTimePass(time.Duration(20*h.chance.IntN(5)) * time.Millisecond)
		if h.isOneIn(3) {
			h.base.limbs.holdUp(60 * time.Millisecond)
		}
		if h.readMail(holder); holder.user == nil {
			return
		}
		if h.isOneIn(2) {
			h.sendUse(holder, part, 0, false)
		} else {
			h.requestPart(holder, "take", part, 0)
		}
	}
}

// sendPart sends a random request of the client, who may not have heard the latest
// news.
func (h *history) sendPart(c *client) {
	if h.isOneIn(2) {
		h.readMail(c)
	}
	if c.user != nil {
		h.requestPart(c, []string{"ask", "ask", "lend", "deny", "take", "give"}[h.chance.IntN(6)], lentParts[h.chance.IntN(3)], 1+h.chance.IntN(len(h.clients)))
	}
}

// requestPart sends the client's request about a part. A SUCCESS counts from the
// time of sending.
func (h *history) requestPart(c *client, action string, part lease.Part, to int) {
	if h.isMember(c.user) {
		h.noteAction(c)
	}
	whom := ""
	if action == "lend" || action == "deny" {
		whom = fmt.Sprintf(`,"to":%d`, max(to, 1))
	}
	h.loans.handedIn, c.answer = h.now, ""
	isHolder := h.isMember(c.user) && h.base.isHolder(c) && c.lease == h.hub.Lease().Epoch && h.hub.Lease().Settled()
	h.sendFrame(c, `{"type":"part","id":9,"lease":%d,"action":%q,"part":%q%s}`, c.lease, action, part, whom)
	h.collectMail(c)
	switch {
	case c.answer == "SUCCESS" && (action == "take" || action == "give"):
		h.endLoan(part, h.loans.handedIn, action == "take")
	case action == "take" && isHolder && c.answer != "BUSY":
		h.reportFault("who has control took the %s back and was answered %q", part, c.answer)
	}
	h.readMail(h.witness)
}

// usePart has the client use a part, or try to. The command may arrive late.
func (h *history) usePart(c *client) {
	if h.isOneIn(2) {
		h.readMail(c)
	}
	if c.user == nil {
		return
	}
	part, number := lentParts[h.chance.IntN(3)], uint64(0)
	for p, n := range c.borrowed {
		if !h.isOneIn(4) && (number == 0 || p < part) {
			part, number = p, n
		}
	}
	switch h.chance.IntN(10) {
	case 0:
		number = h.loans.newest
	case 1:
		number = max(number, 1) - 1
	}
	h.sendUse(c, part, number, h.isOneIn(6))
}

// sendUse sends a use of a part under the number of a loan, 0 = as the holder.
func (h *history) sendUse(c *client, part lease.Part, number uint64, late bool) {
	if c.user == nil {
		return
	}
	if part == lease.Voice {
		h.speakAs(c)
		return
	}
	n := len(h.loans.commands)
	cmd := partCommand{by: c, user: c.user, part: part, lease: c.lease, loan: number}
	h.loans.commands = append(h.loans.commands, cmd)
	by := fmt.Sprintf(`"lease":%d`, c.lease)
	if number > 0 {
		by += fmt.Sprintf(`,"loan":%d`, number)
	}
	// Each command asks for a distinct position, which identifies it.
	to := 0.2*float64(n%10) + 1e-6*float64(n)
	var frame []byte
	if part == lease.Head {
		to--
		h.loans.looks[to] = n
		frame = fmt.Appendf(nil, `{"type":"look","id":9,%s,"pan":%v,"tilt":0}`, by, to)
	} else {
		to -= 2.5
		h.loans.moves[to] = n
		frame = fmt.Appendf(nil, `{"type":"joints","id":9,%s,"at":{%q:%v}}`, by, movedJoint, to)
	}
	send := func() {
		if h.isMember(cmd.user) {
			h.noteAction(c)
		}
		h.loans.handedIn, c.answer = h.now, ""
		h.hub.Receive(cmd.user, frame, h.now)
		h.stepHub()
		h.collectMail(c)
		l := h.loans.numbered[number]
		if l != nil && l.part == part && l.browser == c.identity.Browser && c.answer != "" && c.answer != "INTERRUPTED" {
			l.usedAt = h.now // even if the robot could not execute it
		}
	}
	if late {
		h.latePackets = append(h.latePackets, send)
		return
	}
	send()
}

// speakAs has the client speak through the robot, if it may.
func (h *history) speakAs(c *client) {
	who, _ := h.hub.MemberOf(c.identity.Browser)
	heard := h.hub.Speak(c.identity, h.now)
	switch l := h.loans.known[lease.Voice]; {
	case heard && who.ID == h.hub.Lease().Holder: // the holder may be within the grace period
		h.endLoan(lease.Voice, h.now, true)
	case heard && l != nil && l.browser == c.identity.Browser && !h.isOver(l, h.now):
		h.loans.Used++
		l.usedAt = h.now
	case heard && c.identity.Browser == h.loans.lastWord && h.now.Sub(h.loans.stopAt) < 5*time.Second: // the end of a sentence
	case heard:
		h.loans.ExecutedAfterEnd++
		h.reportFault("%s was heard, who has not borrowed the voice", c.identity.Browser)
	}
	h.stepHub()
}

// noteExecution notes a command that the robot executes on a part, and checks that it is
// allowed.
func (h *history) noteExecution(n int) {
	cmd := &h.loans.commands[n]
	if h.base.isHolder(cmd.by) {
		if cmd.lease != h.hub.Lease().Epoch {
			h.reportFault("a command to the %s was executed under lease %d, and it is %d", cmd.part, cmd.lease, h.hub.Lease().Epoch)
		}
		cmd.fromBorrower = false // unlike perhaps at its first arrival
		h.endLoan(cmd.part, h.loans.handedIn, true)
		return
	}
	l := h.loans.numbered[cmd.loan]
	if l == nil || l.part != cmd.part || l.browser != cmd.by.identity.Browser || !h.isMember(cmd.user) || h.isOver(l, h.now) || h.hub.Lease().Holder != l.lender || h.base.by != "" {
		h.loans.ExecutedAfterEnd++
		h.reportFault("a command of %s to the %s was executed under loan %d, which is not theirs or is over", cmd.by.identity.Browser, cmd.part, cmd.loan)
		return
	}
	h.loans.Used++
	l.usedAt, cmd.fromBorrower = h.now, true
}

// noteMotion notes that a command moves a part at a time.
func (h *history) noteMotion(n int, at time.Time) {
	cmd := h.loans.commands[n]
	if l := h.loans.numbered[cmd.loan]; cmd.fromBorrower {
		l.movedAt = at
		h.judgeMotion(l)
	}
}

// judgeMotion measures how long a part moves after its loan has ended.
func (h *history) judgeMotion(l *loan) {
	if l.endedAt.IsZero() || l.movedAt.IsZero() {
		return
	}
	late := l.movedAt.Sub(l.endedAt)
	if l.taken {
		h.loans.TakeBack = max(h.loans.TakeBack, late)
	}
	if late > takeBackWithin {
		h.loans.ExecutedAfterEnd++
		h.reportFault("the %s still moves for its borrower %v after loan %d has ended", l.part, late, l.number)
	}
}

// endLoan ends the loan of a part at a time, if there is one.
func (h *history) endLoan(part lease.Part, since time.Time, taken bool) {
	l := h.loans.known[part]
	if l == nil || h.isOver(l, h.now) {
		return
	}
	if l.endedAt, l.taken = since, taken; taken {
		h.loans.TakenBack++
	}
	h.judgeMotion(l)
}

// endLoans ends the loans that is selects.
func (h *history) endLoans(is func(*loan) bool) {
	for part, l := range h.loans.known {
		if is(l) {
			h.endLoan(part, h.now, false)
		}
	}
}

// isOver reports whether a loan has ended at now: by an action, unused, or because
// its borrower stays away.
func (h *history) isOver(l *loan, now time.Time) bool {
	return !l.endedAt.IsZero() || now.Sub(l.usedAt) >= lease.UnusedAfter || !l.awayFrom.IsZero() && now.Sub(l.awayFrom) >= lease.Grace
}

// noteAway notes which borrowers are away. A borrower who comes back too late has
// lost the loan.
func (h *history) noteAway() {
	for _, l := range h.loans.known {
		who, ok := h.hub.MemberOf(l.browser)
		switch here := ok && who.Connected && who.ID == l.borrower; {
		case !here && l.awayFrom.IsZero():
			l.awayFrom = h.now
		case here && !h.isOver(l, h.now):
			l.awayFrom = time.Time{}
		}
	}
}

// checkParts checks one event about loans.
func (h *history) checkParts(m message) {
	lent := map[lease.Part]bool{}
	for _, o := range m.Loans {
		if lent[o.Part] {
			h.loans.TwoAtOnePart++
			h.reportFault("the %s is lent to two people", o.Part)
		}
		lent[o.Part] = true
		if h.loans.numbered[o.Loan] != nil {
			continue
		}
		who, ok := h.hub.MemberByID(o.ID)
		c := h.clientOf(o.ID)
		switch {
		case o.Loan <= h.loans.newest:
			h.reportFault("loan %d comes after loan %d", o.Loan, h.loans.newest)
		case !ok || c == nil:
			h.reportFault("the %s is lent to %d, who is nobody", o.Part, o.ID)
			return
		case o.ID == h.holder:
			h.reportFault("the %s is lent to %d, who has control", o.Part, o.ID)
		case who.Role < session.Operator && (o.Part != lease.Head || !c.identity.Camera):
			h.reportFault("the %s is lent to %d, an observer", o.Part, o.ID)
		case h.base.by != "":
			h.reportFault("the %s is lent while the robot is stopped", o.Part)
		}
		h.endLoan(o.Part, h.now, false)
		l := &loan{part: o.Part, number: o.Loan, lender: h.holder, borrower: o.ID, browser: c.identity.Browser, usedAt: h.now}
		h.loans.known[o.Part], h.loans.numbered[o.Loan], h.loans.newest = l, l, o.Loan
	}
}

// clientOf returns a client of the person; nil = there is none.
func (h *history) clientOf(id int) *client {
	for _, c := range h.clients {
		if who, ok := h.hub.MemberOf(c.identity.Browser); ok && who.ID == id {
			return c
		}
	}
	return nil
}

// hasBorrowed reports whether the client has borrowed anything.
func (h *history) hasBorrowed(c *client) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(h.loans.known)), func(l *loan) bool {
		return l.browser == c.identity.Browser && !h.isOver(l, h.now)
	})
}

// noteStop notes that the robot is being stopped, which ends all loans.
func (h *history) noteStop() {
	if l := h.loans.known[lease.Voice]; l != nil && !h.isOver(l, h.now) {
		h.loans.lastWord, h.loans.stopAt = l.browser, h.now
	}
	h.endLoans(func(*loan) bool { return true })
}

// noteCommand checks a command to the robot that uses a part.
func (h *history) noteCommand(cmd robot.Command) {
	switch cmd := cmd.(type) {
	case robot.Look:
		h.noteExecution(h.loans.looks[cmd.Pan])
	case robot.MoveJoints:
		h.noteExecution(h.loans.moves[cmd.At[movedJoint]])
	}
}

package onboard

import (
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// What the loop does between two readings, and while they stay away.

// hasRunOut reports whether the base has forgotten what it was told last, and brakes.
func (h *loopState) hasRunOut(now time.Time) bool {
	return !h.toldAt.IsZero() && now.Sub(h.toldAt) > h.holds
}

// haveToBeginAnew reports whether the loop hung for so long that the base stands: then a
// motion begins again from zero.
func (h *loopState) haveToBeginAnew(t robot.Twist) bool {
	if t.IsZero() || !h.hasRunOut(h.now()) {
		return false
	}
	h.tellCore(robot.Lapse{})
	return true
}

// attendWheels is called when no reading has come for a while. It repeats the last
// twist, because a base may keep it for a shorter time than there is between two
// readings; but once the newest reading is too old it stops the wheels. The goroutine
// that owns the core does both: one that hangs repeats nothing.
func (h *loopState) attendWheels() {
	silent := h.now().Sub(h.epoch)
	if last := h.lastTickTime(); !last.IsZero() {
		silent = h.now().Sub(last)
	}
	if silent < limits.ReadingSilence {
		told := h.told
		if h.haveToBeginAnew(told) {
			told = robot.Twist{}
		}
		h.driveWheels(told) //nolint:errcheck // logged there
		h.pulse.Reset(min(h.holds/limits.HoldShare, limits.ReadingSilence-silent))
		return
	}
	h.stopWheels()
	h.retryWaiting()
	h.pulse.Reset(limits.ReadingSilence)
}

// stopWheels stops the wheels while readings stay away. Where there is a line to the
// base, the state says how it is; else nothing is published: what people see grows old,
// and they are told so by its age.
func (h *loopState) stopWheels() {
	h.readLink(false)
	if !h.late {
		h.late = true
		why := ""
		if h.core.link != nil {
			why = h.core.link.Why
		}
		h.log.Warn("the base reports nothing, the wheels are stopped", "for", limits.ReadingSilence, "why", why)
	}
	h.driveWheels(robot.Twist{}) //nolint:errcheck // logged there
	if h.linked == nil || h.now().Sub(h.shownAt) < limits.SilentStateEvery-limits.ReadingSilence/2 {
		return
	}
	h.shownAt = h.now()
	stops := h.latch.countStops()
	h.carryOutStop()
	state := h.core.describeSilence(h.readingTime(), h.last)
	if state.Time.IsZero() {
		state.Time = h.epoch // nothing was measured yet
	}
	h.voice.announce(state)
	h.publish(state)
	h.shown.Store(stops)
}

// readLink tells the core how the line to the base is. A line whose readings stay away
// is not up, whatever the driver says.
func (h *loopState) readLink(heard bool) {
	if h.linked == nil {
		return
	}
	link := h.linked.BaseLink()
	if !heard && link.Up {
		link.Up, link.Why, link.Since = false, "The base reports nothing.", h.epoch
		if last := h.lastTickTime(); !last.IsZero() {
			link.Since = last
		}
	}
	h.core.link = &link
	if !slices.Equal(link.Gone, h.gone) {
		h.gone = link.Gone
		h.noteLostParts()
	}
}

// noteLostParts logs which parts are out of reach, and tells the core which of them see:
// a robot that has lost its speaker drives on.
func (h *loopState) noteLostParts() {
	var all, seeing []string
	for _, part := range h.gone {
		all = append(all, part.Name)
		if part.Sees {
			seeing = append(seeing, part.Name)
		}
	}
	if len(all) > 0 {
		h.log.Warn("a part of the robot is out of reach", "parts", all)
	} else {
		h.log.Info("all parts of the robot are in reach again")
	}
	if !slices.Equal(seeing, h.core.lacks) {
		h.tellCore(robot.Lacks{Parts: seeing})
	}
}

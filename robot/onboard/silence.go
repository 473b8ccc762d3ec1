package onboard

import (
	"slices"
	"time"

	"mybot/robot"
	"mybot/robot/limits"
)

// This file handles the time between two readings, and the absence of readings.

// hasRunOut reports whether the base's hold of the last twist has expired, so that the base
// brakes.
func (h *loopState) hasRunOut(now time.Time) bool {
	return !h.toldAt.IsZero() && now.Sub(h.toldAt) > h.holds
}

// haveToBeginAnew reports whether the loop hung for so long that the base stands, and then
// makes the core drive from zero.
func (h *loopState) haveToBeginAnew(t robot.Twist) bool {
	if t.IsZero() || !h.hasRunOut(h.now()) {
		return false
	}
	h.tellCore(robot.Lapse{})
	return true
}

// attendWheels runs when no reading has come for a while. It repeats the last twist,
// because the hold of a base may be shorter than the time between two readings. Once the
// newest reading is too old, it stops the wheels. The goroutine that owns the core does
// both, so that a hung one repeats nothing.
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
	if !h.late { // a loop that hung notices the silence late
		h.core.baseSilent = silent < 2*limits.ReadingSilence
	}
	h.stopWheels()
	h.retryWaiting()
	h.pulse.Reset(limits.ReadingSilence)
}

// stopWheels stops the wheels while no readings arrive. If the driver reports its
// connection to the base, the published state describes it. Otherwise nothing is published,
// and pages show the age of the last state.
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
	if h.core.scripts.machine != nil {
		h.tellCore(robot.StepUnits{})
	}
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

// readLink passes the state of the connection to the base to the core. A connection without
// readings is not up, whatever the driver says.
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

// noteLostParts logs which parts are out of reach, and passes those with range sensors to
// the core: a robot that has lost its speaker still drives.
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

package onboard

import (
	"fmt"
	"time"

	"mybot/robot/scan"
)

const (
	lidarSilentAfter = time.Second     // a lidar without scans for this long is reported as silent
	lidarWellAfter   = 2 * time.Second // a fault clears after this long with scans and without faults
	faultShownFor    = 5 * time.Second // shortest time before another sentence about the same lidar replaces this one
)

// lidarHealth describes the faults of the lidars for people. The guard does not use it.
type lidarHealth struct {
	lidars []lidarState // by the lidar's index
	began  time.Time    // time of the first reading; zero = none yet
}

// lidarState is the health of one lidar. fault and shownAt are set together.
type lidarState struct {
	used    time.Time // when the last usable scan arrived
	faulty  time.Time // when the last fault occurred
	fault   string    // sentence about the fault; "" = none
	shownAt time.Time // when that sentence was first shown
}

// observeScans takes the clouds and faults from the scans of one reading. lidars is the
// number of lidars of the robot.
func (h *lidarHealth) observeScans(now time.Time, lidars int, clouds []scan.Cloud, faults []scan.Fault) {
	if h.began.IsZero() {
		h.began, h.lidars = now, make([]lidarState, lidars)
	}
	for _, c := range clouds {
		h.lidars[c.Lidar].used = now
	}
	for _, f := range faults {
		i := f.Lidar
		if i < 0 || i >= len(h.lidars) { // a lidar that the description lacks: reported as the first
			if len(h.lidars) == 0 {
				h.lidars = make([]lidarState, 1)
			}
			i = 0
		}
		h.lidars[i].noteFault(now, "A scan is not used: "+f.Problem+".")
	}
	for i := range h.lidars {
		l := &h.lidars[i]
		heard := l.used
		for _, t := range [2]time.Time{l.faulty, h.began} {
			if t.After(heard) {
				heard = t
			}
		}
		switch {
		case i < lidars && l.fault == "" && now.Sub(heard) > lidarSilentAfter:
			l.noteFault(now, "It is silent: no scan comes. The robot drives slowly where only this lidar looks.")
		case l.fault != "" && now.Sub(l.faulty) > lidarWellAfter && now.Sub(l.used) < lidarSilentAfter:
			l.fault = ""
		}
	}
}

// noteFault records a fault. A sentence remains for faultShownFor, because some contain
// numbers that change with each scan.
func (l *lidarState) noteFault(now time.Time, sentence string) {
	l.faulty = now
	if l.fault == "" || now.Sub(l.shownAt) > faultShownFor {
		l.fault, l.shownAt = sentence, now
	}
}

// describeFault returns the sentence about the first faulty lidar; "" = none.
func (h *lidarHealth) describeFault() string {
	for i, l := range h.lidars {
		switch {
		case l.fault == "":
		case len(h.lidars) == 1:
			return "Lidar: " + l.fault
		default:
			return fmt.Sprintf("Lidar %d of %d: %s", i+1, len(h.lidars), l.fault)
		}
	}
	return ""
}

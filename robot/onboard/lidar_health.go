package onboard

import (
	"fmt"
	"time"

	"mybot/robot/scan"
)

const (
	lidarSilentAfter = time.Second     // without a scan a lidar is said to be silent
	lidarWellAfter   = 2 * time.Second // without a fault, and with scans, it is said to be well again
	faultShownFor    = 5 * time.Second // before another sentence about the same lidar takes its place
)

// lidarHealth is what is wrong with the lidars, for people. The guard does not use it.
type lidarHealth struct {
	lidars []lidarState // by the lidar's index
	began  time.Time    // of the first reading; zero = there was none
}

// lidarState is one lidar. fault and shownAt are set together.
type lidarState struct {
	used    time.Time // when its newest scan came that is used
	faulty  time.Time // when something was wrong last
	fault   string    // what, in a sentence; "" = it is well
	shownAt time.Time // since when that sentence is shown
}

// observeScans takes what became of the scans of a reading, of a robot with so many lidars.
func (h *lidarHealth) observeScans(now time.Time, lidars int, clouds []scan.Cloud, faults []scan.Fault) {
	if h.began.IsZero() {
		h.began, h.lidars = now, make([]lidarState, lidars)
	}
	for _, c := range clouds {
		h.lidars[c.Lidar].used = now
	}
	for _, f := range faults {
		i := f.Lidar
		if i < 0 || i >= len(h.lidars) { // of a lidar that is not described: it is told once for all
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

// noteFault notes that something is wrong. A sentence stays for a while: some tell numbers
// that change with each scan.
func (l *lidarState) noteFault(now time.Time, sentence string) {
	l.faulty = now
	if l.fault == "" || now.Sub(l.shownAt) > faultShownFor {
		l.fault, l.shownAt = sentence, now
	}
}

// describeFault tells what is wrong with the first lidar that is not well; "" = nothing.
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

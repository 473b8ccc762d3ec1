package session

import (
	"fmt"
	"time"

	"mybot/robot"
	"mybot/script"
	"mybot/session/protocol"
)

// Values of the scripts that people watch: each page has a list, the robot evaluates all
// lists together while there are any, and each page receives the values of its own list.
// Watching changes nothing, so observers may watch too.

// valueWatch is what pages watch.
type valueWatch struct {
	lists     map[*User][]*script.Watched
	shown     *robot.WatchedValues // newest that the pages received
	untold    bool                 // the robot has not taken the newest lists
	tellAgain time.Time            // when the hub next tries
}

// Bounds of watching.
const (
	watchesPerSecond = 5   // new lists of a page
	maxWatchedInAll  = 200 // different values of all pages
)

// watchValues replaces the list of values that a page watches.
func (c *coordinator) watchValues(u *User, cmd protocol.Watch, now time.Time) robot.Result {
	if !u.watchBudget.spendToken(now, watchesPerSecond) {
		return newRefusal(robot.Busy, fmt.Sprintf("The list of watched values changes too often. Send at most %d a second.", watchesPerSecond))
	}
	w := &c.valueWatch
	if w.lists == nil {
		w.lists = map[*User][]*script.Watched{}
	}
	before := w.lists[u]
	w.setList(u, cmd.Values)
	if n := len(w.merge()); n > maxWatchedInAll {
		w.setList(u, before)
		return newRefusal(robot.Busy, fmt.Sprintf("Together all pages would watch %d values; the robot evaluates at most %d.", n, maxWatchedInAll))
	}
	w.untold = true
	if r := c.tellWatched(now); !r.Done() {
		w.setList(u, before)
		w.untold = true
		return r
	}
	return robot.Result{Word: robot.Success}
}

func (w *valueWatch) setList(u *User, list []*script.Watched) {
	delete(w.lists, u)
	if len(list) > 0 {
		w.lists[u] = list
	}
}

// merge returns the values of all lists, each once.
func (w *valueWatch) merge() (all []*script.Watched) {
	known := map[string]bool{}
	for _, list := range w.lists {
		for _, one := range list {
			if !known[one.Text()] {
				known[one.Text()] = true
				all = append(all, one)
			}
		}
	}
	return all
}

// tellWatched tells the robot what is watched, if that has changed.
func (c *coordinator) tellWatched(now time.Time) robot.Result {
	w := &c.valueWatch
	if !w.untold || now.Before(w.tellAgain) {
		return robot.Result{Word: robot.Success}
	}
	r := c.robot.Do(robot.WatchValues{Values: w.merge()})
	w.untold = !r.Done()
	if w.untold {
		w.tellAgain = now.Add(holdRetry)
	}
	return r
}

// observeValues sends new values to the pages that watch them. It forgets pages that have
// left.
func (c *coordinator) observeValues(v *robot.WatchedValues, now time.Time) {
	w := &c.valueWatch
	if len(w.lists) == 0 && !w.untold {
		return
	}
	for u := range w.lists {
		if u.person == nil { // it has left, or only watches the robot
			delete(w.lists, u)
			w.untold = true
		}
	}
	c.tellWatched(now)
	if v == nil || v == w.shown {
		return
	}
	w.shown = v
	found := make(map[string]int, len(v.Of))
	for i, one := range v.Of {
		found[one.Text()] = i
	}
	for u, list := range w.lists {
		e := protocol.ValuesEvent{T: protocol.Seconds(v.Time.Sub(c.start)), Values: make([]protocol.WatchedValue, 0, len(list))}
		for _, one := range list {
			if i, ok := found[one.Text()]; ok {
				e.Values = append(e.Values, protocol.WatchedValueOf(one.Text(), v.Values[i]))
			}
		}
		u.out.showValues(protocol.Encode(e))
	}
}

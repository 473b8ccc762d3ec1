package session

import (
	"strings"
	"time"

	"mybot/link"
	"mybot/robot"
)

// straight is the name of a network that bends nothing.
const straight = "off"

// bend has the network between the pages and a simulated robot changed.
func (c *crew) bend(who *person, cmd bend, now time.Time) robot.Result {
	if c.network == nil {
		return refusal(robot.NA, "This robot is not simulated, so its network cannot be changed here.")
	}
	if r := c.mayOrder(who, cmd.Lease, "Try again."); !done(r) {
		return r
	}
	var profile link.Profile
	if cmd.Profile != straight {
		var err error
		if profile, err = link.Parse(cmd.Profile); err != nil {
			return refusal(robot.Error, strings.TrimPrefix(err.Error(), "link: ")+`. "`+straight+`" switches it off.`)
		}
	}
	if profile == c.network.Profile() {
		return robot.Result{Word: robot.Success}
	}
	c.network.Change(profile)
	c.broadcast(c.networkNow())
	text := who.name + " changed the network: " + bent(profile) + "."
	c.log(iconWarn, text, now)
	c.record(now, "settings", who, text)
	return robot.Result{Word: robot.Success}
}

// networkNow returns the event that tells how the network is bent; nil = it is
// the real one.
func (c *crew) networkNow() []byte {
	if c.network == nil {
		return nil
	}
	p := c.network.Profile()
	return encode(linkEvent{"event", "link", bent(p), link.Name(p)})
}

// bent returns the profile as it is sent.
func bent(p link.Profile) string {
	if p == (link.Profile{}) {
		return straight
	}
	return p.String()
}

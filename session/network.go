package session

import (
	"strings"
	"time"

	"mybot/link"
	"mybot/robot"
)

// straight is the name of a network that bends nothing.
const straight = "off"

// changeNetwork has the network between the pages and a simulated robot changed.
func (c *crew) changeNetwork(who *person, cmd bend, now time.Time) robot.Result {
	if c.network == nil {
		return refusal(robot.NA, "This robot is not simulated, so its network cannot be changed here.")
	}
	if r := c.mayCommand(who, cmd.Lease, "Try again."); !done(r) {
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
	c.broadcast(c.encodeNetwork())
	text := who.name + " changed the network: " + profileText(profile) + "."
	c.logEvent(iconWarn, text, now)
	c.auditPerson(now, "settings", who, text)
	return robot.Result{Word: robot.Success}
}

// encodeNetwork returns the event that tells how the network is bent; nil = it is
// the real one.
func (c *crew) encodeNetwork() []byte {
	if c.network == nil {
		return nil
	}
	p := c.network.Profile()
	return encodeValue(LinkEvent{"event", "link", profileText(p), link.Name(p)})
}

// profileText returns the profile as it is sent.
func profileText(p link.Profile) string {
	if p == (link.Profile{}) {
		return straight
	}
	return p.String()
}

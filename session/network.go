package session

import (
	"strings"
	"time"

	"mybot/link"
	"mybot/robot"
	"mybot/session/protocol"
)

// changeNetwork impairs the network between the pages and a simulated robot.
func (c *coordinator) changeNetwork(who *person, cmd protocol.Link, now time.Time) robot.Result {
	if c.network == nil {
		return newRefusal(robot.NA, "This robot is not simulated, so its network cannot be changed here.")
	}
	if r := c.mayCommand(who, cmd.Lease, "Try again."); !r.Done() {
		return r
	}
	var profile link.Profile
	if cmd.Profile != protocol.LinkOff {
		var err error
		if profile, err = link.ParseProfile(cmd.Profile); err != nil {
			return newRefusal(robot.Error, strings.TrimPrefix(err.Error(), "link: ")+`. "`+protocol.LinkOff+`" switches it off.`)
		}
	}
	if profile == c.network.Profile() {
		return robot.Result{Word: robot.Success}
	}
	c.network.SetProfile(profile)
	c.broadcast(c.encodeNetwork())
	text := who.name + " changed the network: " + profileText(profile) + "."
	c.logEvent(protocol.IconWarn, text, now)
	c.auditPerson(now, "settings", who, text)
	return robot.Result{Word: robot.Success}
}

// encodeNetwork returns the event with the network's impairment; nil = a real
// network.
func (s *surroundings) encodeNetwork() []byte {
	if s.network == nil {
		return nil
	}
	p := s.network.Profile()
	return protocol.Encode(protocol.LinkEvent{Profile: profileText(p), Name: link.PresetName(p)})
}

// profileText returns the wire form of the profile.
func profileText(p link.Profile) string {
	if p == (link.Profile{}) {
		return protocol.LinkOff
	}
	return p.String()
}

package app

import (
	"cmp"
	"net"
	"net/netip"
	"time"

	"mybot/handlers"
	"mybot/link"
	"mybot/localization"
	"mybot/media"
	"mybot/recording"
	"mybot/robot"
	"mybot/robot/onboard"
	"mybot/session"
)

// Config configures one robot server.
type Config struct {
	Plan         *robot.Floorplan
	Start        robot.Pose         // of base_link in map at power-on, unless a pose was saved
	Localizer    Localizer          // "" = MCL
	Locate       onboard.Localizer  // replaces Localizer; nil = Localizer is used
	ReadOnly     string             // a sentence that says why the robot refuses to move; "" = it does not
	Tables       localization.Cache // of data computed from maps; nil = in DataDir
	Player       handlers.Player    // of the recording in place of a robot; nil = there is a robot
	World        session.World      // of the simulator, which users may change; nil = the real world
	DataDir      string             // for everything that outlives the process; "" = nothing does
	RecordDir    string             // where a recording starts with the server; "" = in DataDir, when an admin starts one
	MapDir       string             // where users' changes to the map are saved; "" = they are not
	Link         link.Profile       // impairment of the browsers' traffic; the zero Profile = none
	Seed         uint64             // of the impaired network and of the localizer
	Build        string             // of the server, sent to every page
	Simulator    bool               // there is no real robot
	Building     *robot.Floorplan   // where the simulated robot stands; nil = its pose is not saved
	Standing     func() robot.Pose  // of base_link in the frame of Building
	Camera       robot.Camera       // for users to watch; nil = none
	Encoder      string             // of the camera's pictures, as in ParseEncoder; "" = auto
	Media        media.Options      // how pages reach camera, sound and data channel, besides the UDP port
	Period       time.Duration      // between two states sent to users; 0 = 100 ms
	StandByAfter time.Duration      // without control, until a script that stands by continues; 0 = limits.StandBy; for tests
	Truth        func() robot.Pose  // of base_link in map, for log and metrics; nil = unknown
	Hosts        []string           // further names of this computer that users may use
	Proxies      []netip.Prefix     // whose X-Forwarded headers are trusted
	TLS          TLS                // the zero TLS = plain http
	Urbi         net.Listener       // of the port for scripts; nil = there is none. Serve closes it
	Limits       handlers.Limits    // of WebSockets
	Notify       Supervisor         // restarts the server when its control loop hangs; the zero Supervisor = none
	Invite       func(Invitation)   // called once before Ready if users on other computers may join; nil = no invitation
	Ready        func()             // called once, when the server answers and the robot has reported its first state; nil = not called
}

// settings returns the settings for the recording.
func (c Config) settings() recording.Settings {
	s := recording.Settings{Simulator: c.Simulator, Localizer: string(cmp.Or(c.Localizer, MCL)), Seed: c.Seed, ReadOnly: c.ReadOnly != ""}
	if c.Locate != nil {
		s.Localizer = "given"
	}
	if c.Link != (link.Profile{}) {
		s.Network = c.Link.String()
	}
	return s
}

package app

import (
	"cmp"
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

// Config says what one robot server is made of.
type Config struct {
	Plan      *robot.Floorplan
	Start     robot.Pose         // of base_link in map: where the robot stands when it is switched on, if no pose of it was kept
	Localizer Localizer          // "" = MCL
	Locate    onboard.Localizer  // that tells the position in its place; nil = Localizer
	ReadOnly  string             // a sentence why the robot takes no orders; "" = it does
	Tables    localization.Cache // of what is made from maps; nil = in DataDir
	Player    handlers.Player    // of the recording that is shown; nil = there is a robot
	World     session.World      // of the simulator, which users may change; nil = there is a real one
	DataDir   string             // what must last; "" = nothing lasts
	RecordDir string             // where the robot is recorded from its start on; "" = in DataDir, when an admin wants it
	MapDir    string             // where what people change of the map is kept; "" = it does not last
	Link      link.Profile       // how the browsers' traffic is impaired; the zero Profile = not at all
	Seed      uint64             // of the impaired network and of the localizer
	Build     string             // of the server, told to every page
	Simulator bool               // no real robot is there
	Building  *robot.Floorplan   // on which the simulated robot stands; nil = it is not kept where,
	Standing  func() robot.Pose  // of base_link in the frame of Building
	Camera    robot.Camera       // through which people see; nil = the robot has none
	Encoder   string             // of the camera's pictures, as ParseEncoder has it; "" = auto
	Media     media.Options      // by which ways pages reach camera, sound and the channel of datagrams, beside the UDP port
	Period    time.Duration      // between two states that people are shown; 0 = 100 ms
	Truth     func() robot.Pose  // of base_link in map, for log and metrics; nil = it is not known
	Hosts     []string           // names of this computer that people may use, beside its own
	Proxies   []netip.Prefix     // whose X-Forwarded headers are believed
	TLS       TLS                // the zero TLS = plain http
	Limits    handlers.Limits    // of WebSockets
	Notify    Supervisor         // that restarts the server when its control loop hangs; the zero Supervisor = there is none
	Invite    func(Invitation)   // called once before Ready when others than this computer may come in; nil = no user is invited
	Ready     func()             // called once, when the server answers and the robot has reported its first state; nil = not called
}

// settings returns what a recording says of how the program was started.
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

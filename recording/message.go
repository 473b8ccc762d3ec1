package recording

import (
	"math"
	"time"

	"mybot/robot"
)

// A Pose is the recorded form of a robot.Pose: m and rad.
type Pose struct {
	X     Number `json:"x"`
	Y     Number `json:"y"`
	Theta Number `json:"theta"`
}

func poseOf(p robot.Pose) Pose { return Pose{Number(p.X), Number(p.Y), Number(p.Theta)} }

func (p Pose) pose() robot.Pose {
	return robot.Pose{X: float64(p.X), Y: float64(p.Y), Theta: float64(p.Theta)}
}

// A Velocity is the recorded form of a robot.Twist: m/s and rad/s.
type Velocity struct {
	Linear  Number `json:"linear"`
	Angular Number `json:"angular"`
}

func velocityOf(t robot.Twist) Velocity { return Velocity{Number(t.Linear), Number(t.Angular)} }

// Twist returns the original twist.
func (v Velocity) Twist() robot.Twist {
	return robot.Twist{Linear: float64(v.Linear), Angular: float64(v.Angular)}
}

// Wheels is the recorded form of a robot.Wheels: m.
type Wheels struct {
	Left  Number `json:"left"`
	Right Number `json:"right"`
}

// Head is the recorded form of a robot.HeadAngles: rad.
type Head struct {
	Pan  Number `json:"pan"`
	Tilt Number `json:"tilt"`
}

// Covariance is the recorded form of a robot.Covariance: m2 and rad2.
type Covariance struct {
	XX Figure `json:"xx"`
	XY Figure `json:"xy"`
	YY Figure `json:"yy"`
	TT Figure `json:"tt"`
}

// A Reading is the recorded form of a robot.Reading, with its time and with the
// estimate and the twist that resulted. Its scans are separate messages before it.
// Recordings before version 1 of Series have neither Estimate nor Twist; their
// twists are at TwistTopic.
type Reading struct {
	Timestamp Stamp    `json:"timestamp"`
	Travel    Wheels   `json:"travel"`  // m since the last reading
	Heading   Number   `json:"heading"` // rad; NaN = no compass
	Sonars    Numbers  `json:"sonars"`  // m, +Inf = no echo, NaN = sensor failed
	Scans     int      `json:"scans"`   // number of scans in the reading
	Bump      bool     `json:"bump"`
	OK        bool     `json:"ok"`
	Head      Head     `json:"head"`
	Joints    Numbers  `json:"joints,omitempty"` // rad or m, in the order of the description; NaN = unknown
	Battery   Battery  `json:"battery"`
	EStop     bool     `json:"estop,omitempty"`
	Refuses   bool     `json:"refuses,omitempty"` // the base refused to drive
	Estimate  Estimate `json:"estimate"`
	Twist     Velocity `json:"twist"` // at the axle point, after limiter and guard
}

// An Estimate is the robot's estimated pose, of base_link in map.
type Estimate struct {
	Pose
	Trust robot.Trust `json:"trust"` // 0 = OK, 1 = UNSURE, 2 = LOST
}

func estimateOf(e robot.Estimate) Estimate { return Estimate{poseOf(e.Pose), e.Trust} }

// Estimate returns the recorded part of the estimate.
func (e Estimate) Estimate() robot.Estimate {
	return robot.Estimate{Pose: e.pose(), Trust: e.Trust}
}

// Battery is the recorded form of a robot.Battery.
type Battery struct {
	Volts    Figure `json:"volts"`
	Amperes  Figure `json:"amperes"`
	Charge   Figure `json:"charge"` // 0 to 1
	Charging bool   `json:"charging"`
	Left     Figure `json:"left"` // s; 0 = unknown
}

func readingOf(c clock, r robot.Reading, s robot.State) Reading {
	b := r.Battery
	return Reading{
		Timestamp: c.stampOf(r.Time), Travel: Wheels{Number(r.Travel.Left), Number(r.Travel.Right)}, Heading: Number(r.Heading), Sonars: r.Ranges, Scans: len(r.Scans),
		Bump: r.Bump, OK: r.OK, Head: Head{Number(r.Head.Pan), Number(r.Head.Tilt)}, Joints: r.Joints,
		Battery: Battery{Figure(roundTo(b.Volts, 1e-3)), Figure(roundTo(b.Amperes, 1e-2)), Figure(roundTo(b.Charge, 1e-4)), b.Charging, Figure(roundTo(b.Left.Seconds(), 10))},
		EStop:   r.EStop, Refuses: r.Refuses != "", Estimate: estimateOf(s.Estimate), Twist: velocityOf(s.Drive.Given),
	}
}

// refusal replaces the base's sentence about why it refused to drive.
const refusal = "The base refused to drive."

// Reading returns the original reading, with the scans that precede it in the
// recording.
func (m Reading) Reading(scans []robot.Scan) robot.Reading {
	b := m.Battery
	refuses := ""
	if m.Refuses {
		refuses = refusal
	}
	return robot.Reading{
		EStop: m.EStop, Refuses: refuses,
		Time: m.Timestamp.Time(), Travel: robot.Wheels{Left: float64(m.Travel.Left), Right: float64(m.Travel.Right)}, Heading: float64(m.Heading), Ranges: m.Sonars, Scans: scans,
		Bump: m.Bump, OK: m.OK, Head: robot.HeadAngles{Pan: float64(m.Head.Pan), Tilt: float64(m.Head.Tilt)}, Joints: m.Joints,
		Battery: robot.Battery{Volts: float64(b.Volts), Amperes: float64(b.Amperes), Charge: float64(b.Charge), Charging: b.Charging, Left: durationOf(Number(b.Left))},
	}
}

func durationOf(seconds Number) time.Duration {
	return time.Duration(math.Round(float64(seconds) * float64(time.Second)))
}

// A LaserScan is a foxglove.LaserScan with its duration. Its frame is that of the
// lidar, its timestamp that of the first beam.
type LaserScan struct {
	Timestamp   Stamp     `json:"timestamp"`
	FrameID     string    `json:"frame_id"`
	Pose        placement `json:"pose"`
	StartAngle  Number    `json:"start_angle"` // rad
	EndAngle    Number    `json:"end_angle"`   // rad
	Ranges      Numbers   `json:"ranges"`      // m, +Inf = nothing within reach, NaN = no measurement
	Intensities Numbers   `json:"intensities"`
	Lasts       Number    `json:"lasts"` // s from the first beam to the last
}

func scanOf(c clock, s robot.Scan, l robot.Lidar) LaserScan {
	return LaserScan{
		Timestamp: c.stampOf(s.Time), FrameID: lidarFrame(s.Lidar), Pose: placementOf(robot.Pose{}, 0),
		StartAngle: Number(l.From), EndAngle: Number(l.From + l.Step*float64(max(0, len(s.Ranges)-1))), Ranges: s.Ranges, Intensities: Numbers{}, Lasts: Number(s.Lasts.Seconds()),
	}
}

// Scan returns the original scan; lidar is the number in its topic.
func (m LaserScan) Scan(lidar int) robot.Scan {
	return robot.Scan{Lidar: lidar, Time: m.Timestamp.Time(), Lasts: durationOf(m.Lasts), Ranges: m.Ranges}
}

// A Twist is the twist commanded to the wheels, at the axle point M, in recordings
// before version 1 of Series; newer ones have it in the Reading.
type Twist struct {
	Timestamp Stamp `json:"timestamp"`
	Velocity
}

// A State is the recorded part of a robot.State. Results are words without their
// sentences; the number 0 means that there is no goal or run.
type State struct {
	Timestamp  Stamp      `json:"timestamp"`
	Mode       robot.Mode `json:"mode"`
	Stopped    bool       `json:"stopped"`
	Trust      string     `json:"trust"`
	Pose       place      `json:"pose"` // of base_link in map
	Covariance Covariance `json:"covariance"`
	Wheels     bool       `json:"wheels"`
	Compass    bool       `json:"compass"`
	Sonars     int        `json:"sonars"`
	Measured   figures    `json:"measured"`
	Asked      figures    `json:"asked"`
	Given      figures    `json:"given"`
	Word       robot.Word `json:"word"`
	Nearest    Figure     `json:"nearest"` // m from the hull
	Ahead      Figure     `json:"ahead"`   // m of free path
	Limit      Figure     `json:"limit"`   // m/s that the guard allows
	Guarded    bool       `json:"guarded"` // the guard changes the motion
	Play       play       `json:"play"`
	Goal       goal       `json:"goal"`
	Run        run        `json:"run"`
	Tick       tick       `json:"tick"`
}

type play struct {
	Policy    string `json:"policy"`
	Motion    uint64 `json:"motion"`
	Lead      Figure `json:"lead"`   // s
	Jitter    Figure `json:"jitter"` // s
	Rate      Figure `json:"rate"`
	Stalled   bool   `json:"stalled"`
	Left      Figure `json:"left"` // m
	Reference place  `json:"reference"`
	Error     Figure `json:"error"`  // m
	Detour    Figure `json:"detour"` // m
}

type goal struct {
	Number uint64          `json:"number"`
	Pose   place           `json:"pose"`
	Phase  robot.GoalPhase `json:"phase"`
	Done   Figure          `json:"done"`   // m
	Left   Figure          `json:"left"`   // m
	Across Figure          `json:"across"` // m
	Word   robot.Word      `json:"word"`
}

type run struct {
	Number uint64         `json:"number"`
	Phase  robot.RunPhase `json:"phase"`
	Step   int            `json:"step"`
	Word   robot.Word     `json:"word"`
}

type tick struct {
	Jitter Figure `json:"jitter"` // s, 99th percentile
	Worst  Figure `json:"worst"`  // s
	Late   uint64 `json:"late"`
}

func stateOf(c clock, s robot.State) State {
	p, e := s.Play, s.Estimate
	m := State{
		Timestamp: c.stampOf(s.Time), Mode: s.Mode, Stopped: s.Stop != nil, Trust: e.Trust.String(), Pose: placeOf(e.Pose), Covariance: Covariance{Figure(e.Covariance.XX), Figure(e.Covariance.XY), Figure(e.Covariance.YY), Figure(e.Covariance.TT)},
		Wheels: e.Wheels, Compass: e.Compass, Sonars: e.Sonars, Measured: figuresOf(s.Twist), Asked: figuresOf(s.Drive.Asked), Given: figuresOf(s.Drive.Given), Word: s.Drive.Result.Word,
		Nearest: Figure(s.Nearest.Distance), Ahead: Figure(s.Guard.Ahead), Limit: Figure(s.Guard.Limit), Guarded: s.Guard.Active,
		Play: play{p.Policy, p.Motion, Figure(p.Lead), Figure(p.Jitter), Figure(p.Rate), p.Stalled, Figure(p.Left), placeOf(p.Reference), Figure(p.Error), Figure(p.Detour)},
		Tick: tick{Figure(s.Tick.Jitter.Seconds()), Figure(s.Tick.Worst.Seconds()), s.Tick.Late},
	}
	if g := s.Goal; g != nil {
		m.Goal = goal{g.Number, placeOf(g.Pose), g.Phase, Figure(g.Done), Figure(g.Left), Figure(g.Across), g.Result.Word}
	}
	if r := s.Run; r != nil {
		m.Run = run{r.Number, r.Phase, r.Step, r.Result.Word}
	}
	return m
}

// A place is a Pose with rounded numbers.
type place struct {
	X     Figure `json:"x"`     // m
	Y     Figure `json:"y"`     // m
	Theta Figure `json:"theta"` // rad
}

func placeOf(p robot.Pose) place { return place{Figure(p.X), Figure(p.Y), Figure(p.Theta)} }

// figures are a Velocity with rounded numbers.
type figures struct {
	Linear  Figure `json:"linear"`
	Angular Figure `json:"angular"`
}

func figuresOf(t robot.Twist) figures { return figures{Figure(t.Linear), Figure(t.Angular)} }

func roundTo(x, step float64) float64 { return math.Round(x/step) * step }

// A Gap says how much is missing before it, because the recording could not be
// written fast enough.
type Gap struct {
	Timestamp Stamp `json:"timestamp"`
	Readings  int   `json:"readings"`
	Scans     int   `json:"scans"`
	Commands  int   `json:"commands"`
}

package handlers

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mybot/robot"
)

// metrics reports the robot and the server to Prometheus. Values are read at each
// scrape; only round trips are counted as they happen.
type metrics struct {
	http.Handler
	roundTrip prometheus.Histogram
}

func newMetrics(cfg Config, sockets func() int) *metrics {
	m := &metrics{roundTrip: prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "mybot_websocket_round_trip_seconds",
		Help:    "Time from a WebSocket ping to its pong, over all pages.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
	})}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.roundTrip,
		newValues(cfg, sockets),
	)
	m.Handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry, MaxRequestsInFlight: 4, Timeout: 5 * time.Second})
	return m
}

// A gauge is one value and its source.
type gauge struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(snapshot) float64
}

// A snapshot is everything that one scrape reads.
type snapshot struct {
	state                                               robot.State
	truth                                               robot.Pose
	sockets                                             int
	healthy                                             bool
	users, sent, skipped, events, refusals, epoch, hold float64
}

// values is the collector of all gauges. It takes one snapshot per scrape, so that
// the numbers are consistent.
type values struct {
	cfg     Config
	sockets func() int
	server  []gauge // always there
	robot   []gauge // once there is a state
	base    []gauge // once the state describes a base at the end of a line
	truth   []gauge // with --truth
}

func newValues(cfg Config, sockets func() int) *values {
	const count, now = prometheus.CounterValue, prometheus.GaugeValue
	g := func(kind prometheus.ValueType, name, help string, of func(snapshot) float64) gauge {
		return gauge{prometheus.NewDesc("mybot_"+name, help, nil, nil), kind, of}
	}
	v := &values{cfg: cfg, sockets: sockets}
	v.server = []gauge{
		{prometheus.NewDesc("mybot_build_info", "Always 1; the build is its label.", nil, prometheus.Labels{"build": cfg.Build}), now, func(snapshot) float64 { return 1 }},
		g(now, "healthy", "1 while the control loop ticks.", func(s snapshot) float64 { return boolValue(s.healthy) }),
		g(now, "websockets", "Open WebSockets.", func(s snapshot) float64 { return float64(s.sockets) }),
		g(now, "channels", "Open data channels.", func(snapshot) float64 {
			if cfg.Channels == nil {
				return 0
			}
			return float64(cfg.Channels.CountChannels())
		}),
		g(now, "script_connections", "Open connections of programs to the port for scripts, and consoles of pages.", func(snapshot) float64 {
			if cfg.Console == nil {
				return 0
			}
			return float64(cfg.Console.countOpen())
		}),
		g(now, "users", "Connected users.", func(s snapshot) float64 { return s.users }),
		g(count, "states_sent_total", "States sent to pages.", func(s snapshot) float64 { return s.sent }),
		g(count, "states_skipped_total", "States that slow pages skipped.", func(s snapshot) float64 { return s.skipped }),
		g(count, "events_sent_total", "Results and events sent to pages.", func(s snapshot) float64 { return s.events }),
		g(count, "refusals_total", "Frames and commands that were refused.", func(s snapshot) float64 { return s.refusals }),
		g(now, "lease_epoch", "Number of the control lease.", func(s snapshot) float64 { return s.epoch }),
		g(now, "hold", "Number of the drive epoch, which is hold in the protocol.", func(s snapshot) float64 { return s.hold }),
	}
	v.robot = []gauge{
		g(now, "tick_period_seconds", "The control loop's nominal period.", func(s snapshot) float64 { return s.state.Tick.Period.Seconds() }),
		g(now, "tick_jitter_seconds", "99th percentile of |interval - period| over the last ten seconds.", func(s snapshot) float64 { return s.state.Tick.Jitter.Seconds() }),
		g(now, "tick_worst_seconds", "Largest |interval - period| over the last ten seconds.", func(s snapshot) float64 { return s.state.Tick.Worst.Seconds() }),
		g(count, "ticks_late_total", "Ticks that were more than one period late.", func(s snapshot) float64 { return float64(s.state.Tick.Late) }),
		g(now, "state_age_seconds", "Time since the newest state.", func(s snapshot) float64 { return time.Since(s.state.Time).Seconds() }),
		g(now, "stopped", "1 while the robot is stopped and latched.", func(s snapshot) float64 { return boolValue(s.state.Stop != nil) }),
		g(now, "bump", "1 while the bumper is pressed.", func(s snapshot) float64 { return boolValue(s.state.Bump) }),
		g(now, "speed_meters_per_second", "Measured forward speed.", func(s snapshot) float64 { return s.state.Twist.Linear }),
		g(now, "turn_radians_per_second", "Measured turning speed.", func(s snapshot) float64 { return s.state.Twist.Angular }),
		g(now, "nearest_meters", "Distance from the hull to the nearest echo.", func(s snapshot) float64 { return s.state.Nearest.Distance }),
		g(now, "position_deviation_meters", "Standard deviation of the position estimate along its longer axis.", func(s snapshot) float64 {
			major, _, _ := s.state.Estimate.Covariance.Position()
			return major
		}),
		g(now, "battery_charge_ratio", "Charge of the battery, 0 empty to 1 full.", func(s snapshot) float64 { return s.state.Battery.Charge }),
		g(now, "battery_volts", "Voltage of the battery.", func(s snapshot) float64 { return s.state.Battery.Volts }),
		g(now, "battery_charging", "1 while the battery is charging.", func(s snapshot) float64 { return boolValue(s.state.Battery.Charging) }),
	}
	v.base = []gauge{
		g(now, "base_up", "1 while readings of the base come.", func(s snapshot) float64 { return boolValue(s.state.Base.Up) }),
		g(count, "base_malformed_lines_total", "Lines of the base that could not be read.", func(s snapshot) float64 { return float64(s.state.Base.Malformed) }),
		g(count, "base_restarts_total", "How often the base was there again after it was gone or had restarted.", func(s snapshot) float64 { return float64(s.state.Base.Restarts) }),
		g(now, "base_round_trip_seconds", "Round trip of the newest ping to the base, 0 while it is not known.", func(s snapshot) float64 { return s.state.Base.RoundTrip.Seconds() }),
		g(now, "base_parts_gone", "Parts of a robot of several bases that are out of reach.", func(s snapshot) float64 { return float64(len(s.state.Base.Gone)) }),
	}
	v.truth = []gauge{
		g(now, "true_x_meters", "True x of the simulated robot in map.", func(s snapshot) float64 { return s.truth.X }),
		g(now, "true_y_meters", "True y of the simulated robot in map.", func(s snapshot) float64 { return s.truth.Y }),
		g(now, "true_theta_radians", "True heading of the simulated robot in map.", func(s snapshot) float64 { return s.truth.Theta }),
		g(now, "position_error_meters", "Distance between the estimated and the true position.", func(s snapshot) float64 {
			return s.state.Estimate.Pose.Point().Sub(s.truth.Point()).Norm()
		}),
	}
	return v
}

func boolValue(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Describe sends the descriptions of all values.
func (v *values) Describe(out chan<- *prometheus.Desc) {
	for _, list := range [][]gauge{v.server, v.robot, v.base, v.truth} {
		for _, g := range list {
			out <- g.desc
		}
	}
}

// Collect sends all available values.
func (v *values) Collect(out chan<- prometheus.Metric) {
	stats := v.cfg.Hub.Stats()
	s := snapshot{
		sockets:  v.sockets(),
		healthy:  v.cfg.Healthy(),
		users:    float64(stats.Users),
		sent:     float64(stats.StatesSent),
		skipped:  float64(stats.StatesSkipped),
		events:   float64(stats.Events),
		refusals: float64(stats.Refusals),
		epoch:    float64(stats.Epoch),
		hold:     float64(stats.DriveEpoch),
	}
	lists := [][]gauge{v.server}
	var known bool
	if s.state, known = v.cfg.State(); known {
		lists = append(lists, v.robot)
		if s.state.Base != nil {
			lists = append(lists, v.base)
		}
		if v.cfg.Truth != nil {
			s.truth = v.cfg.Truth()
			lists = append(lists, v.truth)
		}
	}
	for _, list := range lists {
		for _, g := range list {
			out <- prometheus.MustNewConstMetric(g.desc, g.kind, g.of(s))
		}
	}
}

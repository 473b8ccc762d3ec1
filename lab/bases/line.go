package bases

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"mybot/drivers/base"
	"mybot/lab/internal/experiment"
	"mybot/lab/internal/report"
	"mybot/lab/internal/stats"
	"mybot/robot"
)

// lineOutcome describes the arrival of readings over one transport.
type lineOutcome struct {
	Transport string  `json:"transport"`
	Rate      float64 `json:"hz"` // of the readings, according to the base's description
	Readings  int     `json:"readings"`
	GapP99    float64 `json:"gap_p99_ms"` // between readings
	GapMax    float64 `json:"gap_max_ms"`
	Stutters  int     `json:"stutters"` // the motors went to zero because no fresh drive line had arrived
}

type linesOutcome struct {
	Lines            []lineOutcome `json:"lines"`
	BitErrors        int           `json:"bit_errors"`
	ExecutedWrong    int           `json:"executed_wrong"`
	MalformedCounted bool          `json:"malformed_counted"`
	Malformed        int           `json:"malformed"` // readings that were damaged on a serial line
	Notes            []string      `json:"notes"`     // what was skipped, and why
	Late             float64       `json:"late_ms"`
	Seed             uint64        `json:"seed"`
}

func (o linesOutcome) String() string {
	var b strings.Builder
	b.WriteString("A base in a process of its own drives; each reading is answered by one drive line.\n\n")
	report.Table(&b, []string{"line|%-6s", "rate|%5.0f Hz", "gaps: p99|%10.1f ms", "longest|%9.1f ms", "stutters|%8d"}, o.Lines, func(l lineOutcome) []any {
		return []any{l.Transport, l.Rate, l.GapP99, l.GapMax, l.Stutters}
	})
	fmt.Fprintf(&b, "\nOf %d drive lines with a wrong bit %d were executed otherwise than they were sent.", o.BitErrors, o.ExecutedWrong)
	if o.Malformed > 0 {
		fmt.Fprintf(&b, " %d readings were changed on a serial line; that the driver counted all of them is %v.", o.Malformed, o.MalformedCounted)
	}
	for _, note := range o.Notes {
		fmt.Fprintf(&b, "\n%s", note)
	}
	fmt.Fprintf(&b, "\nThe computer itself woke sleepers up to %.0f ms late. Seed %d.", o.Late, o.Seed)
	return b.String()
}

// MeasureLines measures the readings of a base over each transport, and the effect of bit
// errors.
func MeasureLines(ctx context.Context, c experiment.Call) error {
	o := linesOutcome{Lines: []lineOutcome{}, Notes: []string{}}
	var lasts time.Duration
	if err := c.Parse(func(f *experiment.Flags) {
		f.DurationVar(&lasts, "for", 20*time.Second, "how long each transport is measured")
		f.Int(&o.BitErrors, "bit-errors", 100_000, 1, 10_000_000, "`how many` drive lines with a wrong bit")
		f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the bit errors")
	}); err != nil {
		return err
	}
	if lasts < time.Second || lasts > time.Hour {
		return c.Refuse("--for is %s; it must be from 1s to 1h", lasts)
	}
	if err := o.measure(ctx, lasts); err != nil {
		return fmt.Errorf("lab: line: %w", err)
	}
	return c.Print(o)
}

func (o *linesOutcome) measure(ctx context.Context, lasts time.Duration) (err error) {
	if o.ExecutedWrong, err = countWrongDrives(o.BitErrors, o.Seed); err != nil {
		return err
	}
	late := experiment.WatchLateness(ctx)
	defer func() { o.Late = stats.Milliseconds(late()) }()
	transports := []string{overTCP, overUnix, overPipe, overPTY}
	if _, err := exec.LookPath("socat"); err != nil {
		transports = transports[:3]
		o.Notes = append(o.Notes, fmt.Sprintf("There is no line over a pseudo terminal, and no readings were changed on one: %v.", err))
	}
	for _, transport := range transports {
		l, err := measureLine(ctx, transport, lasts)
		if err != nil {
			return fmt.Errorf("%s: %w", transport, err)
		}
		o.Lines = append(o.Lines, l)
		if transport == overPTY {
			if o.Malformed, o.MalformedCounted, err = countMalformed(ctx, lasts/2, o.Seed); err != nil {
				return err
			}
		}
	}
	return nil
}

// openSim starts the simulated base and opens its driver. dial replaces the way to open the
// line; nil = as the driver opens it.
func openSim(ctx context.Context, transport string, dial func(base.Dialer) base.Dialer) (*base.Driver, *realBase, error) {
	b, err := startSim(ctx, transport)
	if err != nil {
		return nil, nil, err
	}
	address, err := base.ParseAddress(b.address)
	if err != nil {
		b.stop()
		return nil, nil, err
	}
	log := slog.New(slog.DiscardHandler)
	config := base.Config{Address: address, Patience: startsWithin, Log: log}
	if dial != nil {
		config.Dial = dial(address.Dialer(log))
	}
	d, err := base.Open(ctx, config)
	if err != nil {
		b.stop()
	}
	return d, b, err
}

// measureLine drives a base over a transport for a time.
func measureLine(ctx context.Context, transport string, lasts time.Duration) (l lineOutcome, err error) {
	d, b, err := openSim(ctx, transport, nil)
	if err != nil {
		return l, err
	}
	defer b.stop()
	defer func() { _ = d.Close() }()
	var gaps []float64
	before := time.Time{}
	for end := time.Now().Add(lasts); time.Now().Before(end); {
		if _, err := d.Read(ctx); err != nil {
			return l, err
		}
		now := time.Now()
		if !before.IsZero() {
			gaps = append(gaps, stats.Milliseconds(now.Sub(before)))
		}
		before = now
		if err := d.Drive(robot.Twist{Linear: cruise}); err != nil {
			return l, err
		}
	}
	commands, err := b.motors.commands()
	if err != nil {
		return l, err
	}
	l = lineOutcome{Transport: transport, Rate: d.Describe().Rate, Readings: len(gaps) + 1, Stutters: countStutters(commands)}
	l.GapP99, l.GapMax = stats.Quantile(gaps, 0.99), stats.Quantile(gaps, 1)
	return l, nil
}

// countStutters returns how often the motors were at zero between two motions, or after the
// last one.
func countStutters(commands []command) (n int) {
	turned := false
	for _, c := range commands {
		turns := math.Abs(c.v) > resting
		stats.Count(&n, turned && !turns)
		turned = turns
	}
	return n
}

// countMalformed changes a bit in one of five lines from a serial line for a time, and reports
// whether the driver has counted each.
func countMalformed(ctx context.Context, lasts time.Duration, seed uint64) (changed int, counted bool, err error) {
	var noise atomic.Bool
	var flipped atomic.Int64
	chance := rand.New(rand.NewPCG(seed, 1))
	d, b, err := openSim(ctx, overPTY, func(dial base.Dialer) base.Dialer {
		return func(ctx context.Context) (base.Conn, error) {
			conn, err := dial(ctx)
			return &noisy{Conn: conn, on: &noise, flipped: &flipped, chance: chance}, err
		}
	})
	if err != nil {
		return 0, false, err
	}
	defer b.stop()
	defer func() { _ = d.Close() }()
	noise.Store(true)
	err = pause(ctx, lasts)
	noise.Store(false)
	if err != nil {
		return 0, false, err
	}
	changed = int(flipped.Load())
	for late := time.Now().Add(time.Second); !counted && time.Now().Before(late); { // the last ones may still be on the line
		counted = d.BaseLink().Malformed == uint64(changed) && changed > 0
		if err := pause(ctx, lookEvery); err != nil {
			return 0, false, err
		}
	}
	return changed, counted, nil
}

// One of oneOf lines is damaged.
const oneOf = 5

// within is the number of bytes at the beginning of a line in which the damage may be.
const within = 60

// A noisy line flips a bit in some of the lines that it delivers.
type noisy struct {
	base.Conn
	on      *atomic.Bool
	flipped *atomic.Int64
	chance  *rand.Rand
	place   int // in the current line
	hit     int // the place of its damage; -1 = none
}

// Read flips bits. It flips only the five low bits of a byte: that never makes a newline, nor
// another spelling of the same checksum.
func (n *noisy) Read(p []byte) (int, error) {
	got, err := n.Conn.Read(p)
	for i, c := range p[:got] {
		if c == '\n' {
			n.place = 0
			continue
		}
		if n.place == 0 {
			if n.hit = -1; n.on.Load() && n.chance.IntN(oneOf) == 0 {
				n.hit = n.chance.IntN(within)
			}
		}
		if n.place == n.hit {
			p[i] ^= 1 << n.chance.IntN(5)
			n.flipped.Add(1)
		}
		n.place++
	}
	return got, err
}

package media

import (
	"context"
	"math"
	"time"
)

// A Microphone is the sound around a simulated robot: its own motors, and what it
// says. The reading goroutine calls Speed and Speech.
type Microphone struct {
	Speed  func() (left, right float64)     // m/s of the wheels
	Speech func() (samples []int16, at int) // what the robot is saying, mono at 8 kHz, and the current position; nil = nothing

	due   time.Time
	motor [2]motor
}

// Read fills samples in real time.
func (e *Microphone) Read(ctx context.Context, samples []int16) error {
	now := time.Now()
	if e.due.IsZero() || now.Sub(e.due) > time.Second { // there was no listener for a while
		e.due = now
	}
	e.due = e.due.Add(time.Duration(len(samples)) * time.Second / SoundRate)
	late := time.NewTimer(e.due.Sub(now))
	defer late.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
	}
	said, at := e.Speech()
	left, right := e.Speed()
	for i := range samples {
		v := e.motor[0].nextSample(left) + e.motor[1].nextSample(right)
		if j := at + i; j >= 0 && j < len(said) {
			v += float64(said[j])
		}
		samples[i] = int16(math.Max(math.MinInt16, math.Min(math.MaxInt16, v)))
	}
	return nil
}

// A motor hums at a pitch proportional to its speed: the gear, and the commutator
// above it.
type motor struct{ phase, speed float64 }

// nextSample returns the next sample of a motor whose wheel moves at a speed in
// m/s.
func (m *motor) nextSample(speed float64) float64 {
	const (
		gear     = 260.0 // Hz a m/s
		loudness = 1300.0
		inertia  = 0.02 // s
	)
	m.speed += (math.Abs(speed) - m.speed) / (inertia * SoundRate)
	if m.speed < 0.005 {
		return 0
	}
	m.phase = math.Mod(m.phase+(40+gear*m.speed)/SoundRate, 1)
	a := 2 * math.Pi * m.phase
	return loudness * math.Min(1, 0.3+2*m.speed) * (0.6*math.Sin(a) + 0.3*math.Sin(3*a) + 0.2*math.Sin(7*a))
}

// ResampleVoice converts mono samples from a rate to 8 kHz: each result is the mean
// of the samples that it replaces, which is enough filtering for a voice.
func ResampleVoice(samples []int16, rate int) []int16 {
	if rate <= SoundRate {
		return samples
	}
	step := float64(rate) / SoundRate
	out := make([]int16, int(float64(len(samples))/step))
	for i := range out {
		from, to := int(float64(i)*step), min(len(samples), int(float64(i+1)*step+0.5))
		sum := 0
		for _, v := range samples[from:to] {
			sum += int(v)
		}
		out[i] = int16(sum / max(1, to-from))
	}
	return out
}

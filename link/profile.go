package link

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Profile describes a network. It applies to both directions, which have
// independent random numbers.
type Profile struct {
	RoundTrip time.Duration // mean; a message takes half of it
	Jitter    time.Duration // standard deviation of the round trip
	Loss      float64       // 0 to 1, of the packets in one direction
	Burst     time.Duration // mean duration of bursts of lost packets; 0 = independent losses
	StallMin  time.Duration // a stall blocks everything for StallMin to StallMax;
	StallMax  time.Duration // 0 = no stalls
	StallGap  time.Duration // mean time from one stall to the next
}

// PresetNames returns the names of the presets of ParseProfile.
func PresetNames() []string { return []string{"lan", "wifi", "wifi-bad", "lte", "kaist-davis", "sat"} }

// PresetName returns the name of the preset that equals the profile; "" = none.
func PresetName(p Profile) string {
	for _, name := range PresetNames() {
		if named, _ := presetOf(name); named == p {
			return name
		}
	}
	return ""
}

// presetOf returns the preset with the name. kaist-davis is the route of Han 2002,
// between Daejeon and Davis.
func presetOf(name string) (Profile, bool) {
	const ms = time.Millisecond
	switch name {
	case "lan":
		return Profile{RoundTrip: 1 * ms}, true
	case "wifi":
		return Profile{RoundTrip: 6 * ms, Jitter: 3 * ms, Loss: 0.001}, true
	case "wifi-bad":
		return Profile{RoundTrip: 40 * ms, Jitter: 25 * ms, Loss: 0.03, StallMin: 200 * ms, StallMax: 800 * ms, StallGap: 8 * time.Second}, true
	case "lte":
		return Profile{RoundTrip: 60 * ms, Jitter: 15 * ms, Loss: 0.003, StallMin: 50 * ms, StallMax: 250 * ms, StallGap: 20 * time.Second}, true
	case "kaist-davis":
		return Profile{RoundTrip: 310 * ms, Jitter: 40 * ms, Loss: 0.01}, true
	case "sat":
		return Profile{RoundTrip: 600 * ms, Jitter: 20 * ms, Loss: 0.005}, true
	}
	return Profile{}, false
}

const defaultStallGap = 10 * time.Second

// ParseProfile parses a profile such as
// "rtt=310ms,jitter=40ms,loss=1%,stall=0.2..0.8s", "lte", or a preset with changes,
// "lte,loss=5%". The setting every is the mean time between stalls, 10s by default.
func ParseProfile(text string) (Profile, error) {
	var p Profile
	seen := map[string]bool{}
	for i, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		key, value, setting := strings.Cut(word, "=")
		if !setting {
			named, ok := presetOf(word)
			if !ok || i > 0 {
				return Profile{}, fmt.Errorf("link: %q is not a network; it must be one of %s, or settings such as rtt=310ms,jitter=40ms,loss=1%%,stall=0.2..0.8s,every=10s",
					word, strings.Join(PresetNames(), ", "))
			}
			p = named
			continue
		}
		if seen[key] {
			return Profile{}, fmt.Errorf("link: %s is given twice; it must be given once", key)
		}
		seen[key] = true
		if err := p.setField(key, value); err != nil {
			return Profile{}, fmt.Errorf("link: %w", err)
		}
	}
	if p.StallMax > 0 && p.StallGap == 0 {
		p.StallGap = defaultStallGap
	}
	if p.StallMax == 0 {
		if seen["every"] && p.StallGap > 0 {
			return Profile{}, fmt.Errorf("link: every is how often the network stalls; it needs stall too, such as stall=0.2..0.8s")
		}
		p.StallGap = 0
	}
	if p.Loss == 0 {
		if seen["burst"] && p.Burst > 0 {
			return Profile{}, fmt.Errorf("link: burst says how long losses last; it needs loss, such as loss=5%%")
		}
		p.Burst = 0
	}
	return p, nil
}

func (p *Profile) setField(key, value string) (err error) {
	switch key {
	case "rtt":
		p.RoundTrip, err = parseRange(key, value, 0, 10*time.Second)
	case "jitter":
		p.Jitter, err = parseRange(key, value, 0, 5*time.Second)
	case "burst":
		p.Burst, err = parseRange(key, value, 0, time.Minute)
	case "every":
		p.StallGap, err = parseRange(key, value, 100*time.Millisecond, time.Hour)
	case "loss":
		number, percent := strings.CutSuffix(value, "%")
		v, bad := strconv.ParseFloat(number, 64)
		if bad != nil || !percent || !(v >= 0 && v <= 100) {
			return fmt.Errorf("the loss is %q; it must be from 0%% to 100%%, such as 5%%", value)
		}
		p.Loss = v / 100
	case "stall":
		low, high, ranged := strings.Cut(value, "..")
		if !ranged {
			high = low
		}
		unit := strings.TrimLeft(high, "0123456789.")
		if strings.TrimLeft(low, "0123456789.") == "" {
			low += unit
		}
		if p.StallMin, err = parseRange(key, low, 0, time.Minute); err != nil {
			return err
		}
		if p.StallMax, err = parseRange(key, high, 0, time.Minute); err != nil {
			return err
		}
		if p.StallMin > p.StallMax {
			return fmt.Errorf("the stall is %q; the shorter time must come first, such as 0.2..0.8s", value)
		}
	default:
		return fmt.Errorf("%q is not a setting; the settings are rtt, jitter, loss, burst, stall and every", key)
	}
	return err
}

func parseRange(key, value string, low, high time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < low || d > high {
		return 0, fmt.Errorf("the %s is %q; it must be a time from %v to %v, such as 40ms or 0.8s", titleOf(key), value, low, high)
	}
	return d, nil
}

// String returns the profile in the form of ParseProfile.
func (p Profile) String() string {
	s := "rtt=" + p.RoundTrip.String()
	if p.Jitter > 0 {
		s += ",jitter=" + p.Jitter.String()
	}
	if p.Loss > 0 {
		s += ",loss=" + strconv.FormatFloat(p.Loss*100, 'g', 12, 64) + "%"
	}
	if p.Burst > 0 {
		s += ",burst=" + p.Burst.String()
	}
	if p.StallMax > 0 {
		s += fmt.Sprintf(",stall=%v..%v,every=%v", p.StallMin, p.StallMax, p.StallGap)
	}
	return s
}

// titleOf returns the name of a setting in sentences.
func titleOf(key string) string {
	switch key {
	case "rtt":
		return "round trip (rtt)"
	case "every":
		return "time between stalls (every)"
	}
	return key
}

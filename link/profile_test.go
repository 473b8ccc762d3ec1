package link_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mybot/link"
)

func TestAProfileIsReadAsItIsWritten(t *testing.T) {
	const ms = time.Millisecond
	for text, want := range map[string]link.Profile{
		"rtt=310ms,jitter=40ms,loss=1%,stall=0.2..0.8s": {RoundTrip: 310 * ms, Jitter: 40 * ms, Loss: 0.01, StallMin: 200 * ms, StallMax: 800 * ms, StallGap: 10 * time.Second},
		"rtt=1s, loss=2.5%":                             {RoundTrip: time.Second, Loss: 0.025},
		"stall=50ms..1s,every=3s":                       {StallMin: 50 * ms, StallMax: time.Second, StallGap: 3 * time.Second},
		"stall=0.5s":                                    {StallMin: 500 * ms, StallMax: 500 * ms, StallGap: 10 * time.Second},
		"kaist-davis":                                   {RoundTrip: 310 * ms, Jitter: 40 * ms, Loss: 0.01},
		"kaist-davis,loss=5%":                           {RoundTrip: 310 * ms, Jitter: 40 * ms, Loss: 0.05},
		"wifi-bad,stall=0s":                             {RoundTrip: 40 * ms, Jitter: 25 * ms, Loss: 0.03},
		"lte,loss=5%,burst=0.4s":                        {RoundTrip: 60 * ms, Jitter: 15 * ms, Loss: 0.05, Burst: 400 * ms, StallMin: 50 * ms, StallMax: 250 * ms, StallGap: 20 * time.Second},
		"loss=5%,burst=0s":                              {Loss: 0.05},
		"rtt=0s":                                        {},
	} {
		got, err := link.ParseProfile(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestEveryPresetCanBeRead(t *testing.T) {
	for _, name := range link.PresetNames() {
		if p, err := link.ParseProfile(name); err != nil || p.RoundTrip == 0 {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

func TestABadProfileIsRefusedWithWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                   `"" is not a network; it must be one of lan, wifi, wifi-bad, lte, kaist-davis, sat, or settings such as rtt=310ms`,
		"dsl":                `"dsl" is not a network`,
		"rtt=1s,lan":         `"lan" is not a network`,
		"rtt=fast":           `the round trip (rtt) is "fast"; it must be a time from 0s to 10s, such as 40ms or 0.8s`,
		"rtt=310":            `the round trip (rtt) is "310"; it must be a time`,
		"rtt=-1s":            `the round trip (rtt) is "-1s"`,
		"rtt=1h":             `the round trip (rtt) is "1h"`,
		"jitter=6s":          `jitter is "6s"; it must be a time from 0s to 5s`,
		"loss=0.01":          `loss is "0.01"; it must be from 0% to 100%`,
		"loss=101%":          `loss is "101%"`,
		"loss=NaN%":          `loss is "NaN%"`,
		"stall=0.8..0.2s":    `stall is "0.8..0.2s"; the shorter time must come first`,
		"stall=..1s":         `stall is "s"`,
		"stall=1s,every=1ms": `the time between stalls (every) is "1ms"; it must be a time from 100ms to 1h0m0s`,
		"every=3s":           "every is how often the network stalls; it needs stall too",
		"burst=0.4s":         "burst says how long losses last; it needs loss, such as loss=5%",
		"loss=5%,burst=2m":   `the burst is "2m"; it must be a time from 0s to 1m0s`,
		"rtt=1s,rtt=2s":      "rtt is given twice",
		"bandwidth=1Mbit":    `"bandwidth" is not a setting; the settings are rtt, jitter, loss, burst, stall and every`,
	} {
		if _, err := link.ParseProfile(text); err == nil || !strings.HasPrefix(err.Error(), "link: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestAProfileThatIsWrittenCanBeReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		span := func(name string, most time.Duration) time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(most)).Draw(t, name))
		}
		p := link.Profile{
			RoundTrip: span("rtt", 10*time.Second), Jitter: span("jitter", 5*time.Second),
			Loss: float64(rapid.IntRange(0, 10_000).Draw(t, "loss")) / 10_000,
		}
		if p.Loss > 0 {
			p.Burst = span("burst", time.Minute)
		}
		if rapid.Bool().Draw(t, "stalls") {
			p.StallMax = 1 + span("stall", time.Minute-1)
			p.StallMin = span("shortest", p.StallMax)
			p.StallGap = 100*time.Millisecond + span("gap", time.Minute)
		}
		got, err := link.ParseProfile(p.String())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Loss-p.Loss) > 1e-12 {
			t.Fatalf("%s became %s", p, got)
		}
		got.Loss = p.Loss
		if got != p {
			t.Fatalf("%s became %s", p, got)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("wifi-bad,rtt=1s")
	f.Add("rtt=310ms,jitter=40ms,loss=1%,stall=0.2..0.8s,every=2s")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := link.ParseProfile(text)
		if err != nil {
			return
		}
		if !(p.Loss >= 0 && p.Loss <= 1) || p.RoundTrip < 0 || p.StallMin > p.StallMax {
			t.Fatalf("taken, but out of range: %+v", p)
		}
		if again, err := link.ParseProfile(p.String()); err != nil || again.RoundTrip != p.RoundTrip || again.StallMax != p.StallMax {
			t.Fatalf("%q is written as %q, which is read as %+v, %v", text, p, again, err)
		}
	})
}

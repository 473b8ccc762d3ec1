package video

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mybot/drivers/camera"
	"mybot/media/vp8"
	"mybot/robot"
)

func TestTheAgesOfPicturesAreToldAsShares(t *testing.T) {
	var s sights
	s.Width = 640
	for i := range 100 {
		s.Ages = append(s.Ages, float64(100-i))
		s.At = append(s.At, float64(i)*33)
	}
	s.At[50] += 10
	var r glassRow
	r.takeFrom(s, 4)
	if r.P50 != 50 || r.P95 != 95 || r.Rate != 25 || r.Freeze != 43 || r.Width != 640 {
		t.Errorf("%+v", r)
	}
	var none glassRow
	if none.takeFrom(sights{}, 4); none.Freeze != 4000 || none.Rate != 0 {
		t.Errorf("without a picture it is %+v", none)
	}
}

func TestANarrowLinkLetsThroughWhatItsRateAllows(t *testing.T) {
	const ms = time.Millisecond
	p := pipe{rate: 1_000_000, delay: 100 * ms, waits: 300 * ms}
	now := time.Unix(1000, 0)
	first, ok := p.arrivalTime(now, 1250) // 10 ms of it
	if !ok || first.Sub(now) != 110*ms {
		t.Fatalf("the first packet takes %v", first.Sub(now))
	}
	through := 1
	var last time.Time
	for range 100 {
		if at, ok := p.arrivalTime(now, 1250); ok {
			through++
			last = at
		}
	}
	if through != 31 || last.Sub(now) != 410*ms {
		t.Errorf("of a burst of 101 packets %d get through, the last after %v", through, last.Sub(now))
	}
	if at, ok := p.arrivalTime(now.Add(time.Second), 1250); !ok || at.Sub(now) != 1110*ms {
		t.Errorf("once it is empty a packet takes %v", at.Sub(now)-time.Second)
	}
}

// The bar code must be readable while the rest of the picture uses the full bitrate.
func TestABusyPictureFillsTheNetworkAndItsCodeIsStillRead(t *testing.T) {
	b := newBusy()
	defer b.Close()
	e, err := vp8.NewEncoder(640, 480, 900_000, pictureRate)
	if err != nil {
		t.Fatal(err)
	}
	var f, shown robot.Frame
	bits := 0
	const frames = 20
	for range frames {
		if err := b.Next(t.Context(), &f); err != nil {
			t.Fatal(err)
		}
		data, err := e.Encode(&f, false)
		if err != nil {
			t.Fatal(err)
		}
		bits += 8 * len(data)
		e.CopyShown(&shown)
		want, ok := camera.ReadCode(&f, 0)
		if got, read := camera.ReadCode(&shown, 0); !ok || !read || got != want {
			t.Fatalf("the code %d is read as %d, %v", want, got, read)
		}
	}
	if rate := bits * pictureRate / frames; rate < 800_000 || rate > 1_100_000 {
		t.Errorf("at 900 kbit/s the encoder makes %d bit/s", rate)
	}
}

func TestGlassIsToldInWordsAndJSON(t *testing.T) {
	o := glassOutcome{Seconds: 20, Load: "0.52", Rows: []glassRow{{Network: "rtt=310ms", Width: 640, Rate: 29.9, P50: 168.7, P95: 184.8}}, Drive: packetOutcome{Alone: 156, With: 157}}
	if s := o.String(); !strings.Contains(s, "168.7") || !strings.Contains(s, "29.9") || !strings.Contains(s, "156.0 ms without pictures") || !strings.Contains(s, "0.52") {
		t.Error(s)
	}
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"rows":[{"network":"rtt=310ms"`, `"p50_ms":168.7`, `"p99_with_video_ms":157`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s lacks %s", b, want)
		}
	}
	if _, _, err := commands.Run(t, "glass", "--for", "1ms"); err == nil || !strings.Contains(err.Error(), "must be from 1s to 10m") {
		t.Errorf("too short a time was answered with %v", err)
	}
}

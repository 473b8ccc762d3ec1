package handlers

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"mybot/recording"
)

// A projector plays back a recording of ten seconds.
type projector struct{ now recording.Playback }

func (p *projector) Playback() recording.Playback { return p.now }

func (p *projector) Control(o recording.PlaybackOrder) error {
	if o.At != nil {
		if *o.At > p.now.Length {
			return errors.New("the recording lasts 10.0 s")
		}
		p.now.At = *o.At
	}
	if o.Playing != nil {
		p.now.Playing = *o.Playing
	}
	if o.Speed != nil {
		p.now.Speed = *o.Speed
	}
	return nil
}

func TestOnlyWhoHasControlControlsARecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, lease, _, ask := drivenBy(t)
		shows := &projector{recording.Playback{Playing: true, Speed: 1, At: 3, Length: 10}}
		for _, c := range []struct {
			name, method, body string
			want               int
			told               string
		}{
			{"a robot", "GET", "", 404, "This is a robot"},
			{"a robot", "POST", "{}", 404, "This is a robot"},
			{"how it is shown", "GET", "", 200, `{"playing":true,"speed":1,"at":3,"length":10}`},
			{"a pause", "POST", fmt.Sprintf(`{"lease":%d,"playing":false}`, lease), 200, `{"playing":false,"speed":1,"at":3,"length":10}`},
			{"all at once", "POST", fmt.Sprintf(`{"lease":%d,"playing":true,"speed":4,"at":0}`, lease), 200, `{"playing":true,"speed":4,"at":0,"length":10}`},
			{"an old lease", "POST", fmt.Sprintf(`{"lease":%d,"at":5}`, lease-1), 409, "Control changed"},
			{"no lease", "POST", `{"at":5}`, 409, "Control changed"},
			{"beyond the end", "POST", fmt.Sprintf(`{"lease":%d,"at":50}`, lease), 400, "Nothing was changed: the recording lasts 10.0 s."},
			{"no number", "POST", fmt.Sprintf(`{"lease":%d,"at":"x"}`, lease), 400, "at"},
			{"a field too many", "POST", fmt.Sprintf(`{"lease":%d,"volume":3}`, lease), 400, "not known"},
			{"what was refused", "GET", "", 200, `{"playing":true,"speed":4,"at":0,"length":10}`},
		} {
			d.cfg.Player = nil
			if c.name != "a robot" {
				d.cfg.Player = shows
			}
			got := ask(c.method, playbackPath, c.body)
			text, err := io.ReadAll(got.Body)
			if err != nil || got.StatusCode != c.want || !strings.Contains(string(text), c.told) {
				t.Errorf("%s: it is answered %s: %s %v", c.name, got.Status, text, err)
			}
		}
	})
}

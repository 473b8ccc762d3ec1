package handlers

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"mybot/robot"
	"mybot/session"
)

// A parrot is a voice that returns what it was given.
type parrot struct{ mute bool }

func (p parrot) IsAloud() bool          { return !p.mute }
func (parrot) Voices() []string         { return []string{"en", "ko"} }
func (parrot) IsKept(voice string) bool { return voice == "sound:1" }
func (parrot) WAV(_ context.Context, sentence, voice string, speed float64) ([]byte, error) {
	switch {
	case voice == "xx":
		return nil, robot.Refusal{Word: robot.Error, Reason: `There is no voice "xx".`}
	case sentence == "broken":
		return nil, errors.New("voice: out of breath")
	case speed == 0.5:
		sentence += " slowly"
	}
	return []byte(sentence + " in " + voice), nil
}

func TestASentenceIsHeardAsTheRobotSaysIt(t *testing.T) {
	d := newTestServer(t, func(c *Config) { c.Voice = parrot{} })
	for _, c := range []struct {
		query  string
		status int
		says   string
	}{
		{"?text=Hello!&voice=en&speed=0.5", 200, "Hello! slowly in en"},
		{"?text=%EC%95%88%EB%85%95", 200, "안녕 in "},
		{"", 400, "no sentence"},
		{"?text=Hello!&speed=fast", 400, `"fast"`},
		{"?text=Hello!&voice=xx", 400, `no voice "xx"`},
		{"?text=broken", 500, "log says why"},
	} {
		got := d.ask("GET", "/api/v1/speech.wav"+c.query)
		if body := text(t, got); got.StatusCode != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%q is answered %s: %s", c.query, got.Status, body)
		}
		if sound := got.Header.Get("Content-Type") == "audio/wav"; sound != (c.status == http.StatusOK) {
			t.Errorf("%q: it is sound: %v", c.query, sound)
		}
	}
	part := d.ask("GET", "/api/v1/speech.wav?text=Hello!", with("Range", "bytes=0-4"))
	if body := text(t, part); part.StatusCode != http.StatusPartialContent || body != "Hello" {
		t.Errorf("a player that asks for a part gets %s: %q", part.Status, body)
	}
}

func TestWhoOnlyWatchesHasNothingSaidButHearsWhatIs(t *testing.T) {
	d := newTestServer(t, func(c *Config) { c.Voice = parrot{} })
	observer := as(d.paired(t, session.Observer))
	ask := func(query string) *http.Response {
		return d.ask("GET", "/api/v1/speech.wav?text=Hello!"+query, observer)
	}
	if got := ask(""); got.StatusCode != http.StatusForbidden {
		t.Errorf("a sentence of the observer's own is answered %s", got.Status)
	}
	d.state.Speech = &robot.Speech{Number: 1, Text: "Hello!", Voice: "ko", Speed: 0.5}
	for _, query := range []string{"", "&voice=ko", "&voice=ko&speed=0.5", "&speed=.5"} {
		if got := ask(query); got.StatusCode != http.StatusOK || text(t, got) != "Hello! slowly in ko" {
			t.Errorf("what the robot says is answered %s with %q", got.Status, query)
		}
	}
	for _, query := range []string{"&voice=en", "&voice=ko&speed=0.51", "&speed=1", "&voice=sound:1"} { // each would be synthesized again
		if got := ask(query); got.StatusCode != http.StatusForbidden {
			t.Errorf("what the robot says, but otherwise (%q), is answered %s", query, got.Status)
		}
	}
}

func TestARobotTellsWhatItSpeaksWith(t *testing.T) {
	for _, c := range []struct {
		voice Voice
		says  string
	}{{parrot{}, `{"aloud":true,"voices":["en","ko"]}`}, {parrot{mute: true}, `{"aloud":false,"voices":[]}`}, {nil, `{"aloud":false,"voices":[]}`}} {
		d := newTestServer(t, func(cfg *Config) { cfg.Voice = c.voice })
		if body := text(t, d.ask("GET", "/api/v1/voices")); strings.TrimSpace(body) != c.says {
			t.Errorf("it says %s, want %s", body, c.says)
		}
		if got := d.ask("GET", "/api/v1/speech.wav?text=Hello!"); !strings.HasPrefix(c.says, `{"aloud":true`) && got.StatusCode != http.StatusNotFound {
			t.Errorf("without a voice a sentence is answered %s", got.Status)
		}
		if got := d.ask("GET", "/api/v1/speech.wav?text=x&voice=sound:1"); c.voice != nil && got.StatusCode != http.StatusOK {
			t.Errorf("a sound that a program sent is answered %s", got.Status)
		}
	}
}

package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"mybot/robot"
	"mybot/session"
)

// A Voice synthesizes what the robot says: voice.Voice.
type Voice interface {
	IsAloud() bool
	// IsKept reports whether a voice is that of a sound that a program sent.
	IsKept(voice string) bool
	Voices() []string
	// WAV returns the sound of one sentence; speed 0 and voice "" are the defaults.
	// The error is a robot.Refusal if the request was wrong.
	WAV(ctx context.Context, sentence, voice string, speed float64) ([]byte, error)
}

const speechPath = "/api/v1/speech.wav"

// serveVoices lists the robot's voices.
func (h *Handler) serveVoices(w http.ResponseWriter, _ *http.Request) {
	voices := []string{}
	aloud := h.cfg.Voice != nil && h.cfg.Voice.IsAloud()
	if aloud {
		voices = h.cfg.Voice.Voices()
	}
	h.writeJSON(w, http.StatusOK, map[string]any{"aloud": aloud, "voices": voices})
}

// serveSpeech answers with a sentence in the robot's voice. Because every new
// sentence, voice and speed takes computing time, an observer can only fetch what the
// robot is saying, as the robot says it.
func (h *Handler) serveSpeech(w http.ResponseWriter, r *http.Request) {
	ask := r.URL.Query()
	if h.cfg.Voice == nil || !h.cfg.Voice.IsAloud() && !h.cfg.Voice.IsKept(ask.Get("voice")) {
		writeSentence(w, http.StatusNotFound, "This robot has no voice of its own: espeak-ng is not installed on its computer.")
		return
	}
	text, voice, speed := ask.Get("text"), ask.Get("voice"), 0.0
	if text == "" {
		writeSentence(w, http.StatusBadRequest, `The query names no sentence; it should be like "?text=Hello!&voice=en&speed=1".`)
		return
	}
	if s := ask.Get("speed"); s != "" {
		var err error
		if speed, err = strconv.ParseFloat(s, 64); err != nil {
			writeSentence(w, http.StatusBadRequest, fmt.Sprintf("The speed is %q; it should be a number like 1 or 0.8.", clipText(s)))
			return
		}
	}
	if callerOf(r).Role < session.Operator {
		now := h.findSpeech(text)
		if now == nil || voice != "" && voice != now.Voice || speed != 0 && speed != now.Speed {
			writeSentence(w, http.StatusForbidden, "The robot does not say this now, in this voice and at this speed. You are here as an observer; you hear what it says.")
			return
		}
		voice, speed = now.Voice, now.Speed
	}
	wav, err := h.cfg.Voice.WAV(r.Context(), text, voice, speed)
	if refusal := (robot.Refusal{}); errors.As(err, &refusal) {
		writeSentence(w, http.StatusBadRequest, refusal.Reason)
		return
	}
	if err != nil {
		if r.Context().Err() == nil {
			h.cfg.Log.Error("a sentence cannot be said", "error", err)
		}
		writeSentence(w, http.StatusInternalServerError, "The sentence cannot be said. The robot's log says why.")
		return
	}
	w.Header().Set("Content-Type", "audio/wav")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(wav))
}

// findSpeech returns what the robot says now, if that is the sentence; nil = it is not.
func (h *Handler) findSpeech(text string) *robot.Speech {
	s, ok := h.cfg.State()
	if !ok || s.Speech == nil || s.Speech.Text != text {
		return nil
	}
	return s.Speech
}

package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mybot/link"
	"mybot/media"
	"mybot/media/h264"
	"mybot/media/voice"
	"mybot/media/vp8"
	"mybot/robot"
	"mybot/session/protocol"
)

// pictureRate is the frame rate that the encoder is configured for, in 1/s.
const pictureRate = 30

// The encoders that ParseEncoder knows.
const (
	EncoderAuto = "auto" // OpenH264 if installed, otherwise our own VP8
	EncoderVP8  = "vp8"
	EncoderH264 = "h264"
)

// ParseEncoder parses the name of an encoder.
func ParseEncoder(name string) (string, error) {
	switch name {
	case EncoderAuto, EncoderVP8, EncoderH264:
		return name, nil
	}
	return "", fmt.Errorf("it is %q, but should be auto, vp8 or h264", name)
}

// NewEncoder creates an encoder of the camera's pictures, at bitrate bit/s; the
// name is as in ParseEncoder, "" means auto.
func NewEncoder(name string, width, height, bitrate int) (media.Encoder, error) {
	if name != EncoderVP8 {
		e, err := h264.NewEncoder(width, height, bitrate, pictureRate)
		if err == nil {
			return e, nil
		}
		if name == EncoderH264 || !errors.Is(err, h264.ErrAbsent) {
			return nil, err
		}
	}
	e, err := vp8.NewEncoder(width, height, bitrate, pictureRate)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// listEncoders returns the encoders of the camera's pictures, the preferred one first; the
// name is as in ParseEncoder. With auto every browser gets pictures: each shows VP8 (RFC
// 7742), but Firefox H.264 only after a download.
func listEncoders(name string) (list []media.NewEncoder) {
	names := []string{name}
	if name == EncoderAuto || name == "" {
		names = []string{EncoderAuto, EncoderVP8}
	}
	for _, name := range names {
		list = append(list, func(width, height, bitrate int) (media.Encoder, error) {
			return NewEncoder(name, width, height, bitrate)
		})
	}
	return list
}

// mediaOptions returns the options of the media port.
func (c Config) mediaOptions(network *link.Network, log *slog.Logger) media.Options {
	o := c.Media
	o.Network, o.Log = network, log
	return o
}

// listRelays returns the wire form of TURN servers.
func listRelays(known []media.Relay) []protocol.Relay {
	listed := make([]protocol.Relay, len(known))
	for i, r := range known {
		listed[i] = protocol.Relay(r)
	}
	return listed
}

// newBroadcaster returns the broadcaster of camera and sound; nil = the robot has
// neither camera nor sound, or there is no media port.
func newBroadcaster(cfg Config, port *media.Port, epoch time.Time, sound media.Sound, log *slog.Logger) (*media.Broadcaster, error) {
	if port == nil || cfg.Camera == nil && !cfg.Simulator {
		return nil, nil
	}
	config := media.Config{Port: port, Camera: cfg.Camera, Epoch: epoch, Log: log}
	config.Encoders = listEncoders(cfg.Encoder)
	if cfg.Simulator {
		config.Sound = sound
	}
	b, err := media.NewBroadcaster(config)
	if err == nil && cfg.Camera != nil {
		log.Info("the robot has a camera", "codecs", b.Codecs())
	}
	return b, err
}

// newMicrophone returns what is to be heard at a simulated robot, for one listener.
func (s *server) newMicrophone() *media.Microphone {
	speech := &speechSound{voice: s.voice, state: s.newestState}
	return &media.Microphone{
		Speech: speech.currentSamples,
		Speed: func() (left, right float64) {
			now, _ := s.newestState()
			half := now.Twist.Angular * s.desc.Drivetrain.WheelBase / 2
			return now.Twist.Linear - half, now.Twist.Linear + half
		},
	}
}

// speechSound is the sound of what the robot is saying. One goroutine calls
// currentSamples.
type speechSound struct {
	voice *voice.Voice
	state func() (robot.State, bool)
	last  uint64  // number of the last sentence
	sound []int16 // of that sentence
}

// knownSpeechTimeout is how long a sentence that was already synthesized may take.
const knownSpeechTimeout = 200 * time.Millisecond

// currentSamples returns the sentence that is being said, at 8 kHz, and the
// position in it.
func (s *speechSound) currentSamples() (samples []int16, at int) {
	state, ok := s.state()
	if !ok || state.Speech == nil || !state.Speech.Aloud {
		return nil, 0
	}
	speech := state.Speech
	if s.last != speech.Number {
		s.last, s.sound = speech.Number, s.makeSound(*speech)
	}
	return s.sound, int(state.Time.Sub(speech.At).Seconds() * media.SoundRate)
}

// makeSound returns the sound of a sentence; nil = it is not audible here, only at
// the robot's screen.
func (s *speechSound) makeSound(speech robot.Speech) []int16 {
	ctx, cancel := context.WithTimeout(context.Background(), knownSpeechTimeout)
	defer cancel()
	wav, err := s.voice.WAV(ctx, speech.Text, speech.Voice, speech.Speed)
	if err != nil {
		return nil
	}
	return media.ResampleVoice(voice.Samples(wav), voice.Rate)
}

package voice

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"

	"mybot/jobs"
)

// soundVoice begins the name of the voice of a sound that was added; a digest of the sound
// follows.
const soundVoice = "sound:"

// caption is the text of a sound, for screens.
const caption = "\u266a"

// Sample rates of sounds that can be added, in Hz, and their longest duration in s.
const (
	minRate    = 4000
	maxRate    = 96000
	maxSeconds = 60
)

// AddSound keeps a sound that a program has sent, so that the robot can play it like a
// sentence: WAV returns it for the voice. It is a WAV file with integers of 8 or 16 bits and
// one or two channels. Sounds share the memory of the sentences, and those that were not
// played for longest are dropped. The error is a robot.Refusal that says what is wrong.
func (v *Voice) AddSound(file []byte) (sentence jobs.Sentence, voice string, err error) {
	samples, err := convertSound(file)
	if err != nil {
		return sentence, "", err
	}
	wav := wavOf(samples, Rate)
	digest := sha256.Sum256(wav)
	s := soundOf(soundVoice + hex.EncodeToString(digest[:8]))
	v.keepSound(s, wav)
	return jobs.Sentence{Text: s.text, Duration: durationOf(wav)}, s.voice, nil
}

// IsKept reports whether a voice is that of a sound that was added and is still kept.
func (v *Voice) IsKept(voice string) bool {
	return isSound(voice) && v.findSound(soundOf(voice)) != nil
}

func isSound(voice string) bool { return strings.HasPrefix(voice, soundVoice) }

// soundOf returns the key of a sound.
func soundOf(voice string) sentence { return sentence{text: caption, voice: voice} }

// convertSound returns the samples of a WAV file as those of a sentence: Rate, 16 bit, mono.
func convertSound(file []byte) ([]byte, error) {
	f, data, err := parseWAV(file)
	switch {
	case err != nil:
		return nil, refuseText("The sound cannot be played: %v; it should be a WAV file.", err)
	case f.kind != 1 || f.bits != 8 && f.bits != 16 || f.channels != 1 && f.channels != 2 || f.rate < minRate || f.rate > maxRate:
		return nil, refuseText("The sound is a WAV file of format %d with %d channels, %d bits and %d Hz; it should have format 1 (integers), 1 or 2 channels, 8 or 16 bits, and %d to %d Hz.", f.kind, f.channels, f.bits, f.rate, minRate, maxRate)
	}
	width := f.channels * f.bits / 8
	n := len(data) / width
	if n == 0 || n > maxSeconds*f.rate {
		return nil, refuseText("The sound takes %.1f s; it should take more than 0 and at most %d s.", float64(n)/float64(f.rate), maxSeconds)
	}
	at := func(i int) (level float64) { // of all channels
		for c := range f.channels {
			if b := data[i*width+c*f.bits/8:]; f.bits == 8 {
				level += float64(int(b[0])-128) * 256
			} else {
				level += float64(int16(binary.LittleEndian.Uint16(b))) //nolint:gosec // it has a sign
			}
		}
		return level / float64(f.channels)
	}
	out := make([]byte, 0, sampleBytes*(n*Rate/f.rate+1))
	for k := 0; ; k++ {
		i, part := math.Modf(float64(k) * float64(f.rate) / Rate)
		if int(i) >= n {
			return out, nil
		}
		level := at(int(i))
		level += part * (at(min(int(i)+1, n-1)) - level)
		out = binary.LittleEndian.AppendUint16(out, uint16(int16(math.Round(level)))) //nolint:gosec // within 16 bits
	}
}

// errDropped says that a sound is no longer kept.
func errDropped() error {
	return refuseText("This sound is no longer kept. The robot keeps %d MiB of what it said last.", maxKept>>20)
}

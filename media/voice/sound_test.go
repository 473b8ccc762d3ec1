package voice

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"mybot/robot"
)

// toneOf returns a WAV file of one second of a tone of 200 Hz, with an odd chunk before it.
func toneOf(channels, bits, rate int) []byte {
	le := binary.LittleEndian
	var data []byte
	for i := range rate {
		level := 12000 * math.Sin(2*math.Pi*200*float64(i)/float64(rate))
		for range channels {
			if bits == 8 {
				data = append(data, byte(128+level/256))
			} else {
				data = le.AppendUint16(data, uint16(int16(level)))
			}
		}
	}
	out := le.AppendUint32([]byte("RIFF"), uint32(36+10+len(data)))
	out = append(out, "WAVELIST\x01\x00\x00\x00x\x00fmt \x10\x00\x00\x00"...)
	out = le.AppendUint16(le.AppendUint16(out, 1), uint16(channels))
	out = le.AppendUint32(le.AppendUint32(out, uint32(rate)), uint32(rate*channels*bits/8))
	out = le.AppendUint16(le.AppendUint16(out, uint16(channels*bits/8)), uint16(bits))
	return append(le.AppendUint32(append(out, "data"...), uint32(len(data))), data...)
}

func TestASoundIsPlayedAtTheRateOfTheVoice(t *testing.T) {
	for _, c := range []struct{ channels, bits, rate int }{{1, 16, 22050}, {2, 16, 44100}, {1, 8, 8000}, {2, 8, 11025}, {1, 16, 48000}} {
		v := NewSilent()
		one, name, err := v.AddSound(toneOf(c.channels, c.bits, c.rate))
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if off := one.Duration - time.Second; one.Text == "" || off < -time.Millisecond || off > time.Millisecond {
			t.Errorf("%+v: %+v", c, one)
		}
		wav, err := v.WAV(t.Context(), one.Text, name, 1)
		if err != nil || !v.IsKept(name) {
			t.Fatalf("%+v: %v, kept %v", c, err, v.IsKept(name))
		}
		worst, crossings, last := 0.0, 0, 0.0
		for i, s := range Samples(wav)[:Rate-4] { // at the end there is no sample to interpolate to
			worst = max(worst, math.Abs(float64(s)-12000*math.Sin(2*math.Pi*200*float64(i)/Rate)))
			if s := float64(s); s != 0 {
				if last*s < 0 {
					crossings++
				}
				last = s
			}
		}
		if limit := map[int]float64{8: 450, 16: 150}[c.bits]; worst > limit || crossings < 395 || crossings > 401 {
			t.Errorf("%+v: %d crossings of a tone of 200 Hz in a second, at most %.0f from it, limit %.0f", c, crossings, worst, limit)
		}
	}
}

func TestASoundThatCannotBePlayedIsRefusedWithTheReason(t *testing.T) {
	tone := toneOf(1, 16, 22050)
	short := append([]byte{}, tone[:54]...)
	for want, file := range map[string][]byte{
		"it is no WAV file":        []byte("abc"),
		"there is no sound in it":  tone[:40],
		"3 channels":               toneOf(3, 16, 8000),
		"24 bits":                  toneOf(1, 24, 8000),
		"2000 Hz":                  toneOf(1, 8, 2000),
		"it should take more than": short,
	} {
		_, _, err := NewSilent().AddSound(file)
		if no := (robot.Refusal{}); !errors.As(err, &no) || !strings.Contains(no.Reason, want) {
			t.Errorf("want %q, it is %v", want, err)
		}
	}
}

func TestASoundThatIsNoLongerKeptIsRefused(t *testing.T) {
	v := NewSilent()
	if _, err := v.WAV(t.Context(), caption, soundVoice+"0123456789abcdef", 1); err == nil || !strings.Contains(err.Error(), "no longer kept") {
		t.Errorf("it is answered %v", err)
	}
	if v.IsKept("en") || v.IsKept(soundVoice) {
		t.Error("what is no sound is kept")
	}
}

func FuzzASoundIsPlayedOrRefused(f *testing.F) {
	f.Add(toneOf(2, 8, 8000)[:400])
	f.Add([]byte("RIFF\x00\x00\x00\x00WAVEdata\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, file []byte) {
		one, _, err := NewSilent().AddSound(file)
		if (err == nil) != (one.Duration > 0) || one.Duration > maxSeconds*time.Second+time.Millisecond {
			t.Errorf("it takes %v, %v", one.Duration, err)
		}
	})
}

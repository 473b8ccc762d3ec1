package media

import (
	"math"
	"testing"
)

func TestMuLawKeepsWhatIsHeard(t *testing.T) {
	for x := math.MinInt16; x <= math.MaxInt16; x++ {
		heard := int(decodeMulaw(encodeMulaw(int16(x))))
		most := max(8, abs(x)/16) // half a step of 16 in an octave, and the 2 bits that it lacks
		if x < -32124 || x > 32124 {
			most = 1024 // beyond the last step
		}
		if abs(heard-x) > most {
			t.Fatalf("%d is decoded as %d", x, heard)
		}
	}
}

// The bytes are those of ITU-T G.711, table 2a: silence, the ends, and a step in
// the middle.
func TestMuLawIsWhatTheOthersSpeak(t *testing.T) {
	for b, want := range map[byte]int16{0xff: 0, 0x7f: 0, 0x80: 32124, 0x00: -32124, 0xf0: 120, 0xef: 132, 0xbf: 1980, 0xb0: 3900} {
		if got := decodeMulaw(b); got != want {
			t.Errorf("%#x is decoded as %d, want %d", b, got, want)
		}
	}
	for b := range 256 {
		if b == 0x7f {
			continue // the other silence
		}
		if got := encodeMulaw(decodeMulaw(byte(b))); got != byte(b) {
			t.Errorf("%#x comes back as %#x", b, got)
		}
	}
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}

// decodeMulaw returns the sample that a mu-law byte encodes.
func decodeMulaw(b byte) int16 {
	const bias = 33
	u := ^b
	x := (int(u&0x0f)<<1+bias)<<(u>>4&7) - bias
	if b&0x80 == 0 {
		x = -x
	}
	return int16(x << 2) //nolint:gosec // 14 bits and 2
}

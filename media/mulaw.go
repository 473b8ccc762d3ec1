package media

import "math/bits"

// encodeMulaw returns a sample as G.711 mu-law has it (ITU-T G.711, table 2a).
func encodeMulaw(sample int16) byte {
	const bias, most = 33, 8158 // of 14 bits
	x, sign := int(sample)>>2, byte(0x80)
	if x < 0 {
		x, sign = -x-1, 0
	}
	x = min(x, most) + bias
	segment := bits.Len(uint(x)) - 6
	return sign | ^(byte(segment)<<4|byte(x>>(segment+1))&0x0f)&0x7f
}

// decodeMulaw returns what a mu-law byte stands for.
func decodeMulaw(b byte) int16 {
	const bias = 33
	u := ^b
	x := (int(u&0x0f)<<1+bias)<<(u>>4&7) - bias
	if b&0x80 == 0 {
		x = -x
	}
	return int16(x << 2) //nolint:gosec // 14 bits and 2
}

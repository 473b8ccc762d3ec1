package media

import "math/bits"

// encodeMulaw encodes a sample as G.711 mu-law (ITU-T G.711, table 2a).
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

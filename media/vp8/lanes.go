package vp8

import "encoding/binary"

// Four pixels are processed at once, in the four 16-bit lanes of a uint64: without
// assembly, and the same on every processor.
const (
	laneOne  = 0x0001000100010001
	laneByte = 0x00ff00ff00ff00ff
	laneTop  = 0x8000800080008000
)

// loadLanes reads eight pixels.
func loadLanes(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// storeLanes writes eight pixels.
func storeLanes(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }

// lanesToBytes subtracts 64 from each lane, which is from 0 to 383, and clamps the
// result to 0 to 255.
func lanesToBytes(v uint64) uint64 {
	v += (0x8000 - 64) * laneOne // the top bit says that it is at least 64
	top := v & laneTop
	v &= top - top>>15
	over := v >> 8 & laneOne
	return (v | (over<<8 - over)) & laneByte
}

// clipPixel returns v as a pixel.
func clipPixel(v int32) byte { return byte(max(0, min(255, v))) }

// sumLanes adds up the four lanes.
func sumLanes(v uint64) int {
	return int(v&0xffff + v>>16&0xffff + v>>32&0xffff + v>>48)
}

// absDifferences returns, from two times eight pixels, the absolute differences of the
// even and of the odd ones, each 256 too large.
func absDifferences(p, q uint64) (even, odd uint64) {
	const bias = 0x100 * laneOne
	even = (p&laneByte | bias) - q&laneByte
	odd = (p>>8&laneByte | bias) - q>>8&laneByte
	below := ^(even >> 8) & laneOne
	even = (even ^ (below<<9 - below)) + below
	below = ^(odd >> 8) & laneOne
	odd = (odd ^ (below<<9 - below)) + below
	return even, odd
}

// sad16 returns the sum of absolute differences of two blocks of 16 x 16 pixels. It
// stops half-way if that half exceeds enough.
func sad16(a []byte, strideA int, b []byte, strideB, enough int) int {
	half := sad16x8(a, strideA, b, strideB)
	if half > enough {
		return half
	}
	return half + sad16x8(a[8*strideA:], strideA, b[8*strideB:], strideB)
}

func sad16x8(a []byte, strideA int, b []byte, strideB int) int {
	var sum uint64
	for y := range 8 {
		rowA, rowB := a[y*strideA:][:16], b[y*strideB:][:16]
		even, odd := absDifferences(loadLanes(rowA), loadLanes(rowB))
		sum += even + odd
		even, odd = absDifferences(loadLanes(rowA[8:]), loadLanes(rowB[8:]))
		sum += even + odd
	}
	return sumLanes(sum) - 8*16*256
}

// sad8 is the same for 8 x 8 pixels.
func sad8(a []byte, strideA int, b []byte, strideB int) int {
	var sum uint64
	for y := range 8 {
		even, odd := absDifferences(loadLanes(a[y*strideA:]), loadLanes(b[y*strideB:]))
		sum += even + odd
	}
	return sumLanes(sum) - 8*8*256
}

// blockDifferences returns, for two neighbouring blocks of 4 x 4 pixels, the sums of a
// minus b and of the absolute differences.
func blockDifferences(a []byte, strideA int, b []byte, strideB int) (sums, apartness [2]int) {
	var sumA, sumB, off uint64
	for y := range 4 {
		p, q := loadLanes(a[y*strideA:]), loadLanes(b[y*strideB:])
		even, odd := absDifferences(p, q)
		off += even + odd
		sumA += p&laneByte + p>>8&laneByte
		sumB += q&laneByte + q>>8&laneByte
	}
	for i := range 2 {
		apartness[i] = int(off&0xffff+off>>16&0xffff) - 4*4*256
		sums[i] = int(sumA&0xffff+sumA>>16&0xffff) - int(sumB&0xffff+sumB>>16&0xffff)
		off, sumA, sumB = off>>32, sumA>>32, sumB>>32
	}
	return sums, apartness
}

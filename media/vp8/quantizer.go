package vp8

// A scale is the quantization of one kind of block: of the first value, which is
// the mean, and of the others.
type scale struct {
	step    [16]int32
	inverse [16]int32 // 65536/step
	round   [16]int32 // added before the division; less than half a step, because zeros are cheap
	flat    int       // a block this close to its prediction is zero except for its mean
}

// A quantizer is the scales of one index, 0 (finest) to 127.
type quantizer struct {
	luma, means, chroma scale
}

func newQuantizer(index int) quantizer {
	mean, other := int32(meanSteps[index]), int32(steps[index])
	return quantizer{
		luma:   newScale(mean, other),
		means:  newScale(2*mean, max(8, other*155/100)),
		chroma: newScale(int32(meanSteps[min(index, 117)]), other),
	}
}

func newScale(mean, other int32) scale {
	var s scale
	for i := range 16 {
		step, round := other, other*3/16
		if i == 0 {
			step, round = mean, mean*5/16
		}
		s.step[i], s.inverse[i], s.round[i] = step, 65536/step, round
	}
	// No coefficient except the mean weighs a pixel by more than 0.854.
	s.flat = int(float64(other-s.round[1])/0.854) - 2
	return s
}

// zigzag is the order of encoded coefficients.
var zigzag = [16]uint8{0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15}

// quantize rounds the coefficients from first on to what a decoder will have,
// stores the levels in l in encoding order, and returns the index after the last
// non-zero one, 0 if there is none.
func (s *scale) quantize(c *coefficients, l *[16]int16, first int) int {
	end := 0
	*l = [16]int16{}
	for i := first; i < 16; i++ {
		z := zigzag[i]
		v := int32(c[z])
		a := v
		if a < 0 {
			a = -a
		}
		n := min(((a+s.round[z])*s.inverse[z])>>16, 2047)
		if n == 0 {
			c[z] = 0
			continue
		}
		if v < 0 {
			n = -n
		}
		l[i] = int16(n)
		c[z] = int16(n * s.step[z])
		end = i + 1
	}
	return end
}

// quantizeMean does the same for the mean alone.
func (s *scale) quantizeMean(c *coefficients, l *[16]int16) int {
	v := int32(c[0])
	n := min((max(v, -v)+s.round[0])*s.inverse[0]>>16, 2047)
	if n == 0 {
		c[0] = 0
		return 0
	}
	if v < 0 {
		n = -n
	}
	*l = [16]int16{int16(n)}
	c[0] = int16(n * s.step[0])
	return 1
}

package vp8

// coefficients is a block of 4 x 4 values, row by row; the first is the mean.
type coefficients [16]int16

// forward transforms the difference between 4 x 4 pixels of src and their
// prediction.
func (c *coefficients) forward(src []byte, srcStride int, pred []byte, predStride int) {
	var t [16]int32
	for i := range 4 {
		s, p := src[i*srcStride:][:4], pred[i*predStride:][:4]
		d0, d1 := int32(s[0])-int32(p[0]), int32(s[1])-int32(p[1])
		d2, d3 := int32(s[2])-int32(p[2]), int32(s[3])-int32(p[3])
		a, b, e, f := (d0+d3)*8, (d1+d2)*8, (d1-d2)*8, (d0-d3)*8
		t[i*4], t[i*4+2] = a+b, a-b
		t[i*4+1] = (e*2217 + f*5352 + 14500) >> 12
		t[i*4+3] = (f*2217 - e*5352 + 7500) >> 12
	}
	for i := range 4 {
		a, b, e, f := t[i]+t[12+i], t[4+i]+t[8+i], t[4+i]-t[8+i], t[i]-t[12+i]
		c[i] = int16((a + b + 7) >> 4)
		c[8+i] = int16((a - b + 7) >> 4)
		x := (e*2217 + f*5352 + 12000) >> 16
		if f != 0 {
			x++
		}
		c[4+i] = int16(x)
		c[12+i] = int16((f*2217 - e*5352 + 51000) >> 16)
	}
}

// meanOf returns the mean of a block from the sum of its differences, as forward
// does.
func meanOf(sum int) int16 { return int16((8*sum + 7) >> 4) }

// addTo transforms back and adds the result to the 4 x 4 pixels at dst, as a
// decoder does (RFC 6386, section 14.3).
func (c *coefficients) addTo(dst []byte, stride int) {
	const cos, sin = 85627, 35468 // sqrt(2) times cos and sin of 22.5 degrees, times 65536
	var m [16]int32
	for i := range 4 {
		c0, c1, c2, c3 := int32(c[i]), int32(c[4+i]), int32(c[8+i]), int32(c[12+i])
		a, b := c0+c2, c0-c2
		e := (c1*sin)>>16 - (c3*cos)>>16
		f := (c1*cos)>>16 + (c3*sin)>>16
		m[i*4], m[i*4+1], m[i*4+2], m[i*4+3] = a+f, b+e, b-e, a-f
	}
	for j := range 4 {
		mean := m[j] + 4
		a, b := mean+m[8+j], mean-m[8+j]
		e := (m[4+j]*sin)>>16 - (m[12+j]*cos)>>16
		f := (m[4+j]*cos)>>16 + (m[12+j]*sin)>>16
		r := dst[j*stride:][:4]
		r[0] = clipPixel(int32(r[0]) + (a+f)>>3)
		r[1] = clipPixel(int32(r[1]) + (b+e)>>3)
		r[2] = clipPixel(int32(r[2]) + (b-e)>>3)
		r[3] = clipPixel(int32(r[3]) + (a-f)>>3)
	}
}

// addMean is addTo for a block in which only the mean is not zero.
func addMean(mean int16, dst []byte, stride int) {
	d := (int32(mean) + 4) >> 3
	if d == 0 {
		return
	}
	for j := range 4 {
		r := dst[j*stride:][:4]
		r[0], r[1] = clipPixel(int32(r[0])+d), clipPixel(int32(r[1])+d)
		r[2], r[3] = clipPixel(int32(r[2])+d), clipPixel(int32(r[3])+d)
	}
}

// forwardMeans transforms the means of the 16 blocks of a macroblock.
func (c *coefficients) forwardMeans(means *[16]int16) {
	var t [16]int32
	for i := range 4 {
		m0, m1, m2, m3 := int32(means[i*4]), int32(means[i*4+1]), int32(means[i*4+2]), int32(means[i*4+3])
		a, d, e, b := (m0+m2)*4, (m1+m3)*4, (m1-m3)*4, (m0-m2)*4
		t[i*4] = a + d
		if a != 0 {
			t[i*4]++
		}
		t[i*4+1], t[i*4+2], t[i*4+3] = b+e, b-e, a-d
	}
	eighth := func(v int32) int16 {
		if v < 0 {
			v++
		}
		return int16((v + 3) >> 3)
	}
	for i := range 4 {
		a, d, e, b := t[i]+t[8+i], t[4+i]+t[12+i], t[4+i]-t[12+i], t[i]-t[8+i]
		c[i], c[4+i], c[8+i], c[12+i] = eighth(a+d), eighth(b+e), eighth(b-e), eighth(a-d)
	}
}

// means transforms back to the means of the 16 blocks of a macroblock, as a
// decoder does (RFC 6386, section 14.3).
func (c *coefficients) means(means *[16]int16) {
	var m [16]int32
	for i := range 4 {
		c0, c1, c2, c3 := int32(c[i]), int32(c[4+i]), int32(c[8+i]), int32(c[12+i])
		a0, a1, a2, a3 := c0+c3, c1+c2, c1-c2, c0-c3
		m[i], m[8+i], m[4+i], m[12+i] = a0+a1, a0-a1, a3+a2, a3-a2
	}
	for i := range 4 {
		mean := m[i*4] + 3
		a0, a1, a2, a3 := mean+m[i*4+3], m[i*4+1]+m[i*4+2], m[i*4+1]-m[i*4+2], mean-m[i*4+3]
		means[i*4], means[i*4+1] = int16((a0+a1)>>3), int16((a3+a2)>>3)
		means[i*4+2], means[i*4+3] = int16((a0-a1)>>3), int16((a3-a2)>>3)
	}
}

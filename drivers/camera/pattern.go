package camera

import (
	"context"
	"time"

	"mybot/robot"
)

const (
	patternWidth  = 640
	patternHeight = 480
	patternRate   = 30 // pictures per second
)

// Pattern is a moving test picture: colour bars, a sweeping hand, a clock, and two bar codes
// (writeCode) from which a program can compute the age of the picture: row 0 contains the
// time at which it was taken (timeCode), row 1 its number, from 0.
type Pattern struct {
	lid
	width, height int
	pace          pace
	number        uint32
}

// NewPattern returns a test picture of a size in pixels. It rounds the size down to even
// numbers and up to at least 160 by 120.
func NewPattern(width, height int) *Pattern {
	return &Pattern{lid: newLid(), width: max(160, width&^1), height: max(120, height&^1), pace: pace{every: time.Second / patternRate}}
}

// Next implements robot.Camera: it paints the next picture, 30 per second.
func (p *Pattern) Next(ctx context.Context, f *robot.Frame) error {
	now, err := p.pace.awaitPicture(ctx, p.closed)
	if err != nil {
		return err
	}
	f.Resize(p.width, p.height)
	f.Taken, f.Head = now, robot.HeadAngles{}
	p.paintPattern(f, now)
	writeCode(f, 0, timeCode(now))
	writeCode(f, 1, p.number)
	p.number++
	return nil
}

// Close ends Next.
func (p *Pattern) Close() error {
	p.closeOnce()
	return nil
}

// paintPattern draws everything except the bar codes.
func (p *Pattern) paintPattern(f *robot.Frame, now time.Time) {
	// White, yellow, cyan, green, magenta, red, blue, black at 75 %.
	bars := [8][3]byte{{180, 128, 128}, {162, 44, 142}, {131, 156, 44}, {112, 72, 58}, {84, 184, 198}, {65, 100, 212}, {35, 212, 114}, {16, 128, 128}}
	middle := p.height * 5 / 8 &^ 1
	for i, c := range bars {
		fillRectangle(f, p.width*i/8, 0, p.width*(i+1)/8, middle, c)
	}
	for x := 0; x < p.width; x += 2 { // a ramp from black to white
		fillRectangle(f, x, middle, x+2, p.height, [3]byte{byte(16 + 219*x/p.width), 128, 128})
	}
	at := int(p.number) * 4 % p.width &^ 1
	fillRectangle(f, at, 0, at+8, middle, [3]byte{235, 128, 128})
	fillRectangle(f, at+8, 0, at+12, middle, [3]byte{16, 128, 128})

	h, s := p.height/10&^1, now.UTC()
	digits := [...]int{s.Hour() / 10, s.Hour() % 10, s.Minute() / 10, s.Minute() % 10, s.Second() / 10, s.Second() % 10, s.Nanosecond() / 1e8, s.Nanosecond() / 1e7 % 10}
	x, y := p.width/2-h*3, middle+h/2
	fillRectangle(f, x-h/2, y-h/4, x+h*6+h/2, y+h+h/4, [3]byte{16, 128, 128})
	for i, d := range digits {
		paintDigit(f, x, y, h, d)
		if x += h * 5 / 8; i%2 == 1 {
			x += h / 3
		}
	}
}

// fillRectangle paints the rectangle from (x0, y0) up to but not including (x1, y1), clipped
// to the picture. c is a colour in Y, U and V.
func fillRectangle(f *robot.Frame, x0, y0, x1, y1 int, c [3]byte) {
	x0, x1 = max(0, x0), min(f.Width, x1)
	y0, y1 = max(0, y0), min(f.Height, y1)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			f.Y[y*f.Width+x] = c[0]
		}
	}
	for y := y0 / 2; y < (y1+1)/2; y++ {
		for x := x0 / 2; x < (x1+1)/2; x++ {
			f.U[y*f.Width/2+x], f.V[y*f.Width/2+x] = c[1], c[2]
		}
	}
}

// paintDigit paints a seven-segment digit, h pixels high.
func paintDigit(f *robot.Frame, x, y, h, d int) {
	lit := [10]byte{0b1110111, 0b0100100, 0b1011101, 0b1101101, 0b0101110, 0b1101011, 0b1111011, 0b0100101, 0b1111111, 0b1101111}[d]
	w, t := h/2, max(2, h/8)
	for i, s := range [7][4]int{
		{0, 0, w, t}, {0, 0, t, h / 2}, {w - t, 0, w, h / 2}, // top, upper left, upper right
		{0, h/2 - t/2, w, h/2 + t - t/2},                         // middle
		{0, h / 2, t, h}, {w - t, h / 2, w, h}, {0, h - t, w, h}, // lower left, lower right, bottom
	} {
		if lit>>i&1 == 1 {
			fillRectangle(f, x+s[0], y+s[1], x+s[2], y+s[3], [3]byte{235, 128, 128})
		}
	}
}

// A bar code is a row of black (0) or white (1) cells across the whole picture, each
// Width/codeCells wide and codeRows pixels high. Row 0 is at the bottom of the picture, row
// 1 above it.
const (
	codeCells = 40
	codeRows  = 24 // pixels, for pictures with 480 rows; in proportion for others
)

// writeCode writes a number as a bar code into row 0 or 1 of a picture. From the left, the
// cells are: 1 0 1 0 as a brightness reference; the 32 bits of the number, most significant
// first; and a checksum of 4 bits, the exclusive or of the number's eight groups of 4 bits
// and 0b1001. A reader compares the brightness at the middle of each cell with the mean of
// the first four.
func writeCode(f *robot.Frame, row int, value uint32) {
	cells := uint64(0b1010)<<36 | uint64(value)<<4 | uint64(codeCheck(value))
	high := codeHeight(f)
	bottom := f.Height - row*high
	for i := range codeCells {
		c := [3]byte{16, 128, 128}
		if cells>>(codeCells-1-i)&1 == 1 {
			c[0] = 235
		}
		fillRectangle(f, f.Width*i/codeCells, bottom-high, f.Width*(i+1)/codeCells, bottom, c)
	}
}

// ReadCode reads a code that writeCode wrote; ok is false if there is no readable code.
func ReadCode(f *robot.Frame, row int) (value uint32, ok bool) {
	high := codeHeight(f)
	y := f.Height - row*high - high/2
	at := func(i int) int { return int(f.Y[y*f.Width+(2*i+1)*f.Width/(2*codeCells)]) }
	mean := (at(0) + at(1) + at(2) + at(3)) / 4
	var cells uint64
	for i := range codeCells {
		cells <<= 1
		if at(i) > mean {
			cells |= 1
		}
	}
	value = uint32(cells >> 4)
	return value, cells>>36 == 0b1010 && uint32(cells&15) == codeCheck(value)
}

// timeCode returns the bar-code number of a time: tenths of a millisecond since 1970 UTC,
// modulo 1 << 32.
func timeCode(t time.Time) uint32 { return uint32(t.UnixMicro() / 100) }

func codeHeight(f *robot.Frame) int { return max(2, codeRows*f.Height/480&^1) }

func codeCheck(v uint32) uint32 {
	v ^= v >> 16
	v ^= v >> 8
	v ^= v >> 4
	return v&15 ^ 0b1001
}

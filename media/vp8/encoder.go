package vp8

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"mybot/robot"
)

// The limits of an encoder; sizes are in pixels.
const (
	smallest  = 16
	widest    = 1920
	highest   = 1080
	slowest   = 1000      // bit/s
	fastest   = 100000000 // bit/s
	keyFrames = 2         // at the beginning
)

// ErrClosed says that the encoder is closed.
var ErrClosed = errors.New("vp8: the encoder is closed")

// An Encoder encodes pictures of one size as VP8.
type Encoder struct {
	width, height int // pixels
	columns, rows int // macroblocks
	rate          rate
	frames        int // encoded so far
	closed        bool

	// The current frame.
	key       bool
	index     int // of the quantizer
	quantizer quantizer
	price     int // cost of a new motion vector, in units of pixel differences
	source    picture
	padded    *picture // source padded to whole macroblocks; nil if no padding is needed
	blocks    []block  // one row and one column more than the picture, see blockAt
	above     []around9
	rowTokens [][]token
	coders    [2]coder
	ready     []chan struct{} // by row; one for each finished group of macroblocks
	code      func()          // work of the second goroutine: every second row,
	polish    func()          // and the work after the last row
	wait      sync.WaitGroup

	current, last *picture // reconstructed
	before        []vector // motion vectors of the previous frame
	probs, saved  tokenProbs
	header, body  boolWriter
	out           []byte
	bits          [257]uint16 // cost of a bit by its probability, in 1/256 bits
}

// NewEncoder returns an encoder for pictures of width x height pixels, both even
// and from 16x16 to 1920x1080, at a bitrate of 1000 to 100 million bit/s, and 1 to
// 240 frames a second, which matters only for the bitrate.
func NewEncoder(width, height int, bitrate int, fps float64) (*Encoder, error) {
	switch {
	case width < smallest || height < smallest || width > widest || height > highest || width%2 != 0 || height%2 != 0:
		return nil, fmt.Errorf("vp8: a picture of %d x %d pixels; both must be even, from %d x %d to %d x %d", width, height, smallest, smallest, widest, highest)
	case bitrate < slowest || bitrate > fastest:
		return nil, fmt.Errorf("vp8: a bitrate of %d bit/s; it must be from %d to %d", bitrate, slowest, fastest)
	case !(fps >= 1 && fps <= 240):
		return nil, fmt.Errorf("vp8: %v frames a second; it must be from 1 to 240", fps)
	}
	columns, rows := (width+15)/16, (height+15)/16
	e := &Encoder{
		width: width, height: height, columns: columns, rows: rows,
		rate:    newRate(bitrate, fps, width*height),
		blocks:  make([]block, (columns+1)*(rows+1)),
		above:   make([]around9, columns),
		current: newPicture(columns, rows), last: newPicture(columns, rows),
		before:    make([]vector, columns*rows),
		rowTokens: make([][]token, rows),
		ready:     make([]chan struct{}, rows),
	}
	if width%16 != 0 || height%16 != 0 {
		e.padded = newPicture(columns, rows)
	}
	for i := range e.ready {
		e.ready[i] = make(chan struct{}, e.countGroups())
	}
	for i := range e.coders {
		e.coders[i].Encoder = e
	}
	e.code = func() {
		e.coders[1].codeRows(1)
		e.wait.Done()
	}
	e.polish = func() {
		e.smoothPicture(filterLevel(e.index))
		e.current.extendBorders()
		e.wait.Done()
	}
	e.bits[0] = 9 * 256
	for i := 1; i < len(e.bits); i++ {
		e.bits[i] = uint16(math.Round(-256 * math.Log2(float64(i)/256)))
	}
	return e, nil
}

// MimeType returns the codec's name in an offer.
func (e *Encoder) MimeType() string { return "video/VP8" }

// SetBitrate sets the bitrate, in bit/s, from the next frame on. It is clamped to
// the limits of NewEncoder.
func (e *Encoder) SetBitrate(bitrate int) {
	e.rate.bitrate = float64(max(slowest, min(fastest, bitrate)))
}

// Close ends the use of the encoder, which holds nothing but memory.
func (e *Encoder) Close() error {
	e.closed = true
	return nil
}

// Encode returns a picture as a VP8 frame, which is valid until the next call; with
// key, one that can be decoded without earlier ones. The picture must have the
// encoder's size. Encode reads it only until it returns.
func (e *Encoder) Encode(f *robot.Frame, key bool) ([]byte, error) {
	switch n := e.width * e.height; {
	case e.closed:
		return nil, ErrClosed
	case f.Width != e.width || f.Height != e.height:
		return nil, fmt.Errorf("vp8: a picture of %d x %d pixels for an encoder of %d x %d", f.Width, f.Height, e.width, e.height)
	case len(f.Y) != n || len(f.U) != n/4 || len(f.V) != n/4:
		return nil, fmt.Errorf("vp8: planes of %d, %d and %d bytes; for %d x %d pixels they have %d, %d and %d", len(f.Y), len(f.U), len(f.V), e.width, e.height, n, n/4, n/4)
	}
	e.key = key || e.frames < keyFrames
	e.frames++
	if !e.key && e.rate.isHopeless() {
		e.repeatFrame()
		e.rate.noteRepeat(8 * len(e.out))
		return e.out, nil
	}
	e.takeSource(f)
	e.index = e.rate.chooseIndex(e.key)
	e.saved = e.probs
	e.encodeSource()
	for again := true; again; {
		var index int
		if index, again = e.rate.coarserIndex(e.index, 8*len(e.out)); again {
			e.index, e.probs = index, e.saved
			e.encodeSource()
		}
	}
	e.rate.noteFrame(e.key, e.index, 8*len(e.out))
	e.current, e.last = e.last, e.current
	return e.out, nil
}

// CopyShown copies what a decoder shows after the newest frame into f, for
// measurements.
func (e *Encoder) CopyShown(f *robot.Frame) {
	f.Resize(e.width, e.height)
	e.last.y.copyOut(f.Y, e.width)
	e.last.u.copyOut(f.U, e.width/2)
	e.last.v.copyOut(f.V, e.width/2)
}

// takeSource makes f the source.
func (e *Encoder) takeSource(f *robot.Frame) {
	if e.padded != nil {
		e.padded.y.copyIn(f.Y, f.Width, f.Height)
		e.padded.u.copyIn(f.U, f.Width/2, f.Height/2)
		e.padded.v.copyIn(f.V, f.Width/2, f.Height/2)
		e.source = *e.padded
		return
	}
	of := func(pix []byte, width, height int) plane {
		return plane{width: width, height: height, stride: width, pix: pix}
	}
	e.source = picture{of(f.Y, f.Width, f.Height), of(f.U, f.Width/2, f.Height/2), of(f.V, f.Width/2, f.Height/2)}
}

// encodeSource encodes the source with the quantizer index into out and current.
// Both goroutines encode rows; then one of them writes the output and the other
// runs the loop filter.
func (e *Encoder) encodeSource() {
	e.quantizer = newQuantizer(e.index)
	e.price = int(e.quantizer.luma.step[1])
	if e.key {
		e.probs = defaultTokenProbs
	}
	clear(e.above)
	e.current.frameBorders()
	e.wait.Add(1)
	go e.code()
	e.coders[0].codeRows(0)
	e.wait.Wait()
	e.wait.Add(1)
	go e.polish()
	e.writeFrame(filterLevel(e.index))
	e.wait.Wait()
}

// repeatFrame writes a frame that repeats the previous picture.
func (e *Encoder) repeatFrame() {
	for row := range e.rows {
		e.rowTokens[row] = e.rowTokens[row][:0]
		for column := range e.columns {
			b := e.blockAt(column, row)
			*b = block{inter: true, empty: true}
			e.findNeighbours(b, column, row)
		}
	}
	clear(e.before)
	for i := range e.coders {
		e.coders[i].tally = tally{}
	}
	e.writeFrame(0)
}

// countGroups returns the number of groups of macroblocks in a row; after each
// group a coder notifies that of the next row.
func (e *Encoder) countGroups() int { return (e.columns + group - 1) / group }

const group = 4

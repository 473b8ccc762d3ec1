//go:build linux && (amd64 || arm64) && !nodlopen

package h264

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/y9o/go-openh264"

	"mybot/robot"
)

// library is the version whose binary interface is tested.
const (
	library = "libopenh264.so.7"
	major   = 2
)

// The limits of an encoder: sizes in pixels, bitrates in bit/s; and the number of
// key frames at the beginning.
const (
	smallest  = 16
	widest    = 1920
	highest   = 1080
	slowest   = 1000
	fastest   = 100000000
	keyFrames = 2
)

// Built says whether this build can use OpenH264 if it is installed.
const Built = true

// An Encoder encodes pictures of one size as H.264.
type Encoder struct {
	width, height int
	fps           float64
	frames        int                   // encoded so far
	svc           *openh264.ISVCEncoder // memory of the library; nil = closed
	source        *openh264.SSourcePicture
	info          *openh264.SFrameBSInfo
	pinner        runtime.Pinner
	out           []byte
}

// NewEncoder returns an encoder for pictures of width x height pixels, both even
// and from 16x16 to 1920x1080, at a bitrate of 1000 to 100 million bit/s and 1 to
// 240 frames a second. Without the library the error is ErrAbsent.
func NewEncoder(width, height int, bitrate int, fps float64) (*Encoder, error) {
	switch {
	case width < smallest || height < smallest || width > widest || height > highest || width%2 != 0 || height%2 != 0:
		return nil, fmt.Errorf("h264: a picture of %d x %d pixels; both must be even, from %d x %d to %d x %d", width, height, smallest, smallest, widest, highest)
	case bitrate < slowest || bitrate > fastest:
		return nil, fmt.Errorf("h264: a bitrate of %d bit/s; it must be from %d to %d", bitrate, slowest, fastest)
	case !(fps >= 1 && fps <= 240):
		return nil, fmt.Errorf("h264: %v frames a second; it must be from 1 to 240", fps)
	}
	if err := openh264.Open(library); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	if v := openh264.WelsGetCodecVersion(); v.UMajor != major {
		return nil, fmt.Errorf("%w: %s is version %d.%d, not %d", ErrAbsent, library, v.UMajor, v.UMinor, major)
	}
	e := &Encoder{width: width, height: height, fps: fps, source: &openh264.SSourcePicture{}, info: &openh264.SFrameBSInfo{}}
	if openh264.WelsCreateSVCEncoder(&e.svc); e.svc == nil {
		return nil, errors.New("h264: the library makes no encoder")
	}
	quiet := openh264.WELS_LOG_QUIET
	e.svc.SetOption(openh264.ENCODER_OPTION_TRACE_LEVEL, &quiet)
	if err := errorOf("starting", e.svc.Initialize(&openh264.SEncParamBase{
		IUsageType: openh264.CAMERA_VIDEO_REAL_TIME,
		IPicWidth:  int32(width), IPicHeight: int32(height),
		ITargetBitrate: int32(bitrate),
		IRCMode:        openh264.RC_BITRATE_MODE,
		FMaxFrameRate:  float32(fps),
	})); err != nil {
		openh264.WelsDestroySVCEncoder(e.svc)
		return nil, err
	}
	return e, nil
}

// errorOf converts an error code of the library to an error.
func errorOf(what string, answer int) error {
	if n := int32(answer); n != openh264.CmResultSuccess {
		return fmt.Errorf("h264: %s: the library answers %d", what, n)
	}
	return nil
}

// MimeType returns the codec's name in an offer.
func (e *Encoder) MimeType() string { return "video/H264" }

// SetBitrate sets the bitrate, in bit/s, from the next frame on. It is clamped to
// the limits of NewEncoder.
func (e *Encoder) SetBitrate(bitrate int) {
	if e.svc == nil {
		return
	}
	rate := openh264.SBitrateInfo{ILayer: openh264.SPATIAL_LAYER_ALL, IBitrate: int32(max(slowest, min(fastest, bitrate)))}
	e.svc.SetOption(openh264.ENCODER_OPTION_BITRATE, (*int)(unsafe.Pointer(&rate)))
}

// Close releases the library's memory.
func (e *Encoder) Close() error {
	if e.svc == nil {
		return nil
	}
	err := errorOf("ending", e.svc.Uninitialize())
	openh264.WelsDestroySVCEncoder(e.svc)
	e.svc = nil
	return err
}

// Encode returns a picture as an H.264 frame, which is valid until the next call,
// or an empty one to skip; with key, one that can be decoded without earlier ones.
// The picture must have the encoder's size.
func (e *Encoder) Encode(f *robot.Frame, key bool) ([]byte, error) {
	switch n := e.width * e.height; {
	case e.svc == nil:
		return nil, ErrClosed
	case f.Width != e.width || f.Height != e.height:
		return nil, fmt.Errorf("h264: a picture of %d x %d pixels for an encoder of %d x %d", f.Width, f.Height, e.width, e.height)
	case len(f.Y) != n || len(f.U) != n/4 || len(f.V) != n/4:
		return nil, fmt.Errorf("h264: planes of %d, %d and %d bytes; for %d x %d pixels they have %d, %d and %d", len(f.Y), len(f.U), len(f.V), e.width, e.height, n, n/4, n/4)
	}
	if key || e.frames < keyFrames {
		if err := errorOf("a key frame", e.svc.ForceIntraFrame(true)); err != nil {
			return nil, err
		}
	}
	*e.source = openh264.SSourcePicture{
		IColorFormat: openh264.VideoFormatI420,
		IStride:      [4]int32{int32(e.width), int32(e.width / 2), int32(e.width / 2)},
		PData:        [4]*uint8{&f.Y[0], &f.U[0], &f.V[0]},
		IPicWidth:    int32(e.width), IPicHeight: int32(e.height),
		UiTimeStamp: int64(float64(e.frames) * 1000 / e.fps), // ms
	}
	e.frames++
	defer e.pinner.Unpin()
	for _, p := range e.source.PData[:3] {
		e.pinner.Pin(p)
	}
	answer := e.svc.EncodeFrame(e.source, e.info)
	e.source.PData = [4]*uint8{}
	if err := errorOf("a frame", answer); err != nil {
		return nil, err
	}
	e.out = e.out[:0]
	if e.info.EFrameType == openh264.VideoFrameTypeSkip {
		return e.out, nil
	}
	for i := range e.info.ILayerNum {
		layer := &e.info.SLayerInfo[i]
		size := int32(0)
		for _, n := range unsafe.Slice(layer.PNalLengthInByte, layer.INalCount) {
			size += n
		}
		e.out = append(e.out, unsafe.Slice(layer.PBsBuf, size)...)
	}
	return e.out, nil
}

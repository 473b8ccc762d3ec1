package voice

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Rate is the sample rate of sound in Hz, with 16 bit mono samples.
const Rate = 22050

const (
	sampleBytes = 2
	headerBytes = 44
)

// A wavFormat is how the samples of a WAV file are written.
type wavFormat struct {
	kind     int // 1 = integers
	channels int
	rate     int // Hz
	bits     int // of a sample
}

// parseWAV returns the format and the samples of a WAV file, which may have been written
// without knowing its length.
func parseWAV(stream []byte) (f wavFormat, samples []byte, err error) {
	if len(stream) < 12 || !bytes.Equal(stream[:4], []byte("RIFF")) || !bytes.Equal(stream[8:12], []byte("WAVE")) {
		return f, nil, errors.New("it is no WAV file")
	}
	le := binary.LittleEndian
	for rest := stream[12:]; len(rest) >= 8; {
		kind, size := string(rest[:4]), min(uint64(le.Uint32(rest[4:])), uint64(len(rest)-8))
		body := rest[8 : 8+size]
		switch {
		case kind == "fmt " && size >= 16:
			f = wavFormat{int(le.Uint16(body)), int(le.Uint16(body[2:])), int(le.Uint32(body[4:])), int(le.Uint16(body[14:]))}
		case kind == "data":
			return f, body, nil
		}
		rest = rest[min(uint64(len(rest)), 8+size+size%2):]
	}
	return f, nil, errors.New("there is no sound in it")
}

// completeWAV completes a WAV file that was written without knowing its length. It
// must be Rate, 16 bit, mono.
func completeWAV(stream []byte) ([]byte, error) {
	f, samples, err := parseWAV(stream)
	if err != nil {
		return nil, err
	}
	if f != (wavFormat{1, 1, Rate, 8 * sampleBytes}) {
		return nil, fmt.Errorf("it is no WAV file of %d Hz, 16 bit, mono", Rate)
	}
	return wavOf(samples[:len(samples)/sampleBytes*sampleBytes], Rate), nil
}

// EncodeWAV returns a WAV file of samples, mono at a rate in Hz.
func EncodeWAV(samples []int16, rate uint32) []byte {
	data := make([]byte, 0, sampleBytes*len(samples))
	for _, v := range samples {
		data = binary.LittleEndian.AppendUint16(data, uint16(v)) //nolint:gosec // the sign is kept
	}
	return wavOf(data, rate)
}

// wavOf returns a WAV file of 16-bit samples, mono at a rate in Hz.
func wavOf(samples []byte, rate uint32) []byte {
	le := binary.LittleEndian
	out := make([]byte, 0, headerBytes+len(samples))
	out = le.AppendUint32(append(out, "RIFF"...), uint32(headerBytes-8+len(samples)))
	out = le.AppendUint32(append(out, "WAVEfmt "...), 16)
	out = le.AppendUint16(le.AppendUint16(out, 1), 1) // integers, one channel
	out = le.AppendUint32(le.AppendUint32(out, rate), rate*sampleBytes)
	out = le.AppendUint16(le.AppendUint16(out, sampleBytes), 8*sampleBytes)
	out = le.AppendUint32(append(out, "data"...), uint32(len(samples)))
	return append(out, samples...)
}

// durationOf returns the duration of a file with header.
func durationOf(file []byte) time.Duration {
	return time.Duration(len(file)-headerBytes) * time.Second / (Rate * sampleBytes)
}

// Samples returns the samples of a file with header.
func Samples(file []byte) []int16 {
	samples := make([]int16, (len(file)-headerBytes)/sampleBytes)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(file[headerBytes+sampleBytes*i:])) //nolint:gosec // it has a sign
	}
	return samples
}

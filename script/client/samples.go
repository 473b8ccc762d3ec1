package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"mybot/script"
)

// Bounds on a file of samples.
const (
	maxColumns     = 32
	maxSampleLine  = 4 << 10 // bytes
	maxSampleTime  = 999_999_999
	samplesHead    = "# mybot script record 1"
	firstColumn    = "ms"
	sampleDecimals = 6
)

// A Sample is the values of the columns at one time.
type Sample struct {
	Milliseconds int64
	Values       []float64
}

// WriteHead writes the beginning of a file of samples: what it is, and the names of its
// columns, such as headPan.val.
func WriteHead(w io.Writer, columns []string) error {
	_, err := fmt.Fprintf(w, "%s\n%s %s\n", samplesHead, firstColumn, strings.Join(columns, " "))
	return err
}

// WriteSample writes one line of a file of samples.
func WriteSample(w io.Writer, s Sample) error {
	line := strconv.AppendInt(nil, s.Milliseconds, 10)
	for _, v := range s.Values {
		line = strconv.AppendFloat(append(line, ' '), v, 'f', sampleDecimals, 64)
	}
	_, err := w.Write(append(line, '\n'))
	return err
}

// A SampleReader reads a file of samples. Empty lines and lines that start with # are
// ignored.
type SampleReader struct {
	Columns []string
	in      *bufio.Reader
	line    int // number of the last line
	last    int64
}

// NewSampleReader reads the beginning of a file of samples.
func NewSampleReader(r io.Reader) (*SampleReader, error) {
	s := &SampleReader{in: bufio.NewReaderSize(r, maxSampleLine), last: -1}
	words, err := s.nextLine()
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("it is empty; a record begins with the line %q and the names of its columns", samplesHead)
	case err != nil:
		return nil, err
	case words[0] != firstColumn || len(words) < 2:
		return nil, fmt.Errorf("line %d: %q; the first line of a record names its columns, such as: ms headPan.val headTilt.val", s.line, clip(strings.Join(words, " ")))
	}
	if err := checkColumns(words[1:]); err != nil {
		return nil, fmt.Errorf("line %d: %w", s.line, err)
	}
	s.Columns = words[1:]
	return s, nil
}

// checkColumns returns what is wrong with the names of the columns of a record.
func checkColumns(columns []string) error {
	if len(columns) == 0 || len(columns) > maxColumns {
		return fmt.Errorf("a record has from 1 to %d columns, not %d", maxColumns, len(columns))
	}
	for i, name := range columns {
		for part := range strings.SplitSeq(name, ".") {
			if !script.IsName(part) {
				return fmt.Errorf("%q is no name of a column, such as headPan.val", clip(name))
			}
		}
		if slices.Contains(columns[:i], name) {
			return fmt.Errorf("the column %s comes twice", clip(name))
		}
	}
	return nil
}

// Next returns the next sample; the error is io.EOF after the last one. Times never decrease.
func (s *SampleReader) Next() (Sample, error) {
	words, err := s.nextLine()
	if err != nil {
		return Sample{}, err
	}
	ms, err := strconv.ParseInt(words[0], 10, 64)
	switch {
	case err != nil || ms < 0 || ms > maxSampleTime:
		return Sample{}, fmt.Errorf("line %d: %q is no time; it must be whole milliseconds from 0 to %d", s.line, clip(words[0]), maxSampleTime)
	case ms < s.last:
		return Sample{}, fmt.Errorf("line %d: the time %d is before %d, that of the line before", s.line, ms, s.last)
	case len(words)-1 != len(s.Columns):
		return Sample{}, fmt.Errorf("line %d: it has %d values; there are %d columns", s.line, len(words)-1, len(s.Columns))
	}
	out := Sample{Milliseconds: ms, Values: make([]float64, len(s.Columns))}
	for i, w := range words[1:] {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return Sample{}, fmt.Errorf("line %d: %s is %q; it must be a finite number", s.line, s.Columns[i], clip(w))
		}
		out.Values[i] = v
	}
	s.last = ms
	return out, nil
}

// nextLine returns the words of the next line that has some.
func (s *SampleReader) nextLine() ([]string, error) {
	for {
		line, err := s.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, fmt.Errorf("line %d has more than %d bytes", s.line+1, maxSampleLine)
		}
		if err != nil && len(line) == 0 {
			return nil, err
		}
		s.line++
		words := strings.Fields(string(line))
		if len(words) > 0 && words[0][0] != '#' {
			return words, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

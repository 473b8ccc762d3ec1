package recording

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mybot/mcap"
)

// ReadSeries reads which part of which recording a file is. One that does not say so has
// the zero Series. The error is a CutError if the file is cut off before it can say so.
func ReadSeries(file string) (Series, error) {
	f, err := os.Open(file)
	if err != nil {
		return Series{}, err
	}
	defer f.Close() //nolint:errcheck // it is read only
	steps, err := NewStepReader(f)
	if err != nil {
		return Series{}, fmt.Errorf("%s: %w", file, err)
	}
	switch first, err := steps.Next(); {
	case err != nil && !errors.Is(err, io.EOF):
		return Series{}, fmt.Errorf("%s: %w", file, err)
	case err != nil || first.Series == nil:
		return Series{}, nil
	default:
		return *first.Series, nil
	}
}

// FindParts returns the files of the recording that a file is a part of, from the first to
// the last that follow each other without a gap, and which of them the file is. The others
// are looked for in its folder.
func FindParts(file string) (parts []string, at int, err error) {
	own, err := ReadSeries(file)
	if err != nil || own.ID == "" {
		return []string{file}, 0, err
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return nil, 0, err
	}
	of := map[int]string{}
	for _, e := range entries {
		path := filepath.Join(filepath.Dir(file), e.Name())
		if !strings.HasSuffix(path, ".mcap") {
			continue
		}
		if s, err := ReadSeries(path); err == nil && s.ID == own.ID {
			of[s.Part] = path
		}
	}
	of[own.Part] = file
	first := own.Part
	for of[first-1] != "" {
		first--
	}
	for p := first; of[p] != ""; p++ {
		parts = append(parts, of[p])
	}
	return parts, own.Part - first, nil
}

// IsEnd reports whether the error of a StepReader says that the recording ends there, with
// or without an index.
func IsEnd(err error) bool { return errors.Is(err, io.EOF) || errors.As(err, new(*mcap.CutError)) }

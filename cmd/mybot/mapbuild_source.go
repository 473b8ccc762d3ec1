package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"mybot/mapping/carmen"
	"mybot/recording"
	"mybot/robot"
)

// A scanSource describes the data in a log.
type scanSource struct {
	lidar     robot.Lidar // a log in text only contains its pose
	described bool        // lidar is from the description of the robot
	odometry  string      // its source
	notes     []string
}

// read maps the scans of a log or a recording; the first bytes tell which it is.
func (b *mapBuild) read(ctx context.Context, file *os.File) error {
	head := make([]byte, 16)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	if n == 0 {
		return errors.New("the file is empty; map build reads recordings in MCAP and logs in the text form of CARMEN")
	}
	whole := io.MultiReader(bytes.NewReader(head[:n]), file)
	switch {
	case bytes.HasPrefix(head, []byte("\x89MCAP")):
		return b.readRecording(ctx, whole)
	case isBinary(head[:n]):
		return fmt.Errorf("map build reads recordings in MCAP and logs in the text form of CARMEN: %w", b.readRecording(ctx, whole))
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return errors.New("a log in the text form of CARMEN is read twice, so it must be a file; only a recording in MCAP can come through a pipe")
	}
	return b.readLog(ctx, file)
}

// An endingReader reads until ctx ends.
type endingReader struct {
	ctx context.Context //nolint:containedctx // the packages that read know no context
	io.Reader
}

func (r endingReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// isBinary reports whether a file with this head cannot be a log in text.
func isBinary(head []byte) bool {
	return bytes.HasPrefix(head, []byte("#ROSBAG")) || slices.ContainsFunc(head, func(c byte) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' })
}

func (b *mapBuild) readLog(ctx context.Context, file *os.File) error {
	format, err := carmen.Inspect(endingReader{ctx, file})
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	b.source = scanSource{lidar: robot.Lidar{Pose: format.Lidar}, odometry: format.Odometry.String(), notes: format.Notes}
	return format.Scans(endingReader{ctx, file}, func(s carmen.Scan) error {
		if err := b.addScan(ctx, s.Time, s.Motion, s.Lasted, math.NaN(), s.Cloud); err != nil {
			return fmt.Errorf("line %d: %w", s.Line, err)
		}
		return nil
	})
}

func (b *mapBuild) readRecording(ctx context.Context, file io.Reader) error {
	var before time.Time
	drive, err := recording.ReadDrive(endingReader{ctx, file}, func(s recording.DriveScan) error {
		at := s.Cloud.Time
		lasted := at.Sub(before).Seconds()
		before = at
		return b.addScan(ctx, fmt.Sprintf("%d.%06d", at.Unix(), at.Nanosecond()/1000), s.Motion, lasted, s.Heading, s.Cloud)
	})
	b.source = scanSource{drive.Lidar, drive.Described, drive.Odometry, drive.Notes}
	return err
}

// noteJumps notes that the odometry has jumped.
func (b *mapBuild) noteJumps() {
	switch len(b.jumps) {
	case 0:
	case 1:
		b.source.notes = append(b.source.notes, "the odometry jumps "+b.jump+"; there, the scan was placed without it")
	default:
		b.source.notes = append(b.source.notes, fmt.Sprintf("the odometry jumps %d times, first %s; there, the scan was placed without it", len(b.jumps), b.jump))
	}
}

// noteDoubts notes that the odometry may have jumped in pauses of the log.
func (b *mapBuild) noteDoubts() {
	const advice = "; if the robot has not, this map is wrong, and each part of the log needs a map of its own"
	switch b.doubts {
	case 0:
	case 1:
		b.source.notes = append(b.source.notes, b.doubt+advice)
	default:
		b.source.notes = append(b.source.notes, fmt.Sprintf("%s, the first of %d such pauses%s", b.doubt, b.doubts, advice))
	}
}

// noteMounting notes if the mounting of the lidar differs from the file.
func (b *mapBuild) noteMounting() {
	m, differs := b.mapper.Mounting()
	if !differs {
		return
	}
	l := b.source.lidar
	note := "the lidar was not mounted as the file says: " + m.Explain(l) + "; the robot is not where this map has it"
	if m.Mirrored {
		note = "the lidar was not mounted as the file says: " + m.Explain(l) + "; this map is wrong"
	}
	if b.source.described {
		note += ". The description of the robot must have " + m.Remedy(l) + " for this lidar, and the drive be recorded again"
	}
	b.source.notes = append(b.source.notes, note)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"mybot/mcap"
	"mybot/recording"
)

// recordCommand records what a robot senses and does into a file, until ctx ends or for the
// given time.
func recordCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t target
	set := t.defineFlags("record")
	lasts := set.Duration("for", 0, "how long to record, such as 90s")
	words, err := parseAll(set, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return usageError{errors.New("record takes the name of the file to write, such as drive.mcap")}
	case *lasts < 0 || isGiven(set, "for") && *lasts == 0 || *lasts%time.Second != 0 || *lasts > 24*time.Hour:
		return usageError{fmt.Errorf("--for %s is not a length of whole seconds up to 24 hours, such as 90s", *lasts)}
	}
	c, err := t.requireRobot(env)
	if err != nil {
		return err
	}
	path := words[0]
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // private: it shows rooms and people
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; choose another name, or move it away", path)
	}
	if err != nil {
		return fmt.Errorf("the recording cannot be written: %w", err)
	}
	var made recorded
	stream, err := c.StreamRecording(ctx, *lasts)
	if err == nil {
		_, _ = fmt.Fprintf(stdout, "Recording to %s. Ctrl-C ends the recording.\n", path)
		err = made.copyMessages(file, stream)
		_ = stream.Close() // it was only read
	}
	if bad := errors.Join(file.Sync(), file.Close()); bad != nil && !errors.As(err, new(diskError)) {
		err = diskError{bad}
	}
	if made.bytes == 0 {
		_ = os.Remove(path) // it is empty
		return err
	}
	_, _ = fmt.Fprintf(stdout, "%s has %s.\n", path, made)
	switch {
	case errors.As(err, new(diskError)):
		return fmt.Errorf("%s cannot be written: %w; what was written before can be read, but there is no index", path, err)
	case ctx.Err() != nil:
		return nil // the end of the recording
	case err != nil:
		return fmt.Errorf("the recording ended early: %w", err)
	}
	return nil
}

// recorded counts the messages in a file.
type recorded struct {
	messages, bytes int
	first, last     time.Time
	missing         recording.Gap
}

func (r recorded) String() string {
	text := fmt.Sprintf("%.1f s, %d messages, %.2f MB", r.last.Sub(r.first).Seconds(), r.messages, float64(r.bytes)/1e6)
	if m := r.missing; m != (recording.Gap{}) {
		text += fmt.Sprintf("; %d readings, %d scans and %d commands are missing, which the network was too slow for", m.Readings, m.Scans, m.Commands)
	}
	return text
}

// A diskError is an error in writing the file; other errors are those of the stream.
type diskError struct{ error }

func (e diskError) Unwrap() error { return e.error }

// copyMessages writes the messages of a stream into a file. The file gets an index however the
// stream ends. The error says what ended the stream; nil = it was complete.
func (r *recorded) copyMessages(file mcap.File, stream io.Reader) error {
	in, err := mcap.NewReader(stream)
	if err != nil {
		return err
	}
	out, err := mcap.NewFileWriter(file, in.Profile, in.Program, mcap.Zstd)
	if err != nil {
		return diskError{err}
	}
	defer func() {
		settled, rest := out.Written()
		r.bytes = int(settled) + len(rest)
	}()
	in.TakeAttachment = func(a mcap.Attachment) error {
		if err := out.Attach(a); err != nil {
			return diskError{err}
		}
		return nil
	}
	ids := map[*mcap.Channel]uint16{}
	var flushed time.Time
	for {
		m, err := in.Next()
		if err != nil {
			if bad := out.Close(); bad != nil {
				return diskError{bad}
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		id, known := ids[m.Channel]
		if !known {
			if id, err = out.AddChannel(*m.Channel); err != nil {
				return diskError{err}
			}
			ids[m.Channel] = id
		}
		r.countMessage(m)
		err = out.Write(id, m)
		if err == nil && m.Logged.Sub(flushed) > time.Second { // keeps the file readable if this program is killed
			flushed = m.Logged
			err = out.Flush()
		}
		if err != nil {
			return diskError{err}
		}
	}
}

// countMessage counts a message.
func (r *recorded) countMessage(m mcap.Message) {
	if r.messages++; r.messages == 1 {
		r.first = m.Logged
	}
	r.last = m.Logged
	var gap recording.Gap
	if m.Channel.Topic == recording.GapTopic && json.Unmarshal(m.Data, &gap) == nil {
		r.missing.Readings += gap.Readings
		r.missing.Scans += gap.Scans
		r.missing.Commands += gap.Commands
	}
}

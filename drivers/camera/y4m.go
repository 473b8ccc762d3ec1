package camera

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"mybot/robot"
)

// A Film replays a file of uncompressed pictures (YUV4MPEG2, .y4m) in a loop, at the rate in
// its header.
type Film struct {
	lid
	file          io.ReadSeeker
	in            *bufio.Reader
	start         int64 // of the first picture in the file
	width, height int
	rate          float64 // pictures per second
	full          bool    // full range: Y, U and V go from 0 to 255
	pace          pace
	name          string
	number        int // of the next picture, from 0
}

// maxLine is the longest accepted header or frame line, in bytes.
const maxLine = 512

// openFilm opens a y4m file. Its pictures must be 8-bit 4:2:0 with an even size.
func openFilm(name string) (*Film, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("camera: %w", err)
	}
	film, err := newFilm(file, name)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return film, nil
}

func newFilm(file io.ReadSeeker, name string) (*Film, error) {
	f := &Film{lid: newLid(), file: file, in: bufio.NewReaderSize(file, 1<<16), name: name}
	line, err := f.readLine()
	if err != nil {
		return nil, fmt.Errorf("camera: %s is not a y4m file: its first line must begin with YUV4MPEG2", name)
	}
	if err := f.readHeader(line); err != nil {
		return nil, fmt.Errorf("camera: %s: %w", name, err)
	}
	f.start = int64(len(line)) + 1
	f.pace.every = time.Duration(float64(time.Second) / f.rate)
	return f, nil
}

// String returns size and rate: "640x480 at 30 pictures a second".
func (f *Film) String() string {
	return fmt.Sprintf("%dx%d at %.4g pictures a second", f.width, f.height, f.rate)
}

// readLine reads one line and returns it without its end.
func (f *Film) readLine() (string, error) {
	var b strings.Builder
	for b.Len() < maxLine {
		c, err := f.in.ReadByte()
		if err != nil {
			return "", err
		}
		if c == '\n' {
			return b.String(), nil
		}
		b.WriteByte(c)
	}
	return "", errors.New("the line is too long")
}

func (f *Film) readHeader(line string) error {
	words := strings.Split(line, " ")
	if words[0] != "YUV4MPEG2" {
		return errors.New("it is not a y4m file: its first line must begin with YUV4MPEG2")
	}
	f.rate = 30
	for _, w := range words[1:] {
		if w == "" {
			continue
		}
		var err error
		switch value := w[1:]; w[0] {
		case 'W':
			f.width, err = strconv.Atoi(value)
		case 'H':
			f.height, err = strconv.Atoi(value)
		case 'F':
			f.rate, err = parseRatio(value)
		case 'C':
			if value != "420" && value != "420jpeg" && value != "420mpeg2" && value != "420paldv" {
				return fmt.Errorf("its colours are %q; they must be 420, 8 bits (ffmpeg -pix_fmt yuv420p)", value)
			}
		case 'I':
			if value != "p" && value != "?" {
				return fmt.Errorf("it is interlaced (%q); it must be progressive (Ip)", w)
			}
		case 'X':
			f.full = f.full || value == "COLORRANGE=FULL"
		}
		if err != nil {
			return fmt.Errorf("%q in its first line is no number that can be used", w)
		}
	}
	const least, most = 16, 4096
	if f.width < least || f.height < least || f.width > most || f.height > most || f.width%2 != 0 || f.height%2 != 0 {
		return fmt.Errorf("its pictures are %dx%d pixels; both must be even, from %d to %d", f.width, f.height, least, most)
	}
	return nil
}

// parseRatio reads a ratio such as "30000:1001".
func parseRatio(s string) (float64, error) {
	above, below, ok := strings.Cut(s, ":")
	n, err1 := strconv.ParseUint(above, 10, 32)
	d, err2 := strconv.ParseUint(below, 10, 32)
	if !ok || err1 != nil || err2 != nil || d == 0 {
		return 0, errors.New("no ratio")
	}
	rate := float64(n) / float64(d)
	if rate < 1 || rate > 240 {
		return 0, errors.New("no rate")
	}
	return rate, nil
}

// Next implements robot.Camera: it reads the next picture.
func (f *Film) Next(ctx context.Context, frame *robot.Frame) error {
	now, err := f.pace.awaitPicture(ctx, f.closed)
	if err != nil {
		return err
	}
	frame.Resize(f.width, f.height)
	frame.Taken, frame.Head = now, robot.HeadAngles{}
	err = f.readPicture(frame)
	if errors.Is(err, io.EOF) && f.number > 0 {
		f.number = 0
		if _, err = f.file.Seek(f.start, io.SeekStart); err == nil {
			f.in.Reset(f.file)
			err = f.readPicture(frame)
		}
	}
	if err != nil {
		return fmt.Errorf("camera: %s, picture %d: %w", f.name, f.number+1, err)
	}
	f.number++
	return nil
}

// readPicture reads one picture. It returns io.EOF only at the end of the file between
// pictures.
func (f *Film) readPicture(frame *robot.Frame) error {
	if _, err := f.in.Peek(1); err != nil {
		return err
	}
	line, err := f.readLine()
	if err != nil || line != "FRAME" && !strings.HasPrefix(line, "FRAME ") {
		return errors.New("the file is damaged: a picture must begin with the line FRAME")
	}
	for _, plane := range [3][]byte{frame.Y, frame.U, frame.V} {
		if _, err := io.ReadFull(f.in, plane); err != nil {
			return errors.New("the file ends in the middle of a picture")
		}
	}
	if f.full {
		limitRange(frame)
	}
	return nil
}

// Close ends Next and closes the file.
func (f *Film) Close() error {
	f.closeOnce()
	if c, ok := f.file.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// limitRange converts a picture from full range (Y, U and V from 0 to 255, as in JPEG) to
// the limited range of robot.Frame.
func limitRange(f *robot.Frame) {
	var luma, chroma [256]byte
	for i := range 256 {
		luma[i] = byte(16 + (i*219+127)/255)
		chroma[i] = byte(16 + (i*224+127)/255)
	}
	for i, y := range f.Y {
		f.Y[i] = luma[y]
	}
	for i := range f.U {
		f.U[i], f.V[i] = chroma[f.U[i]], chroma[f.V[i]]
	}
}

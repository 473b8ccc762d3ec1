package recording

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"mybot/mcap"
)

// Limits say how much a Folder keeps.
type Limits struct {
	FileLasts time.Duration // after which the next file begins,
	FileBytes int64         // or after so many bytes
	MaxBytes  int64         // of all files; the oldest go first
	MaxAge    time.Duration // of a file
	MinFree   int64         // bytes of the disk that stay free,
	FreeShare float64       // or so much of it, whichever is more
}

// UsualLimits are those of a robot.
var UsualLimits = Limits{
	FileLasts: 10 * time.Minute, FileBytes: 64 << 20,
	MaxBytes: 2 << 30, MaxAge: 14 * 24 * time.Hour, MinFree: 1 << 30, FreeShare: 0.1,
}

// A Folder records onto the disk of the robot, in files of which the oldest go when
// there is no room. Its methods may be called from any goroutine; Run waits for the
// goroutine that writes.
type Folder struct {
	dir      string
	recorder *Recorder
	limits   Limits
	free     func(dir string) (free, whole int64, err error) // bytes of its disk
	readDir  func(dir string) ([]fs.DirEntry, error)
	log      *slog.Logger
	asking   chan struct{} // has one for each that asks the disk for a person

	room sync.Mutex // held while files are removed, before mu, for as long as the disk takes
	ages *ages      // nil before room was made

	mu      sync.Mutex // held for a few instructions: never while the disk does something
	open    bool       // Run runs
	end     context.CancelFunc
	ended   chan struct{} // is closed when the newest recording has ended; nil = there was none
	status  Status
	writing *mcap.Writer // of the file that is written now; nil = there is none
	begun   func()       // the newest recording has its first file, or has ended
}

const (
	// diskTimeout is how long a person waits for a disk that is slow.
	diskTimeout = 2 * time.Second
	// endTimeout is how long Stop waits until the file is whole.
	endTimeout = 5 * time.Second
	// maxAsking is how many ask the disk at once; a disk that hangs holds no more.
	maxAsking = 4
)

// ErrSlow says that the disk did not answer in time.
var ErrSlow = errors.New("the disk of the robot does not answer")

// A Status is what a Folder does.
type Status struct {
	Recording bool      `json:"recording"`
	Since     time.Time `json:"since,omitzero"`  // of the newest recording
	File      string    `json:"file,omitempty"`  // that is written now
	Ended     string    `json:"ended,omitempty"` // why the newest recording ended by itself or did not begin, in a sentence
	Missing   int       `json:"missing"`         // readings and commands that the newest recording lost
}

// A File is a recording in a Folder.
type File struct {
	Name    string    `json:"name"`
	Bytes   int64     `json:"bytes"`
	Changed time.Time `json:"changed"`
	Open    bool      `json:"open"` // it is being written
}

// ErrNone says that a Folder has no such file.
var ErrNone = errors.New("there is no such recording")

// fileNames are the files of a Folder; no others are looked at.
var fileNames = regexp.MustCompile(`^mybot-\d{4}-\d\d-\d\d-\d{6}(-\d+)?\.mcap$`)

// NewFolder returns the folder of a robot; it is made when it is needed.
func NewFolder(dir string, r *Recorder, l Limits, log *slog.Logger) *Folder {
	return &Folder{dir: dir, recorder: r, limits: l, free: freeBytes, readDir: os.ReadDir, log: log, asking: make(chan struct{}, maxAsking), open: true}
}

// askDisk does something with the disk, beside the caller, who waits no longer than a
// person does: then the error is ErrSlow, and gone ends.
func askDisk[T any](f *Folder, do func(gone context.Context) (T, error)) (T, error) {
	gone, leave := context.WithTimeout(context.Background(), diskTimeout)
	defer leave()
	var answer T
	select {
	case f.asking <- struct{}{}:
	case <-gone.Done():
		return answer, ErrSlow
	}
	type answered struct {
		value T
		err   error
	}
	answers := make(chan answered, 1)
	go func() {
		value, err := do(gone)
		<-f.asking
		answers <- answered{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-gone.Done():
		return answer, ErrSlow
	}
}

// Start begins a recording; while there is one it does nothing. The error is a sentence
// for people, and IsFull of one that the limits leave no room.
func (f *Folder) Start() error {
	begun, err := askDisk(f, f.start)
	if err != nil {
		return err
	}
	select {
	case <-begun: // who asks for the list now finds the file
	case <-time.After(diskTimeout):
	}
	return nil
}

// start begins a recording, unless who wants it is gone. begun is closed when there is its
// first file.
func (f *Folder) start(gone context.Context) (begun chan struct{}, err error) {
	f.room.Lock()
	defer f.room.Unlock()
	if f.Status().Recording {
		begun = make(chan struct{})
		close(begun)
		return begun, nil
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of recordings cannot be made: %w", err)
	}
	err = f.makeRoom("")
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case gone.Err() != nil:
		return nil, ErrSlow
	case !f.open:
		return nil, errors.New("the robot is shutting down")
	case err != nil:
		f.status.Ended = fmt.Sprintf("The recording did not begin: %v.", err)
		return nil, err
	}
	one, err := f.recorder.openRecording()
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	begun, ended := make(chan struct{}), make(chan struct{})
	f.begun, f.ended = sync.OnceFunc(func() { close(begun) }), ended
	f.end, f.status = end, Status{Recording: true, Since: time.Now()}
	go func() {
		defer close(ended)
		err := f.writeFiles(ctx, one)
		f.recorder.closeRecording(one)
		end()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.status.Recording, f.status.File = false, ""
		f.begun()
		if err != nil {
			f.status.Ended = fmt.Sprintf("The recording ended: %v.", err)
			f.log.Error("the recording ended", "error", err)
		}
	}()
	return begun, nil
}

// Stop ends the recording and waits until its file is whole, or until the disk has taken
// too long for it.
func (f *Folder) Stop() {
	f.mu.Lock()
	ended := f.ended
	if f.end != nil {
		f.end()
	}
	f.mu.Unlock()
	if ended == nil {
		return
	}
	select {
	case <-ended:
	case <-time.After(endTimeout):
		f.log.Error("the recording has not ended: the disk does not answer")
	}
}

// Run ends the recording when ctx ends, and makes room now and then. Nothing is
// recorded after it.
func (f *Folder) Run(ctx context.Context) error {
	every := time.NewTicker(time.Hour)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			f.mu.Lock()
			f.open = false
			f.mu.Unlock()
			f.Stop()
			return nil
		case <-every.C:
			_, _ = askDisk(f, func(context.Context) (any, error) { return nil, f.checkRoom(f.Status().File) }) // the recording says so itself
		}
	}
}

// Status returns what the folder does.
func (f *Folder) Status() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

// writeFiles writes a recording, file after file, until ctx ends.
func (f *Folder) writeFiles(ctx context.Context, one *recording) error {
	for ctx.Err() == nil {
		if err := f.writeFile(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes one file, until it is long enough or ctx ends.
func (f *Folder) writeFile(ctx context.Context, one *recording) error {
	file, err := f.createFile()
	if err != nil {
		return explainDisk(err)
	}
	defer file.Close() //nolint:errcheck // it is closed below, too
	name := filepath.Base(file.Name())
	out, err := f.recorder.beginFile(file, one)
	if err != nil {
		return explainDisk(err)
	}
	f.mu.Lock()
	f.status.File, f.writing = name, out.file
	f.begun()
	before := f.status.Missing
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.status.Missing, f.writing = before+out.lost, nil
	}()
	every := time.NewTicker(flushPeriod)
	defer every.Stop()
	full := time.NewTimer(f.limits.FileLasts)
	defer full.Stop()
	for ended := false; !ended; {
		select {
		case q := <-one.queue:
			err = out.writeEntry(q)
			if q.floor != nil {
				one.floor = q.floor.floor
			}
		case <-every.C:
			if err = out.file.Flush(); err == nil {
				err = f.checkRoom(name)
			}
			settled, rest := out.file.Written()
			ended = settled+int64(len(rest)) >= f.limits.FileBytes
		case <-full.C:
			ended = true
		case <-ctx.Done():
			err, ended = f.recorder.drainRecording(one, out), true
		}
		if err != nil {
			return errors.Join(explainDisk(err), out.file.Close())
		}
	}
	return explainDisk(errors.Join(out.file.Close(), file.Sync(), file.Close()))
}

// A noRoomError says that the limits of a folder leave no room.
type noRoomError struct{ error }

// IsFull reports whether an error says that the limits leave no room.
func IsFull(err error) bool { return errors.As(err, new(noRoomError)) }

// explainDisk says what is wrong with the disk, for people.
func explainDisk(err error) error {
	if err == nil || IsFull(err) {
		return err
	}
	return fmt.Errorf("the disk of the robot took no more (%w)", err)
}

// createFile creates the next file, named after the time.
func (f *Folder) createFile() (*os.File, error) {
	base := time.Now().UTC().Format("mybot-2006-01-02-150405")
	for n := 1; ; n++ {
		name := base + ".mcap"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.mcap", base, n)
		}
		file, err := os.OpenFile(filepath.Join(f.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // it shows rooms and people
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// checkRoom is makeRoom while the file of the name is written; "" = none is. It does nothing
// where another is at it.
func (f *Folder) checkRoom(name string) error {
	if !f.room.TryLock() {
		return nil
	}
	defer f.room.Unlock()
	return f.makeRoom(name)
}

// makeRoom removes the oldest files until the limits hold, but for the one that is being
// written. The error says that they do not hold all the same. It is called with room held.
func (f *Folder) makeRoom(writing string) error {
	files, err := f.list(writing)
	if err != nil {
		return err
	}
	if f.ages == nil {
		f.ages = readAges(f.dir, time.Now())
	}
	if err := f.ages.count(time.Now(), files); err != nil {
		f.log.Warn("the ages of recordings were not saved", "error", err)
	}
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(f.ages.of(a.Name), f.ages.of(b.Name)) })
	total := int64(0)
	for _, one := range files {
		total += one.Bytes
	}
	files = slices.DeleteFunc(files, func(one File) bool { return one.Name == writing })
	for i := len(files) - 1; ; i-- { // the oldest is the last
		short, why := f.isShort()
		old := i >= 0 && f.ages.of(files[i].Name) > f.limits.MaxAge
		if !short && total <= f.limits.MaxBytes && !old {
			return nil
		}
		if i < 0 {
			if short {
				return noRoomError{errors.New(why)}
			}
			return nil
		}
		if err := os.Remove(filepath.Join(f.dir, files[i].Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("an old recording cannot be removed to make room: %w", err)
		}
		f.log.Info("an old recording was removed to make room", "file", files[i].Name)
		total -= files[i].Bytes
	}
}

// isShort reports whether the disk has too little room left, and says so.
func (f *Folder) isShort() (short bool, why string) {
	free, whole, err := f.free(f.dir)
	if err != nil {
		return false, "" // it is not known; a full disk says so itself
	}
	least := max(f.limits.MinFree, int64(f.limits.FreeShare*float64(whole)))
	return free < least, fmt.Sprintf("the disk has %d MB left, and recordings leave %d MB free", free/1e6, least/1e6)
}

// List returns the files, the newest first; the error is ErrSlow when the disk hangs.
func (f *Folder) List() ([]File, error) {
	return askDisk(f, func(context.Context) ([]File, error) { return f.list(f.Status().File) })
}

// list returns the files, of which one may be being written.
func (f *Folder) list(writing string) ([]File, error) {
	entries, err := f.readDir(f.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the folder of recordings cannot be read: %w", err)
	}
	files := []File{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && fileNames.MatchString(e.Name()) && info.Mode().IsRegular() {
			files = append(files, File{e.Name(), info.Size(), info.ModTime(), e.Name() == writing})
		}
	}
	slices.SortFunc(files, func(a, b File) int {
		return cmp.Or(b.Changed.Compare(a.Changed), strings.Compare(b.Name, a.Name))
	})
	return files, nil
}

// A Content is a recording to be read. Of one that is being made it is what was there when
// it was opened.
type Content struct {
	io.ReadSeeker
	io.Closer
	Changed time.Time
}

// Open opens a file for reading; ErrNone when there is none.
func (f *Folder) Open(name string) (Content, error) {
	if !fileNames.MatchString(name) {
		return Content{}, ErrNone
	}
	path := filepath.Join(f.dir, name)
	listed, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !listed.Mode().IsRegular() {
		return Content{}, ErrNone // what is no file is not listed either: a link may lead anywhere
	}
	if err != nil {
		return Content{}, err
	}
	// Before the file is opened: one that is being written may have ended by then.
	written, open := f.findOpen(name)
	file, err := os.Open(path)
	if err != nil {
		return Content{}, err
	}
	opened, err := file.Stat()
	if err != nil || !os.SameFile(listed, opened) {
		return Content{}, errors.Join(ErrNone, file.Close()) // another one has just taken its place
	}
	if open {
		return Content{io.NewSectionReader(grown{file, written}, 0, written.size()), file, opened.ModTime()}, nil
	}
	return Content{file, file, opened.ModTime()}, nil
}

// findOpen returns what there is of the file with the name, if it is the one that is being
// written.
func (f *Folder) findOpen(name string) (w written, open bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.writing == nil || f.status.File != name {
		return w, false
	}
	w.settled, w.rest = f.writing.Written()
	return w, true
}

// written is what there is of a file that is being written: its first bytes, and what
// stood after them at some time.
type written struct {
	settled int64
	rest    []byte
}

func (w written) size() int64 { return w.settled + int64(len(w.rest)) }

// grown reads what was written.
type grown struct {
	file *os.File
	written
}

func (g grown) ReadAt(p []byte, at int64) (n int, err error) {
	if at < g.settled {
		if n, err = g.file.ReadAt(p[:min(int64(len(p)), g.settled-at)], at); err != nil {
			return n, err
		}
	}
	if at += int64(n); n < len(p) && at <= g.size() {
		n += copy(p[n:], g.rest[at-g.settled:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Remove removes a file; ErrNone when there is none. The one that is being written
// stays.
func (f *Folder) Remove(name string) error {
	switch {
	case !fileNames.MatchString(name):
		return ErrNone
	case name == f.Status().File:
		return errors.New("this recording is being made; stop it first")
	}
	_, err := askDisk(f, func(context.Context) (any, error) { return nil, os.Remove(filepath.Join(f.dir, name)) })
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNone
	}
	return err
}

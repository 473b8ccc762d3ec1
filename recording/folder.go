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
	"syscall"
	"time"

	"mybot/mcap"
)

// Limits are the limits of a Folder.
type Limits struct {
	FileLasts time.Duration // duration of a file
	FileBytes int64         // size of a file
	MaxBytes  int64         // of all files; the oldest are deleted first
	MaxAge    time.Duration // of a file
	MinFree   int64         // bytes that stay free on the disk
	FreeShare float64       // or this share of the disk, whichever is more
}

// UsualLimits are the default limits.
var UsualLimits = Limits{
	FileLasts: 10 * time.Minute, FileBytes: 64 << 20,
	MaxBytes: 2 << 30, MaxAge: 14 * 24 * time.Hour, MinFree: 1 << 30, FreeShare: 0.1,
}

// A Folder records to the robot's disk, in files of which the oldest are deleted
// when there is no room. Any goroutine may call its methods; Run waits for the
// goroutine that writes.
type Folder struct {
	dir      string
	recorder *Recorder
	limits   Limits
	free     func(dir string) (free, whole int64, err error) // bytes of its disk
	readDir  func(dir string) ([]fs.DirEntry, error)
	log      *slog.Logger
	asking   chan struct{} // holds a token for each disk access for a person

	room sync.Mutex // held while files are deleted, before mu, for as long as the disk takes
	ages *ages      // nil before the first makeRoom

	mu      sync.Mutex // held briefly, and never during disk access
	open    bool       // Run runs
	end     context.CancelFunc
	ended   chan struct{} // closed when the newest recording has ended; nil = there was none
	status  Status
	writing *mcap.Writer // of the current file; nil = none
	begun   func(error)  // called when the newest recording has its first file, or has ended, with the reason
}

const (
	// diskTimeout is how long a person waits for a slow disk.
	diskTimeout = 2 * time.Second
	// endTimeout is how long Stop waits for the end of the file.
	endTimeout = 5 * time.Second
	// maxAsking is the largest number of concurrent disk accesses for people, and
	// so of goroutines that a hanging disk blocks.
	maxAsking = 4
)

// ErrSlow says that the disk did not answer in time.
var ErrSlow = errors.New("the disk of the robot does not answer")

// A Status is the state of a Folder.
type Status struct {
	Recording bool      `json:"recording"`
	Since     time.Time `json:"since,omitzero"`  // beginning of the newest recording
	File      string    `json:"file,omitempty"`  // the current file
	Ended     string    `json:"ended,omitempty"` // why the newest recording ended by itself or did not begin, as a sentence
	Missing   int       `json:"missing"`         // readings and commands that are missing from the newest recording
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
var fileNames = regexp.MustCompile(`^mybot-\d{4}-\d\d-\d\d-\d{6}(-\d{1,9})?\.mcap$`)

// NewFolder returns the folder of a robot; it is created when needed.
func NewFolder(dir string, r *Recorder, l Limits, log *slog.Logger) *Folder {
	return &Folder{dir: dir, recorder: r, limits: l, free: freeBytes, readDir: os.ReadDir, log: log, asking: make(chan struct{}, maxAsking), open: true}
}

// askDisk does something with the disk in another goroutine, and waits no longer
// than a person would: then the error is ErrSlow, and gone ends.
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

// Start begins a recording, unless one is running. The error is a sentence for
// people; IsDiskFault reports whether the disk is the cause.
func (f *Folder) Start() error {
	begun, err := askDisk(f, f.start)
	if err != nil {
		return err
	}
	select {
	case err := <-begun: // so that a list requested now contains the file
		return err
	case <-time.After(diskTimeout):
		return nil
	}
}

// start begins a recording, unless the caller is gone. begun is closed when its
// first file exists, and says before that why there will be none.
func (f *Folder) start(gone context.Context) (begun chan error, err error) {
	f.room.Lock()
	defer f.room.Unlock()
	if f.Status().Recording {
		begun = make(chan error)
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
	one, err := f.recorder.openRecording(MaxRecordings + 1) // it has a place of its own
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	begun, ended := make(chan error, 1), make(chan struct{})
	var once sync.Once
	f.begun, f.ended = func(err error) { once.Do(func() { begun <- err; close(begun) }) }, ended
	f.end, f.status = end, Status{Recording: true, Since: time.Now()}
	go func() {
		defer close(ended)
		err := f.writeFiles(ctx, one)
		f.recorder.closeRecording(one)
		end()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.status.Recording, f.status.File = false, ""
		f.begun(err)
		if err != nil {
			f.status.Ended = fmt.Sprintf("The recording ended: %v.", err)
			f.log.Error("the recording ended", "error", err)
		}
	}()
	return begun, nil
}

// Stop ends the recording and waits until its file is complete, or until the disk
// has taken too long.
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

// Run periodically makes room, and ends the recording when ctx ends. Nothing is
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
			_, _ = askDisk(f, func(context.Context) (any, error) { return nil, f.checkRoom(f.Status().File) }) // the recording itself reports the error
		}
	}
}

// Status returns the state of the folder.
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

// writeFile writes one file, until it reaches a limit or ctx ends.
func (f *Folder) writeFile(ctx context.Context, one *recording) error {
	file, err := f.createFile()
	if err != nil {
		return fmt.Errorf("no file can be made in the folder of recordings: %w", err)
	}
	defer file.Close() //nolint:errcheck // it is closed below, too
	name := filepath.Base(file.Name())
	out, err := f.recorder.beginFile(file, one)
	if err != nil {
		return explainDisk(err)
	}
	f.mu.Lock()
	f.status.File, f.writing = name, out.file
	f.begun(nil)
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

// IsDiskFault reports whether an error of Start is a fault of the disk, which is full,
// slow, broken or read-only, rather than of the name or the rights of the folder.
func IsDiskFault(err error) bool {
	if IsFull(err) || errors.Is(err, ErrSlow) {
		return true
	}
	return slices.ContainsFunc([]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS}, func(fault syscall.Errno) bool { return errors.Is(err, fault) })
}

// explainDisk explains an error of the disk, for people.
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

// checkRoom is makeRoom for the named current file; "" = none. It does nothing
// while another call is in progress.
func (f *Folder) checkRoom(name string) error {
	if !f.room.TryLock() {
		return nil
	}
	defer f.room.Unlock()
	return f.makeRoom(name)
}

// makeRoom deletes the oldest files until the limits are met, except for the one
// being written. The error says that they are still not met. room must be held.
func (f *Folder) makeRoom(writing string) error {
	files, err := f.list(writing)
	if err != nil {
		return err
	}
	if f.ages == nil {
		f.ages = readAges(f.dir, time.Now())
	}
	if err := f.ages.countAges(time.Now(), files); err != nil {
		f.log.Warn("the ages of recordings were not saved", "error", err)
	}
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(f.ages.ageOf(a.Name), f.ages.ageOf(b.Name)) })
	total := int64(0)
	for _, one := range files {
		total += one.Bytes
	}
	files = slices.DeleteFunc(files, func(one File) bool { return one.Name == writing })
	for i := len(files) - 1; ; i-- { // the oldest is last
		short, why := f.isShort()
		old := i >= 0 && f.ages.ageOf(files[i].Name) > f.limits.MaxAge
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

// isShort reports whether the disk has too little free space, and why.
func (f *Folder) isShort() (short bool, why string) {
	free, whole, err := f.free(f.dir)
	if err != nil {
		return false, "" // unknown; a full disk will cause an error of its own
	}
	least := max(f.limits.MinFree, int64(f.limits.FreeShare*float64(whole)))
	return free < least, fmt.Sprintf("the disk has %d MB left, and recordings leave %d MB free", free/1e6, least/1e6)
}

// List returns the files, newest first; the error is ErrSlow if the disk hangs.
func (f *Folder) List() ([]File, error) {
	return askDisk(f, func(context.Context) ([]File, error) { return f.list(f.Status().File) })
}

// list returns the files, one of which may be in progress.
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

// A Content is the content of a recording. For one in progress it is the content at
// the time of opening.
type Content struct {
	io.ReadSeeker
	io.Closer
	Changed time.Time
}

// Open opens a file for reading; ErrNone if there is none.
func (f *Folder) Open(name string) (Content, error) {
	if !fileNames.MatchString(name) {
		return Content{}, ErrNone
	}
	path := filepath.Join(f.dir, name)
	listed, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !listed.Mode().IsRegular() {
		return Content{}, ErrNone // anything but a regular file is not listed either, because a link may lead anywhere
	}
	if err != nil {
		return Content{}, err
	}
	// Before the file is opened, because the current file may end meanwhile.
	written, open := f.findOpen(name)
	file, err := os.Open(path)
	if err != nil {
		return Content{}, err
	}
	opened, err := file.Stat()
	if err != nil || !os.SameFile(listed, opened) {
		return Content{}, errors.Join(ErrNone, file.Close()) // another file has just replaced it
	}
	if open {
		return Content{io.NewSectionReader(grown{file, written}, 0, written.size()), file, opened.ModTime()}, nil
	}
	return Content{file, file, opened.ModTime()}, nil
}

// findOpen returns the content of the file with the name, if it is the current one.
func (f *Folder) findOpen(name string) (w written, open bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.writing == nil || f.status.File != name {
		return w, false
	}
	w.settled, w.rest = f.writing.Written()
	return w, true
}

// written is the content of a file in progress: its settled part, and the rest at
// some time.
type written struct {
	settled int64
	rest    []byte
}

func (w written) size() int64 { return w.settled + int64(len(w.rest)) }

// grown reads written content.
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

// Remove deletes a file; ErrNone if there is none. It does not delete the current
// file.
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

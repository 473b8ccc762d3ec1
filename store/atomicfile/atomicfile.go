// Package atomicfile replaces files in one step: after a crash or a power cut at
// any moment a file is either the complete old one or the complete new one.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write replaces the file at path with data, with this mode whatever the umask.
// When it returns nil, the data and the file's name have reached the disk. After an
// error the old file is unchanged.
func Write(path string, data []byte, mode fs.FileMode) error {
	return WriteFrom(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// unfinished is in the names of files that are not complete yet.
const unfinished = ".unfinished-"

// RemoveUnfinished removes what Write has left in a directory if the program was killed
// while it wrote. Nothing may write there meanwhile.
func RemoveUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && strings.Contains(e.Name(), unfinished) && e.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// WriteFrom is Write with the output of write as the data.
func WriteFrom(path string, mode fs.FileMode, write func(io.Writer) error) error {
	dir := filepath.Dir(path)
	file, err := os.CreateTemp(dir, "."+filepath.Base(path)+unfinished+"*")
	if err != nil {
		return err
	}
	err = write(file)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return SyncDir(dir)
}

// SyncDir makes sure that the names in a directory have reached the disk.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

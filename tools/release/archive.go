package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A file is a file of an archive or a package.
type file struct {
	name string // with slashes
	from string // the present place of its content
	mode fs.FileMode
}

// Files and folders of the sources that come with the program, and their names there.
var documents = [][2]string{
	{"README.md", "README.md"},
	{"CHANGELOG.md", "CHANGELOG.md"},
	{"SECURITY.md", "SECURITY.md"},
	{"NOTICE", "NOTICE"},
	{"cmd/mybot/licences.txt", "licences.txt"},
	{"docs", "docs"},
	{"drivers/base/protocol/protocol.md", "docs/mybot.base.md"},
	{"drivers/base/examples", "examples"},
}

// listDocuments returns the files that come with the program, below the folder.
func (r *release) listDocuments(folder string) ([]file, error) {
	var files []file
	for _, d := range documents {
		from := filepath.Join(r.root, d[0])
		err := filepath.WalkDir(from, func(at string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(at, ".go") { // Go files, which embed the examples in the program
				return err
			}
			below, err := filepath.Rel(from, at)
			files = append(files, file{path.Join(folder, d[1], filepath.ToSlash(below)), at, 0o644})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// archive packs the program and its documents: as a zip for Windows, otherwise as a tar.gz.
func (r *release) archive(t target, program string) error {
	name := fmt.Sprintf("mybot_%s_%s_%s", r.version, t.os, t.arch)
	files, err := r.listDocuments(name)
	if err != nil {
		return err
	}
	files = append(files, file{path.Join(name, "LICENSE"), filepath.Join(r.root, "LICENSE"), 0o644}, file{path.Join(name, filepath.Base(program)), program, 0o755})
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	write := writeTar
	if name += ".tar.gz"; t.os == "windows" {
		name, write = strings.TrimSuffix(name, ".tar.gz")+".zip", writeZip
	}
	out, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	r.made = append(r.made, name)
	return errors.Join(write(out, files, r.time), out.Close())
}

// writeTar writes the files as a tar.gz, all with the same time and without an owner.
func writeTar(out io.Writer, files []file, when time.Time) error {
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	for _, f := range files {
		content, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: f.name, Size: int64(len(content)), Mode: int64(f.mode), ModTime: when, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

// writeZip writes the files as a zip.
func writeZip(out io.Writer, files []file, when time.Time) error {
	archive := zip.NewWriter(out)
	for _, f := range files {
		content, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when}
		header.SetMode(f.mode)
		to, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := to.Write(content); err != nil {
			return err
		}
	}
	return archive.Close()
}

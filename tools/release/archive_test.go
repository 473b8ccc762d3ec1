package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestArchivesDependOnNothingButNamesContentAndTheTimeOfTheCommit(t *testing.T) {
	when := time.Unix(1_700_000_000, 0).UTC()
	for name, write := range map[string]func(io.Writer, []file, time.Time) error{"tar": writeTar, "zip": writeZip} {
		t.Run(name, func(t *testing.T) {
			var made []string
			for touched := range 2 {
				from := filepath.Join(t.TempDir(), "mybot")
				if err := os.WriteFile(from, []byte("program"), 0o600); err != nil {
					t.Fatal(err)
				}
				old := time.Unix(int64(1+touched)*1_000_000, 0)
				if err := os.Chtimes(from, old, old); err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				if err := write(&out, []file{{"mybot_1/mybot", from, 0o755}}, when); err != nil {
					t.Fatal(err)
				}
				made = append(made, out.String())
			}
			if made[0] != made[1] {
				t.Error("two archives of the same content differ")
			}
		})
	}
}

func TestArchivesHaveTheProgramAsOneThatRuns(t *testing.T) {
	from := filepath.Join(t.TempDir(), "mybot")
	if err := os.WriteFile(from, []byte("program"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := []file{{"mybot_1/README.md", from, 0o644}, {"mybot_1/mybot", from, 0o755}}
	var tarred, zipped bytes.Buffer
	if err := writeTar(&tarred, files, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if err := writeZip(&zipped, files, time.Unix(315532800, 0)); err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(&tarred)
	if err != nil {
		t.Fatal(err)
	}
	for archive, n := tar.NewReader(unpacked), 0; ; n++ {
		h, err := archive.Next()
		if err == io.EOF && n == len(files) {
			break
		}
		if err != nil || h.Name != files[n].name || h.Mode != int64(files[n].mode) || h.Uid != 0 {
			t.Fatalf("the tar has %+v (%v)", h, err)
		}
	}
	read, err := zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len()))
	if err != nil || len(read.File) != len(files) {
		t.Fatal(err)
	}
	for n, f := range read.File {
		if f.Name != files[n].name || f.Mode() != files[n].mode {
			t.Errorf("the zip has %s with the mode %v", f.Name, f.Mode())
		}
	}
}

func TestSystemsAreChosenByName(t *testing.T) {
	for _, c := range []struct {
		list string
		want []target
		bad  string
	}{
		{"", targets, ""},
		{"windows/amd64,linux/armv7", []target{targets[5], targets[2]}, ""},
		{"linux", nil, `no system "linux"`},
		{"linux/amd64,", nil, `no system ""`},
	} {
		got, err := chooseTargets(c.list)
		if !slices.Equal(got, c.want) || (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%q chooses %v (%v)", c.list, got, err)
		}
	}
}

func TestAFolderThatIsNoReleaseIsNotEmptied(t *testing.T) {
	r := release{out: t.TempDir()}
	precious := filepath.Join(r.out, "thesis.tex")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.empty(); err == nil || !strings.Contains(err.Error(), "choose another folder") {
		t.Errorf("it says %v", err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
	if err := os.Rename(precious, filepath.Join(r.out, sumsFile)); err != nil {
		t.Fatal(err)
	}
	if err := r.empty(); err != nil {
		t.Errorf("a release is not replaced: %v", err)
	}
}

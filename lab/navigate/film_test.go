package navigate

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestTheFilmShowsTheSlowestErrandsFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "film.svg")
	_, _, err := commands.Run(t, "goto", "--json", "--trouble", "people,barrels", "--people", "2", "--sensor", "lidar", "--runs", "3", "--corridors", "0", "--tracks", "0", "--seed", "31", "--film", file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	titles := regexp.MustCompile(`Seed (\d+): (\d+) s, told (\d+) s; presses \d+`).FindAllStringSubmatch(string(text), -1)
	if len(titles) != 3 || strings.Count(string(text), "<use ") != 3*filmFrames || strings.Count(string(text), "<polygon ") < 3*filmFrames {
		t.Fatalf("%d errands: %v", len(titles), titles)
	}
	before := 1e9
	for _, m := range titles {
		took, _ := strconv.ParseFloat(m[2], 64)
		told, _ := strconv.ParseFloat(m[3], 64)
		if ratio := took / told; ratio > 1.05*before { // both are rounded
			t.Errorf("the errands are in the order %v", titles)
		} else {
			before = ratio
		}
	}
}

func TestAFilmThatCannotBeWrittenIsSaid(t *testing.T) {
	_, _, err := commands.Run(t, "goto", "--trouble", "none", "--runs", "1", "--corridors", "0", "--tracks", "0", "--film", filepath.Join(t.TempDir(), "missing", "film.svg"))
	if err == nil || !strings.Contains(err.Error(), "--film") {
		t.Errorf("the answer is %v", err)
	}
}

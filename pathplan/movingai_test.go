package pathplan

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// benchmarkSets is the folder of the MovingAI maps beside a checkout. They are not part of the
// project.
const benchmarkSets = "../../shared/data/movingai"

type scenario struct {
	from, to Cell
	octile   float64
}

func readMap(t testing.TB, name string) *Field {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var kind string
	var width, height int
	in := bufio.NewReader(file)
	if _, err := fmt.Fscanf(in, "type %s\nheight %d\nwidth %d\nmap\n", &kind, &height, &width); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	lines := make([]string, height)
	for j := range lines {
		if lines[j], err = in.ReadString('\n'); err != nil && len(lines[j]) < width {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return NewField(width, height, func(c Cell) bool { return strings.ContainsRune(".GS", rune(lines[c.J][c.I])) })
}

func readScenarios(t testing.TB, name string) []scenario {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var list []scenario
	for line := range strings.Lines(string(data)) {
		var s scenario
		var bucket, w, h int
		var m string
		if n, _ := fmt.Sscan(line, &bucket, &m, &w, &h, &s.from.I, &s.from.J, &s.to.I, &s.to.J, &s.octile); n == 9 {
			list = append(list, s)
		}
	}
	return list
}

// TestBenchmarkScenariosHaveTheKnownOctileLength tests every tenth scenario of each map.
func TestBenchmarkScenariosHaveTheKnownOctileLength(t *testing.T) {
	names, err := filepath.Glob(benchmarkSets + "/*/*.map")
	if err != nil || len(names) == 0 {
		t.Skip("the MovingAI maps are not beside this checkout")
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			field := readMap(t, name)
			search := NewSearcher(field)
			list := readScenarios(t, name+".scen")
			var path []Cell
			wrong := 0
			for n, s := range list {
				if n%10 != 0 {
					continue
				}
				var length float64
				var ok bool
				path, length, ok = search.FindOctile(path[:0], s.from, s.to)
				if !ok || math.Abs(length-s.octile) > 1e-5*s.octile+1e-6 {
					if wrong++; wrong < 5 {
						t.Errorf("%v to %v: %v %v, want %v", s.from, s.to, length, ok, s.octile)
					}
				}
			}
		})
	}
}

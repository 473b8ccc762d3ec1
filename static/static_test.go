package static_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"mybot/static"
)

func get(t *testing.T, path, accept string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	w := httptest.NewRecorder()
	static.Handler().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) []byte {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func gzipped(t *testing.T, data []byte) int {
	t.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

func TestABuiltFileIsNamedByItsHash(t *testing.T) {
	hashed := regexp.MustCompile(`^/static/[a-z]+-[0-9A-Z]{8}\.[a-z0-9]+$`)
	for _, name := range []string{"app.js", "app.css", "cards.css", "cards.js", "goto.js", "workshop.js", "workshop.css", "jobs.js", "jobs.css", "mapping.js", "mapping.css", "share.js", "share.css", "more.js", "more.css", "parts.js", "parts.css", "playback.js", "playback.css", "loans.js", "loans.css", "video.js", "video.css", "pair.css", "theme.js", "noscript.css", "icon.svg", "inter.woff2"} {
		if path := static.Path(name); !hashed.MatchString(path) {
			t.Errorf("Path(%q) = %q, want a name with a hash", name, path)
		}
	}
	if path := static.Path("nothing.js"); path != "" {
		t.Errorf("a file that was not built has the path %q", path)
	}
}

func TestABrowserMayKeepAFileForEver(t *testing.T) {
	kinds := map[string]string{
		"app.js": "text/javascript; charset=utf-8", "app.css": "text/css; charset=utf-8",
		"inter.woff2": "font/woff2", "icon.svg": "image/svg+xml",
	}
	for name, kind := range kinds {
		r := get(t, static.Path(name), "")
		if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != kind {
			t.Errorf("%s: %s, %s", name, r.Status, r.Header.Get("Content-Type"))
		}
		if c := r.Header.Get("Cache-Control"); !strings.Contains(c, "immutable") {
			t.Errorf("%s: Cache-Control is %q", name, c)
		}
	}
}

func TestCompressedAndPlainAreTheSame(t *testing.T) {
	plain := body(t, get(t, static.Path("app.js"), ""))
	for accept, want := range map[string]string{"gzip": "gzip", "br, gzip;q=0.8": "gzip", "gzip;q=0": "", "identity": ""} {
		r := get(t, static.Path("app.js"), accept)
		if got := r.Header.Get("Content-Encoding"); got != want {
			t.Fatalf("Accept-Encoding %q: Content-Encoding is %q, want %q", accept, got, want)
		}
		data := body(t, r)
		if want == "gzip" {
			z, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if data, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(data, plain) {
			t.Errorf("Accept-Encoding %q returns another file", accept)
		}
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	for _, path := range []string{"/static/", "/static/app.js", "/static/../static.go", "/static/dist/app.js"} {
		if r := get(t, path, ""); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
}

// budgets are in bytes, with gzip. Those of app.js and app.css are for the first load; the
// other files load afterwards, or when they are first needed.
var budgets = map[string]int{
	"app.js":       45 << 10,
	"app.css":      9 << 10,
	"cards.css":    3 << 10,
	"cards.js":     8 << 10,
	"goto.js":      12 << 10,
	"workshop.js":  18 << 10, // of which 17 are full; it loads only for its tools
	"workshop.css": 2 << 10,
	"jobs.js":      22 << 10,
	"jobs.css":     3 << 10,
	"scripts.js":   14 << 10,
	"scripts.css":  2 << 10,
	"editor.js":    120 << 10,
	"try.js":       6 << 10,
	"try.css":      1 << 10,
	"live.js":      8 << 10,
	"mapping.js":   17 << 10, // of which 16 are full; it loads only where a map can be made
	"mapping.css":  2 << 10,
	"share.js":     3 << 10,
	"share.css":    1 << 10,
	"more.js":      2 << 10,
	"more.css":     1 << 10,
	"parts.js":     6 << 10,
	"parts.css":    1 << 10,
	"playback.js":  3 << 10,
	"playback.css": 1 << 10,
	"loans.js":     4 << 10,
	"loans.css":    1 << 10,
	"video.js":     12 << 10,
	"video.css":    3 << 10,
	"screen.js":    6 << 10,
	"screen.css":   5 << 10,
}

func TestThePageStaysWithinItsBudget(t *testing.T) {
	for name, budget := range budgets {
		size := gzipped(t, body(t, get(t, static.Path(name), "")))
		t.Logf("%s: %d of %d bytes, gzip", name, size, budget)
		if size > budget {
			t.Errorf("%s is %d bytes with gzip, the budget is %d", name, size, budget)
		}
	}
	if size := len(body(t, get(t, static.Path("inter.woff2"), ""))); size > 48<<10 {
		t.Errorf("the font is %d bytes, the budget is %d", size, 48<<10)
	}
}

func TestNothingIsAskedFromAnotherHost(t *testing.T) {
	other := regexp.MustCompile(`(https?:)?//[a-z][a-z0-9.-]+\.[a-z]{2,}`)
	for _, name := range []string{"app.js", "app.css", "cards.css", "cards.js", "goto.js", "workshop.js", "workshop.css", "jobs.js", "jobs.css", "mapping.js", "mapping.css", "share.js", "share.css", "more.js", "more.css", "video.js", "video.css", "pair.css", "theme.js", "noscript.css", "icon.svg"} {
		for _, address := range other.FindAllString(string(body(t, get(t, static.Path(name), ""))), -1) {
			if !strings.Contains(address, "//www.w3.org") { // the name of the SVG language
				t.Errorf("%s names %s", name, address)
			}
		}
	}
}

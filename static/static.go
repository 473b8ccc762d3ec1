// Package static contains the built files of the page and serves them.
//
// The files in dist are built from web/ by `go generate ./web` and are part of the source tree,
// so that the robot can be built with Go alone. Each file name has a hash of the content, so a
// browser may cache it without limit.
//
// Contract: everything here is safe for use by many goroutines.
package static

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed dist
var dist embed.FS

// Path returns the address of a built file by its plain name: "app.js" gives
// "/static/app-3F2A91BC.js". It is empty if there is no such file.
func Path(name string) string {
	ext := path.Ext(name)
	found, err := fs.Glob(dist, "dist/"+strings.TrimSuffix(name, ext)+"-*"+ext)
	if err != nil || len(found) != 1 {
		return ""
	}
	return "/static/" + path.Base(found[0])
}

// Handler serves the files under /static/. It compresses text for browsers that accept gzip,
// once, at the first request.
func Handler() http.Handler {
	files := map[string]file{}
	entries, err := dist.ReadDir("dist")
	if err != nil {
		panic("static: " + err.Error()) // dist is part of the binary
	}
	for _, e := range entries {
		data, err := dist.ReadFile("dist/" + e.Name())
		if err != nil {
			panic("static: " + err.Error())
		}
		files["/static/"+e.Name()] = newFile(e.Name(), data)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		f.serve(w, r)
	})
}

type file struct {
	kind  string // Content-Type
	plain []byte
	gzip  func() []byte // nil if compression does not pay
}

func newFile(name string, data []byte) file {
	f := file{plain: data, gzip: func() []byte { return nil }}
	switch path.Ext(name) { // not from package mime, which reads the system's tables
	case ".js":
		f.kind = "text/javascript; charset=utf-8"
	case ".css":
		f.kind = "text/css; charset=utf-8"
	case ".svg":
		f.kind = "image/svg+xml"
	case ".woff2":
		f.kind = "font/woff2"
		return f // already compressed
	}
	f.gzip = sync.OnceValue(func() []byte { return compressed(data) })
	return f
}

func compressed(data []byte) []byte {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil || out.Len() >= len(data) {
		return nil
	}
	return out.Bytes()
}

func (f file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	body := f.plain
	if packed := f.gzip(); packed != nil {
		h.Set("Vary", "Accept-Encoding")
		if takesGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body = packed
		}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// takesGzip parses an Accept-Encoding header; "gzip;q=0" means no.
func takesGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q = strings.ReplaceAll(q, " ", "")
			return q != "q=0" && q != "q=0.0" && q != "q=0.00" && q != "q=0.000"
		}
	}
	return false
}

package handlers

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"net/http"
	"sync"

	"github.com/go-chi/chi/v5/middleware"
)

// A turn is held while something for a request takes a processor for some milliseconds. One
// request has it at a time, so that many at once leave the other processors to the control
// loop. Who has it never waits for a caller to read.
type turn chan struct{}

func (t turn) take() (leave func()) {
	t <- struct{}{}
	return func() { <-t }
}

const (
	compressLevel = 6
	briefAnswer   = 4 << 10 // bytes; an answer that is not longer is compressed at once
)

// compress compresses pages and JSON, a long answer in its turn.
func (h *Handler) compress() func(http.Handler) http.Handler {
	c := middleware.NewCompressor(compressLevel, "text/html", "application/json")
	for name, newWriter := range map[string]func() any{
		"deflate": func() any { z, _ := flate.NewWriter(nil, compressLevel); return z }, // fails only at other levels
		"gzip":    func() any { z, _ := gzip.NewWriterLevel(nil, compressLevel); return z },
	} {
		idle := &sync.Pool{New: newWriter}
		c.SetEncoder(name, func(to io.Writer, _ int) io.Writer { return &compressor{to: to, turn: h.turn, idle: idle} })
	}
	return c.Handler
}

// A compressor compresses an answer when all of it is there.
type compressor struct {
	bytes.Buffer // what is to be compressed

	to   io.Writer
	turn turn
	idle *sync.Pool // of *gzip.Writer or *flate.Writer
}

// Close compresses the answer and writes it.
func (c *compressor) Close() error {
	var out bytes.Buffer
	if err := c.compressTo(&out); err != nil {
		return err
	}
	_, err := c.to.Write(out.Bytes())
	return err
}

func (c *compressor) compressTo(out *bytes.Buffer) error {
	if c.Len() > briefAnswer {
		defer c.turn.take()()
	}
	z := c.idle.Get().(interface {
		io.WriteCloser
		Reset(to io.Writer)
	})
	defer c.idle.Put(z)
	z.Reset(out)
	if _, err := c.WriteTo(z); err != nil {
		return err
	}
	return z.Close()
}

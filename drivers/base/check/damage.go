package check

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"mybot/drivers/base/protocol"
)

// patience is how long the base may take to answer a ping after many lines. A serial port
// takes seconds to transmit them.
func (c *checker) patience() time.Duration {
	if c.Kind == Serial {
		return 10 * time.Second
	}
	return 2 * time.Second
}

// checkDamaged sends pings whose checksum is wrong and, at a serial port, one without.
func (c *checker) checkDamaged(ctx context.Context) error {
	const rule, wrong, without, right = "skips lines with a wrong checksum", 11, 12, 13
	line, err := protocol.AppendLine(nil, protocol.Ping{ID: wrong}, true)
	if err != nil {
		return err
	}
	line[len(line)-2] ^= 1 // swaps 0 and 1, 2 and 3, ...: the result is still a hex digit
	if c.Kind == Serial {
		if line, err = protocol.AppendLine(line, protocol.Ping{ID: without}, false); err != nil {
			return err
		}
	}
	if line, err = protocol.AppendLine(line, protocol.Ping{ID: right}, true); err != nil {
		return err
	}
	if err := c.line.write(line); err != nil {
		return err
	}
	answered := map[int64]bool{}
	ok, err := c.line.awaitPong(ctx, right, c.patience(), func(id int64) { answered[id] = true })
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		c.tell(rule, false, fmt.Sprintf("after a line with a wrong checksum %v; it must skip such a line", err))
		return err
	case answered[wrong]:
		c.tell(rule, false, "it answered a ping whose checksum was wrong; it must skip such a line")
	case answered[without]:
		c.tell(rule, false, "it answered a ping without a checksum; at a serial port it must skip such a line")
	case !ok:
		c.tell(rule, false, "it did not answer a ping with the right checksum; any line may end with ~ and its checksum, which the base must check and cut off")
	default:
		c.tell(rule, true, "it answered only the ping with the right checksum")
	}
	return nil
}

// harmless are lines that do not move the robot even with one byte changed: they have long
// expired or ask for standstill.
var harmless = []string{
	`{"t":"drive","n":1,"until":1,"v":0,"w":0}`, `{"t":"ping","id":21}`, `{"t":"look","pan":0,"tilt":0}`, `{"t":"show","lines":[]}`,
}

// mutate changes, inserts or removes a byte of a line.
func mutate(line string, random *rand.Rand) []byte {
	at, b := random.IntN(len(line)), byte(random.IntN(256))
	if b == '\n' {
		b = '0'
	}
	switch random.IntN(3) {
	case 0:
		return []byte(line[:at] + string([]byte{b}) + line[at+1:])
	case 1:
		return []byte(line[:at] + string([]byte{b}) + line[at:])
	}
	return []byte(line[:at] + line[at+1:])
}

const mutations = 1000

// checkMutations sends lines with one damaged byte each.
func (c *checker) checkMutations(ctx context.Context) error {
	random := rand.New(rand.NewPCG(1, 2))
	return c.checkNoise(ctx, fmt.Sprintf("survives %d damaged lines", mutations), fmt.Sprintf("%d damaged lines", mutations), nil, 14, c.pingsAfterFlood(), func() error {
		var lines []byte
		for i := range mutations {
			line := mutate(harmless[i%len(harmless)], random)
			lines = append(lines, line...)
			if c.Kind == Serial {
				lines = fmt.Appendf(lines, "~%04X", protocol.Checksum(line))
			}
			if lines = append(lines, '\n'); i%20 < 19 {
				continue
			}
			if err := c.line.write(lines); err != nil {
				return err
			}
			lines = lines[:0]
			if _, err := c.line.collect(ctx, 5*time.Millisecond); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkLongLine sends a line that is far too long: a megabyte, or 2 s of data at a serial
// port.
func (c *checker) checkLongLine(ctx context.Context) error {
	length, piece := 1<<20, bytes.Repeat([]byte("x"), 1<<14)
	if c.Kind == Serial {
		length, piece = 23_000, bytes.Repeat([]byte("x"), 500)
	}
	return c.checkNoise(ctx, "survives an endless line", fmt.Sprintf("a line of %d bytes", length), nil, 15, c.pingsAfterFlood(), func() error {
		for sent := 0; sent < length; sent += len(piece) {
			if err := c.line.write(piece); err != nil {
				return err
			}
			if _, err := c.line.collect(ctx, time.Millisecond); err != nil {
				return err
			}
		}
		return c.line.write([]byte("\n"))
	})
}

// pingsAfterFlood returns how many pings a base may need after seconds of data: they fill the
// buffers of a serial port, and the first ping may be lost with them.
func (c *checker) pingsAfterFlood() int {
	if c.Kind == Serial {
		return 2
	}
	return 1
}

// checkNoise sends data that a base must skip, followed by a ping, again if that is not
// answered, but no more than pings times. If the base executes one of lines, the report names
// it by the number in got.
func (c *checker) checkNoise(ctx context.Context, rule, what string, lines []string, id int64, pings int, send func() error) error {
	before := c.line.newest
	var ok bool
	err := send()
	for n := 0; n < pings && !ok && err == nil; n++ {
		if err = c.line.send(protocol.Ping{ID: id}); err == nil {
			ok, err = c.line.awaitPong(ctx, id, c.patience(), func(int64) {})
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var after []sample
	if err == nil {
		after, err = c.line.collect(ctx, 300*time.Millisecond)
	}
	switch {
	case err != nil:
		c.tell(rule, false, fmt.Sprintf("after %s %v; it must skip them and continue with the next line", what, err))
		return err
	case len(after) == 0:
		c.tell(rule, false, fmt.Sprintf("after %s no more readings came; it must skip them and continue with the next line", what))
		return errSilent
	case c.line.newest.Got != before.Got, farther(difference(before, c.line.newest)) > still:
		executed := "one of " + what
		for _, line := range lines {
			if strings.Contains(line, fmt.Sprintf(`"n":%d,`, c.line.newest.Got)) {
				executed = line
			}
		}
		c.tell(rule, false, fmt.Sprintf("it executed %s; it must skip malformed lines", executed))
	case !ok:
		c.tell(rule, false, fmt.Sprintf("a ping behind %s was not answered within %g s; it must skip them and continue with the next line", what, c.patience().Seconds()))
	default:
		c.tell(rule, true, "it skipped "+what+" and answered the ping behind")
	}
	return nil
}

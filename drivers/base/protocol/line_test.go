package protocol_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mybot/drivers/base/protocol"
)

func TestTheChecksumIsThatOfTheCatalogue(t *testing.T) {
	if got := protocol.Checksum([]byte("123456789")); got != 0x29B1 {
		t.Errorf("the checksum of 123456789 is %04X, but CRC-16/CCITT-FALSE gives 29B1", got)
	}
}

func TestLinesComeInPieces(t *testing.T) {
	const max = 10
	stream := "one\r\n\n\r\ntwo\n" + strings.Repeat("x", max) + "\n" + strings.Repeat("y", max) + "\r\n" +
		strings.Repeat("z", max+1) + "\nthree\n" + strings.Repeat("u", max) + "\rv\nfour\n" + strings.Repeat("w", 100) + "\nfive\nhalf"
	want := []string{"one", "two", strings.Repeat("x", max), strings.Repeat("y", max), "too long", "three", "too long", "four", "too long", "five"}
	rapid.Check(t, func(t *rapid.T) {
		s := protocol.NewSplitter(max)
		var got []string
		for rest := []byte(stream); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "bytes")
			s.Split(rest[:n], func(line []byte, err error) {
				switch {
				case err == nil:
					got = append(got, string(line))
				case strings.Contains(err.Error(), "it is longer than 10 bytes; it must be shorter, and end with a newline"):
					got = append(got, "too long")
				default:
					t.Error(err)
				}
			})
			rest = rest[n:]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("the lines are\n%q\nwant\n%q", got, want)
		}
	})
}

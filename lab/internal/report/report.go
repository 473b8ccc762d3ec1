// Package report formats the outcomes of experiments as text.
package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// verb matches a verb of package fmt with its width.
var verb = regexp.MustCompile(`%-?(\d*)(?:\.\d+)?[a-z]`)

// Table writes headings and rows. A column is "heading|format"; the format has one or more verbs,
// each with a width, and values returns the values of a row in order. A heading is as wide as its
// column and aligned like its first verb, to the left or to the right. It may have two lines.
// Blanks before a format also precede its heading.
func Table[T any](b *strings.Builder, columns []string, rows []T, values func(T) []any) {
	var heads [2][]string
	formats := make([]string, len(columns))
	for i, column := range columns {
		head, format, _ := strings.Cut(column, "|")
		formats[i] = format
		first, second, _ := strings.Cut(head, "\n")
		heads[0], heads[1] = append(heads[0], headOver(format, first)), append(heads[1], headOver(format, second))
	}
	for _, line := range heads {
		if text := strings.TrimRight(strings.Join(line, " "), " "); text != "" {
			fmt.Fprintln(b, text)
		}
	}
	for _, row := range rows {
		fmt.Fprintf(b, strings.Join(formats, " ")+"\n", values(row)...)
	}
}

// headOver returns the heading of a column, padded to its format.
func headOver(format, head string) string {
	column := strings.TrimLeft(format, " ")
	width := utf8.RuneCountInString(strings.ReplaceAll(verb.ReplaceAllString(column, ""), "%%", "%"))
	for _, v := range verb.FindAllStringSubmatch(column, -1) {
		n, _ := strconv.Atoi(v[1]) // a verb without a width has none
		width += n
	}
	if strings.HasPrefix(column, "%-") {
		width = -width
	}
	return fmt.Sprintf("%s%*s", format[:len(format)-len(column)], width, head)
}

// Fact writes one line of a list: a label, padded to width, and its value.
func Fact(b *strings.Builder, width int, what, format string, args ...any) {
	fmt.Fprintf(b, "  %-*s %s\n", width, what, fmt.Sprintf(format, args...))
}

// SeedRange names the range of the seeds.
func SeedRange(seeds []uint64) string {
	return fmt.Sprintf("seeds %d to %d", seeds[0], seeds[len(seeds)-1])
}

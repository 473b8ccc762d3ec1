package report

import (
	"strings"
	"testing"
)

func TestHeadingsStandOverTheirColumns(t *testing.T) {
	type row struct {
		name  string
		n, of int
		share float64
	}
	var b strings.Builder
	Table(&b, []string{"name|%-6s", "found\nof|  %3d/%-3d", "share|%5.1f%%", "|%s"}, []row{{"a", 1, 20, 5}, {"bc", 12, 12, 100}}, func(r row) []any {
		return []any{r.name, r.n, r.of, r.share, "."}
	})
	want := "name       found  share\n              of\na          1/20    5.0% .\nbc        12/12  100.0% .\n"
	if got := b.String(); got != want {
		t.Errorf("the table is\n%swant\n%s", got, want)
	}
}

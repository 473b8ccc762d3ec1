package examples_test

import (
	"strings"
	"testing"

	"mybot/drivers/base/examples"
)

// An example is read before it is changed, so it must be short.
func TestAnExampleIsReadInAnAfternoon(t *testing.T) {
	for _, e := range examples.All() {
		if lines := strings.Count(e.Text, "\n"); lines == 0 || lines >= 150 {
			t.Errorf("%s has %d lines; it must have less than 150", e.Name, lines)
		}
		found, ok := examples.Find(e.Name)
		if !ok || found != e {
			t.Errorf("%s is not found", e.Name)
		}
	}
	if _, ok := examples.Find("cobol"); ok {
		t.Error("there is an example in COBOL")
	}
}

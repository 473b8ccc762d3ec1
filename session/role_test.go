package session

import (
	"strings"
	"testing"
)

func TestRolesReadAsTheyAreWritten(t *testing.T) {
	for r := Stranger; r <= Admin; r++ {
		var back Role
		if text, err := r.MarshalText(); err != nil || back.UnmarshalText(text) != nil || back != r {
			t.Errorf("%v reads back as %v", r, back)
		}
	}
	var r Role
	if err := r.UnmarshalText([]byte("king")); err == nil || !strings.Contains(err.Error(), "observer, operator, admin") {
		t.Errorf("a role that is none gives %v", err)
	}
	if got := Role(9).String(); got != "role(9)" {
		t.Errorf("a role that is none is called %q", got)
	}
}

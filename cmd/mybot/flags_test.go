package main

import (
	"strings"
	"testing"
)

func TestAMistypedRelayDoesNotShowItsPassword(t *testing.T) {
	_, err := parseOptions([]string{"--turn", "turn:mybot:secret@nowhere"})
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "turn:USER:PASSWORD@HOST:PORT") {
		t.Errorf("it is answered with %v", err)
	}
}

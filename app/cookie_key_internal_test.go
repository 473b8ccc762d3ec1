package app

import (
	"bytes"
	"testing"
)

func TestTheKeyOfCookiesIsTheSameAfterARestart(t *testing.T) {
	dir := t.TempDir()
	first := cookieKey(dir, quiet())
	if second := cookieKey(dir, quiet()); !bytes.Equal(first, second) || len(first) != 32 {
		t.Errorf("the key was %x and is %x", first, second)
	}
	if other := cookieKey("", quiet()); bytes.Equal(first, other) {
		t.Error("a robot without a directory has the same key")
	}
}

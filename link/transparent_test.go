package link

import (
	"testing"
	"time"
)

func TestAPathIsTransparentUntilItIsImpaired(t *testing.T) {
	network := NewNetwork(Profile{}, 1)
	up, down := network.Join()
	if !up.Transparent() || !down.Transparent() {
		t.Error("a network that bends nothing is not straight")
	}
	for _, impaired := range []Profile{{RoundTrip: 1}, {Jitter: 1}, {Loss: 0.01}, {StallMin: 1, StallMax: 2}} {
		network.Change(impaired)
		if up.Transparent() || down.Transparent() {
			t.Errorf("%+v counts as straight", impaired)
		}
	}
	network.Change(Profile{StallGap: time.Second})
	if !up.Transparent() || !down.Transparent() {
		t.Error("a time between stalls of which there are none bends the path")
	}
	up.BlackHole(time.Unix(0, 0), Forever())
	if up.Transparent() || !down.Transparent() {
		t.Error("a black hole in one direction is one in that direction alone")
	}
}

package link

import (
	"testing"
	"time"
)

func TestAPathIsTransparentUntilItIsImpaired(t *testing.T) {
	network := NewNetwork(Profile{}, 1)
	up, down := network.AddUser()
	if !up.IsTransparent() || !down.IsTransparent() {
		t.Error("a network that bends nothing is not straight")
	}
	for _, impaired := range []Profile{{RoundTrip: 1}, {Jitter: 1}, {Loss: 0.01}, {StallMin: 1, StallMax: 2}} {
		network.SetProfile(impaired)
		if up.IsTransparent() || down.IsTransparent() {
			t.Errorf("%+v counts as straight", impaired)
		}
	}
	network.SetProfile(Profile{StallGap: time.Second})
	if !up.IsTransparent() || !down.IsTransparent() {
		t.Error("a time between stalls of which there are none bends the path")
	}
	up.BlackHole(time.Unix(0, 0), time.Unix(1<<40, 0))
	if up.IsTransparent() || !down.IsTransparent() {
		t.Error("a black hole in one direction is one in that direction alone")
	}
}

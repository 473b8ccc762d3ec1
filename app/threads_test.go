package app_test

import (
	"runtime"
	"testing"

	"mybot/app"
)

func TestAServerRunsTwoGoroutinesACoreUnlessTheEnvironmentSaysHowMany(t *testing.T) {
	was := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(was)
	if before := app.SetThreads(func(string) string { return "3" }); before != 3 || runtime.GOMAXPROCS(0) != 3 {
		t.Errorf("GOMAXPROCS=3: %d before, %d now", before, runtime.GOMAXPROCS(0))
	}
	if before := app.SetThreads(func(string) string { return "" }); before != 3 || runtime.GOMAXPROCS(0) != 2*runtime.NumCPU() {
		t.Errorf("no GOMAXPROCS: %d before, %d now, on %d cores", before, runtime.GOMAXPROCS(0), runtime.NumCPU())
	}
}

package app

import "runtime"

// threadsPerCore is how many goroutines may run at once for each core. With one
// the control loop waits for pictures that are being encoded; with two the
// system, which lets go first who has slept, decides (docs/benchmarks.md).
const threadsPerCore = 2

// SetThreads lets as many goroutines run at once as a server needs, unless GOMAXPROCS
// in the environment, of which env looks up a variable, says how many. It returns how
// many it was before.
func SetThreads(env func(string) string) (before int) {
	if env("GOMAXPROCS") != "" {
		return runtime.GOMAXPROCS(0)
	}
	return runtime.GOMAXPROCS(threadsPerCore * runtime.NumCPU())
}

package app

import "runtime"

// threadsPerCore is how many goroutines may run at once per core. With one, the
// control loop waits for pictures that are being encoded; with two, the operating
// system decides, which prefers threads that have slept (docs/benchmarks.md).
const threadsPerCore = 2

// SetThreads lets as many goroutines run at once as a server needs, unless
// GOMAXPROCS is set in the environment, which env looks up. It returns the previous
// number.
func SetThreads(env func(string) string) (before int) {
	if env("GOMAXPROCS") != "" {
		return runtime.GOMAXPROCS(0)
	}
	return runtime.GOMAXPROCS(threadsPerCore * runtime.NumCPU())
}

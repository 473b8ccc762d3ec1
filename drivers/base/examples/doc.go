// Package examples holds bases to start from: programs that follow every rule of
// mybot.base and run unchanged, with simulated wheels where there are no real ones.
// Its tests run them as Mybot does.
package examples

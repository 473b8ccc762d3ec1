// Package examples holds bases to begin with: programs that follow every rule of
// mybot.base and run as they stand, with simulated wheels where there are no others.
// Its tests run them as Mybot does.
package examples

// Package check finds out whether a base follows the rules of mybot.base. It speaks
// with the base as Mybot would, drives it a little, and says of each rule in a
// sentence whether the base follows it, and if not, what the base did and what would be right.
//
// Run has one goroutine that reads for each connection; all have ended when it
// returns. What judges is pure.
package check

// Package check tests whether a base follows the rules of mybot.base. It talks to the base
// as Mybot does and drives it a little. For each rule it reports in a sentence whether the
// base follows it, and if not, what the base did and what would be right.
//
// Run has one reader goroutine for each connection; all of them have ended when it returns.
// The functions that judge are pure.
package check

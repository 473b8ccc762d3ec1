// Package drivertest is the conformance suite for the contract of robot.Driver. The tests of
// every driver run it:
//
//	drivertest.Run(t, func(t *testing.T) robot.Driver { ... }, drivertest.Options{Bubble: true})
//
// The suite drives the base: a circle of 2 m around it must be free. It opens and closes a
// driver for each rule.
package drivertest

import (
	"testing"
	"testing/synctest"

	"mybot/robot"
)

// Options configure the suite.
type Options struct {
	// Bubble runs each rule in a testing/synctest bubble, where time is virtual. The driver
	// must take its time from package time alone.
	Bubble bool
}

// A Rule is one sentence of the contract.
type Rule struct {
	Name string
	// Check returns nil if a new driver, at rest, follows the rule; otherwise the error says
	// what the driver did instead. The caller closes the driver.
	Check func(robot.Driver) error
}

// Run checks all Rules, each in a subtest with a new driver from open.
func Run(t *testing.T, open func(t *testing.T) robot.Driver, o Options) {
	for _, rule := range Rules() {
		check := func(t *testing.T) {
			d := open(t)
			defer func() {
				if err := d.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			}()
			if err := rule.Check(d); err != nil {
				t.Error(err)
			}
		}
		t.Run(rule.Name, func(t *testing.T) {
			if o.Bubble {
				synctest.Test(t, check)
			} else {
				check(t)
			}
		})
	}
}

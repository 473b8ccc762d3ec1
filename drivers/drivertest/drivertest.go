// Package drivertest is the conformance suite of the driver contract in
// robot.Driver. Every driver's own tests run it:
//
//	drivertest.Run(t, func(t *testing.T) robot.Driver { ... }, drivertest.Options{Bubble: true})
//
// The suite drives the base about: a circle of 2 m around it must be free. It
// opens a driver for each rule and closes it.
package drivertest

import (
	"testing"
	"testing/synctest"

	"mybot/robot"
)

// Options say how the suite runs.
type Options struct {
	// Bubble runs each rule in a testing/synctest bubble, where time is
	// virtual: for drivers that take their time from package time alone.
	Bubble bool
}

// A Rule is one sentence of the contract.
type Rule struct {
	Name string
	// Check returns nil when the driver, fresh and standing still, keeps the
	// rule, and else what it did instead. It leaves closing to the caller.
	Check func(robot.Driver) error
}

// Run holds the driver that open returns to all Rules, each in a subtest and
// with a driver of its own.
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

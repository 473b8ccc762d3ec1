package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mybot/script"
)

// scriptUsage lists what script takes.
const scriptUsage = "script takes check and the FILE of a script"

// scriptCommand checks scripts.
func scriptCommand(_ context.Context, args []string, in io.Reader, stdout io.Writer, _ func(string) string) error {
	var t target
	set := t.defineFlags("script")
	words, err := parseAll(set, args)
	if err != nil {
		return err
	}
	if len(words) == 2 && words[0] == "check" {
		return checkScript(words[1], in, stdout)
	}
	return usageError{errors.New(scriptUsage)}
}

// readScript reads the text of a script from a file; "-" = from in.
func readScript(file string, in io.Reader) (string, error) {
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("the script cannot be read: %w", err)
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, script.MaxScript+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("the script cannot be read: %w", err)
	case len(text) > script.MaxScript:
		return "", fmt.Errorf("%s has more than %d bytes, the most that a script can have", file, script.MaxScript)
	}
	return string(text), nil
}

// checkScript prints every fault of a script; no robot is needed.
func checkScript(file string, in io.Reader, stdout io.Writer) error {
	text, err := readScript(file, in)
	if err != nil {
		return err
	}
	if err := faultsOf(file, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s is valid. Names of devices and functions are checked by the robot.\n", file)
	return err
}

// faultsOf returns the faults of a script as an error, a line each.
func faultsOf(file, text string) error {
	_, faults := script.Parse(text)
	if len(faults) == 0 {
		return nil
	}
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = fmt.Sprintf("%s: %v", file, f)
	}
	return errors.New(strings.Join(lines, "\n"))
}

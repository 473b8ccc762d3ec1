package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"text/tabwriter"
	"time"
)

// motionsCommand lists the drives by hand that a robot has kept, gets one of them as a
// file, or adds one.
func motionsCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t target
	words, err := parseAll(t.flags("motions"), args)
	if err != nil {
		return err
	}
	const path = "/api/v1/motions"
	var do func(c *Client) error
	switch {
	case len(words) == 1 && words[0] == "list":
		do = func(c *Client) error { return listMotions(ctx, c, path, stdout) }
	case len(words) == 2 && words[0] == "get":
		n, err := strconv.ParseUint(words[1], 10, 64)
		if err != nil {
			return usageError{fmt.Errorf("%q is not the number of a motion; 'mybot motions list' lists the motions", words[1])}
		}
		do = func(c *Client) error {
			file, err := c.Get(ctx, http.MethodGet, fmt.Sprintf("%s/%d", path, n), nil)
			if err == nil {
				_, err = stdout.Write(file)
			}
			return err
		}
	case len(words) == 2 && words[0] == "add":
		file, err := os.ReadFile(words[1])
		if err != nil {
			return fmt.Errorf("the motion cannot be read: %w", err)
		}
		do = func(c *Client) error {
			body, err := c.Send(ctx, http.MethodPost, path, "application/json", string(file))
			if err != nil {
				return err
			}
			var made struct{ N uint64 }
			if err := json.Unmarshal(body, &made); err != nil {
				return fmt.Errorf("the answer of the robot at %s cannot be read: %w", c.base, err)
			}
			_, err = fmt.Fprintf(stdout, "Added as motion %d.\n", made.N)
			return err
		}
	default:
		return usageError{errors.New("motions takes list, get and the number of a motion (printed as JSON), or add and such a file")}
	}
	c, err := t.requireRobot(env)
	if err != nil {
		return err
	}
	return do(c)
}

func listMotions(ctx context.Context, c *Client, path string, stdout io.Writer) error {
	body, err := c.Get(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	var list struct {
		Motions []struct {
			N      uint64
			Name   string
			At     time.Time
			Length float64
			Time   float64
		}
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return fmt.Errorf("the answer of the robot at %s cannot be read: %w", c.base, err)
	}
	if len(list.Motions) == 0 {
		_, err := fmt.Fprintln(stdout, "No recorded drives.")
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "N\tNAME\tDRIVEN\tLENGTH\tTIME") // Flush tells of a fault
	for _, m := range list.Motions {
		_, _ = fmt.Fprintf(w, "%d\t%s\t%s\t%.1f m\t%.0f s\n", m.N, m.Name, m.At.Local().Format("2006-01-02 15:04"), m.Length, m.Time)
	}
	return w.Flush()
}

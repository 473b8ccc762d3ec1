package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"mybot/client"
)

// motionsCommand lists the recorded drives of a robot, downloads one as a file, or adds one.
func motionsCommand(ctx context.Context, args []string, stdout io.Writer, env func(string) string) error {
	var t target
	words, err := parseAll(t.defineFlags("motions"), args)
	if err != nil {
		return err
	}
	var do func(c *client.Client) error
	switch {
	case len(words) == 1 && words[0] == "list":
		do = func(c *client.Client) error { return listMotions(ctx, c, stdout) }
	case len(words) == 2 && words[0] == "get":
		n, err := strconv.ParseUint(words[1], 10, 64)
		if err != nil {
			return usageError{fmt.Errorf("%q is not the number of a motion; 'mybot motions list' lists the motions", words[1])}
		}
		do = func(c *client.Client) error {
			file, err := c.GetBody(ctx, fmt.Sprintf("%s/%d", client.MotionsPath, n))
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
		do = func(c *client.Client) error {
			n, err := c.AddMotion(ctx, file)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(stdout, "Added as motion %d.\n", n)
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

func listMotions(ctx context.Context, c *client.Client, stdout io.Writer) error {
	list, err := c.ListMotions(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(stdout, "No recorded drives.")
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "N\tNAME\tDRIVEN\tLENGTH\tTIME") // Flush reports an error
	for _, m := range list {
		_, _ = fmt.Fprintf(w, "%d\t%s\t%s\t%.1f m\t%.0f s\n", m.N, m.Name, time.Time(m.At).Local().Format("2006-01-02 15:04"), m.Length, m.Duration)
	}
	return w.Flush()
}

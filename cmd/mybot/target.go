package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"

	"mybot/app"
	"mybot/client"
)

// connectRobot opens a connection to the robot.
func connectRobot(ctx context.Context, c *client.Client) (*client.Conn, error) {
	conn, err := c.Connect(ctx, "Command line", buildName())
	var refused client.RefusedError
	if errors.As(err, &refused) && refused.Status == http.StatusUnauthorized {
		return nil, fmt.Errorf("the robot at %s does not know this command line; pair it first: mybot pair --robot %s", c.BaseURL(), c.BaseURL())
	}
	return conn, err
}

// withIdentity reuses the stored identity of this user if the robot has no other means to
// recognize users, so that successive commands appear as one user. If the identity cannot be
// stored, each command appears as a separate user.
func withIdentity(c *client.Client, env func(string) string) (*client.Client, error) {
	if !c.NeedsIdentity() {
		return c, nil
	}
	identity := client.NewIdentity()
	path, err := client.PairingsFile(env)
	if err != nil {
		return c.WithIdentity(identity), nil
	}
	known, err := client.ReadPairings(path)
	if err != nil {
		return nil, err
	}
	p := known[c.BaseURL()]
	if p.Identity == "" {
		p.Identity = identity
		known[c.BaseURL()] = p
		_ = known.Write(path) // fails if the home is read-only
	}
	return c.WithIdentity(p.Identity), nil
}

// parseAddress reads the --robot of a sub-command. code is the code of a pairing link, if it
// is one.
func parseAddress(text string) (base, code string, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", "", usageError{fmt.Errorf("--robot %q is not the address of a robot: write it as http://192.168.1.7:8080", text)}
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), u.Query().Get("code"), nil
}

// A target holds the flags of a sub-command that select the robot.
type target struct{ robot, data string }

func (t *target) defineFlags(name string) *flag.FlagSet {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard) // run reports the error
	set.StringVar(&t.robot, "robot", "", "`URL` of the robot (default: the one running on this computer)")
	set.StringVar(&t.data, "data", "", "data `DIR` of the robot running on this computer")
	return set
}

// findRobot returns the client for the selected robot: the one at --robot, or the one that
// runs on the data directory. The error is fs.ErrNotExist if none does.
func (t target) findRobot(env func(string) string) (*client.Client, error) {
	if t.robot == "" {
		dir, err := options{data: t.data}.dataDir(env)
		if err != nil {
			return nil, err
		}
		key, err := app.ReadKey(dir)
		if err != nil {
			return nil, err
		}
		return client.New(key.URL, client.Options{Token: key.Token, Roots: key.Roots, ServerName: key.Name})
	}
	base, _, err := parseAddress(t.robot)
	if err != nil {
		return nil, err
	}
	var p client.Pairing
	path, err := client.PairingsFile(env)
	if err == nil { // even without a home: the robot may need no token
		known, err := client.ReadPairings(path)
		if err != nil {
			return nil, err
		}
		p = known[base]
	}
	return client.New(base, client.Options{Token: p.Token, Roots: p.CA})
}

// requireRobot is findRobot for a sub-command that needs a running robot.
func (t target) requireRobot(env func(string) string) (*client.Client, error) {
	c, err := t.findRobot(env)
	return c, explainAbsence(err)
}

// explainAbsence returns the error of findRobot for a person.
func explainAbsence(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no robot of this user is running on this computer: name one with --robot URL, or its data directory with --data DIR")
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the robot of that data directory is another user's: use sudo, or name it with --robot URL (%w)", err)
	}
	return err
}

// parseAll parses the args of a sub-command, with flags and words in any order.
func parseAll(set *flag.FlagSet, args []string) (words []string, err error) {
	for {
		if err := set.Parse(args); err != nil {
			return nil, usageError{err}
		}
		if args = set.Args(); len(args) == 0 {
			return words, nil
		}
		words, args = append(words, args[0]), args[1:]
	}
}

// isFileName reports whether a word can only be the name of a file: the ids of jobs, scripts
// and runs have neither dots nor folders.
func isFileName(word string) bool { return strings.ContainsAny(word, `./\`) }

// isGiven reports whether a flag is among the args that were parsed.
func isGiven(set *flag.FlagSet, name string) (given bool) {
	set.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// parseFlagsOnly parses the args of a sub-command that takes no words.
func parseFlagsOnly(set *flag.FlagSet, args []string) error {
	words, err := parseAll(set, args)
	if err == nil && len(words) > 0 {
		return usageError{fmt.Errorf("%q is not a flag; %s takes only flags", words[0], set.Name())}
	}
	return err
}

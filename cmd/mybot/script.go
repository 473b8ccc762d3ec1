package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"

	"mybot/app"
	"mybot/client"
	"mybot/script"
	scripts "mybot/script/client"
)

// scriptUsage lists what script takes.
const scriptUsage = "script takes check, try or run and a FILE, run or stop and the id of a saved script, talk, list, record or play and a FILE, or mirror and --to"

// A scriptTarget is the robot that a script command addresses, with the command's other
// flags.
type scriptTarget struct {
	target
	urbi    string // address of its port for scripts; "" = the usual one
	to      string // the robot that mirrors it
	control bool
	devices string
	whatIf  string // FILE of try; "" = none
	in      io.Reader
	out     io.Writer
	env     func(string) string
}

// scriptCommand checks scripts, runs them, and talks to the robot's port for scripts.
func scriptCommand(ctx context.Context, args []string, in io.Reader, stdout io.Writer, env func(string) string) error {
	t := scriptTarget{in: in, out: stdout, env: env}
	set := t.defineFlags("script")
	set.StringVar(&t.urbi, "urbi", "", "`HOST:PORT` of the robot's port for scripts (default: that of the robot on this computer, or port "+script.DefaultPort+" of the one at --robot)")
	set.StringVar(&t.to, "to", "", "`HOST:PORT` of the port for scripts of the robot that mirrors this one")
	set.BoolVar(&t.control, "control", false, "take control first, so that the script may move the robot")
	set.StringVar(&t.devices, "devices", "", "`LIST` of what to record, such as headPan.val,drive.val (default: head and wheels)")
	set.StringVar(&t.whatIf, "what-if", "", "`FILE` of a script that runs beside the one to try, and may set what is measured")
	lasts := set.Duration("for", 0, "how long to record or to try, such as 90s")
	words, err := parseAll(set, args)
	if err != nil {
		return err
	}
	what, named := "", ""
	if len(words) > 0 {
		what = words[0]
	}
	if len(words) == 2 {
		named = words[1]
	}
	needs, known := map[string]int{"check": 2, "try": 2, "run": 2, "stop": 2, "talk": 1, "list": 1, "record": 2, "play": 2, "mirror": 1}[what]
	switch {
	case !known || len(words) != needs || (what == "mirror") != (t.to != "") || t.whatIf != "" && what != "try":
		return usageError{errors.New(scriptUsage)}
	case *lasts < 0 || isGiven(set, "for") && *lasts == 0:
		return usageError{fmt.Errorf("--for %s is not a length, such as 90s", *lasts)}
	}
	if *lasts > 0 && what != "try" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, *lasts)
		defer cancel()
	}
	switch what {
	case "check":
		return checkScript(named, in, stdout)
	case "try":
		return t.try(ctx, named, *lasts)
	case "run":
		return t.run(ctx, named)
	case "stop":
		return t.stop(ctx, named)
	case "talk":
		return t.talk(ctx)
	case "list":
		return t.list(ctx)
	case "record":
		return t.record(ctx, named)
	case "play":
		return t.play(ctx, named)
	default:
		return t.mirror(ctx)
	}
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

// connect connects to the robot's port for scripts.
func (t *scriptTarget) connect(ctx context.Context) (*scripts.Client, error) {
	address, opt, err := t.findPort()
	if err != nil {
		return nil, err
	}
	return dialPort(ctx, address, opt)
}

// dialPort connects to a port for scripts.
func dialPort(ctx context.Context, address string, opt scripts.Options) (*scripts.Client, error) {
	c, err := scripts.Dial(ctx, address, opt)
	if opt.TLS == nil {
		err = explainSilence(address, err)
	}
	return c, err
}

// explainSilence says what to do about a port that says nothing without TLS.
func explainSilence(address string, err error) error {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return fmt.Errorf("the port for scripts at %s says nothing: one that is open to the network needs TLS and a token. Pair with its robot first (mybot pair --robot https://HOST:8080), then address the port by the same HOST, which must not be this computer's localhost (%w)", address, err)
}

// findPort returns the address of the robot's port for scripts, and how to connect to it.
func (t *scriptTarget) findPort() (address string, opt scripts.Options, err error) {
	switch {
	case t.robot != "":
		return t.portOfRobot()
	case t.urbi != "":
		opt, err = t.optionsAt(t.urbi)
		return t.urbi, opt, err
	}
	dir, err := options{data: t.data}.dataDir(t.env)
	if err != nil {
		return "", opt, err
	}
	key, err := app.ReadKey(dir)
	switch {
	case err != nil:
		return "", opt, errors.New("no robot of this user is running on this computer: name one with --robot URL, or its port for scripts with --urbi HOST:PORT")
	case key.Urbi == "":
		return "", opt, errors.New("the robot on this computer has no port for scripts: start it without --urbi off")
	}
	opt, err = optionsByKey(key)
	return key.Urbi, opt, err
}

// portOfRobot is findPort for the robot at --robot.
func (t *scriptTarget) portOfRobot() (address string, opt scripts.Options, err error) {
	base, _, err := parseAddress(t.robot)
	if err != nil {
		return "", opt, err
	}
	u, err := url.Parse(base)
	if err != nil {
		return "", opt, err
	}
	address = t.urbi
	if address == "" {
		address = net.JoinHostPort(u.Hostname(), script.DefaultPort)
	}
	if u.Scheme == "http" {
		return address, opt, nil // only a robot on this computer
	}
	path, err := client.PairingsFile(t.env)
	if err != nil {
		return "", opt, err
	}
	pairings, err := client.ReadPairings(path)
	if err != nil {
		return "", opt, err
	}
	opt, err = optionsByPairing(pairings[base], u.Hostname())
	return address, opt, err
}

// optionsAt returns how to connect to a port for scripts of which only the address is known:
// by the key of the robot on this computer if it is that one's port, on another host by the
// pairing with the robot there, otherwise without TLS.
func (t *scriptTarget) optionsAt(address string) (opt scripts.Options, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return opt, usageError{fmt.Errorf("%q is not the address of a port for scripts: write it as HOST:PORT", address)}
	}
	if dir, err := (options{data: t.data}).dataDir(t.env); err == nil {
		key, err := app.ReadKey(dir)
		if own, ownPort, _ := net.SplitHostPort(key.Urbi); err == nil && port == ownPort && (host == own || isLocalhost(host) && isLocalhost(own)) {
			return optionsByKey(key)
		}
	}
	path, err := client.PairingsFile(t.env)
	if err != nil || isLocalhost(host) { // a port on this computer needs TLS only if others reach it
		return opt, nil
	}
	pairings, err := client.ReadPairings(path)
	if err != nil {
		return opt, err
	}
	var paired []string // robots there
	for base := range pairings {
		if u, err := url.Parse(base); err == nil && u.Scheme == "https" && strings.EqualFold(u.Hostname(), host) {
			paired = append(paired, base)
		}
	}
	switch len(paired) {
	case 0:
		return opt, nil
	case 1:
		return optionsByPairing(pairings[paired[0]], host)
	}
	slices.Sort(paired)
	return opt, fmt.Errorf("you are paired with several robots at %s: name one with --robot, or pair with it by another name of its host, and address its port for scripts by that: %s", host, strings.Join(paired, ", "))
}

func isLocalhost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// optionsByKey returns how to connect to the port for scripts of a robot on this computer.
func optionsByKey(key app.Key) (opt scripts.Options, err error) {
	if !key.UrbiTLS {
		return opt, nil
	}
	u, err := url.Parse(key.URL)
	if err != nil {
		return opt, err
	}
	opt.Token = key.Token
	opt.TLS, err = trust(key.Roots, orHost(key.Name, u))
	return opt, err
}

// optionsByPairing returns how to connect to the port for scripts of a robot on the network.
func optionsByPairing(p client.Pairing, host string) (opt scripts.Options, err error) {
	opt.Token = p.Token
	opt.TLS, err = trust(p.CA, host)
	return opt, err
}

func orHost(name string, u *url.URL) string {
	if name != "" {
		return name
	}
	return u.Hostname()
}

// trust returns how to connect by TLS to a robot with the name. roots is the PEM of the
// authority to trust; "" = those of this computer.
func trust(roots, name string) (*tls.Config, error) {
	c := &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}
	if roots == "" {
		return c, nil
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM([]byte(roots)) {
		return nil, errors.New("the certificate to trust is not in PEM")
	}
	return c, nil
}

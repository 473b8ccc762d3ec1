package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"mybot/app"
	"mybot/client"
	"mybot/session"
	"mybot/session/access"
	"mybot/store"
	"mybot/store/audit"
)

// usersCommand lists the grants, revokes one, or invites a user. It asks a running robot; if the
// robot does not run, it opens the data directory.
func usersCommand(ctx context.Context, args []string, stdout, stderr io.Writer, env func(string) string) error {
	var t target
	var link, alone bool
	set := t.defineFlags("users")
	set.BoolVar(&link, "link", false, "revoke everyone too who came by the same PIN or link")
	set.BoolVar(&alone, "alone", false, "revoke nobody who came by links of the revoked")
	words, err := parseAll(set, args)
	if err != nil {
		return err
	}
	switch {
	case len(words) == 1 && words[0] == "list":
	case link && alone:
		return usageError{errors.New("users revoke takes --link or --alone, not both")}
	case (link || alone) && (len(words) != 2 || words[0] != "revoke"):
		return usageError{errors.New("--link and --alone go with users revoke and the id of a device")}
	case len(words) == 2 && words[0] == "revoke" && strings.TrimSpace(words[1]) == "":
		return usageError{errors.New("users revoke takes the id of a device, and this one is empty; 'mybot users list' lists the devices")}
	case len(words) == 2 && words[0] == "revoke":
		switch { // the scope of the revocation
		case link:
			words = append(words, "link")
		case alone:
			words = append(words, "alone")
		default:
			words = append(words, "")
		}
	case len(words) == 1 && words[0] == "invite":
		words = append(words, session.Admin.String())
	case len(words) == 2 && words[0] == "invite" && (words[1] == session.Operator.String() || words[1] == session.Admin.String()):
	default:
		return usageError{errors.New("users takes list, revoke and the id of a listed device, or invite and operator or admin")}
	}
	c, err := t.findRobot(env)
	if err == nil {
		err = usersOf(ctx, c, words, stdout)
		if t.robot != "" || err == nil || errors.As(err, new(client.RefusedError)) {
			return err
		}
		// The server is gone but has left its key, for example after a power cut.
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return usersAtRest(ctx, t, words, stdout, stderr, env)
}

// usersOf executes the command on a running robot.
func usersOf(ctx context.Context, c *client.Client, words []string, stdout io.Writer) error {
	switch words[0] {
	case "invite":
		link, err := c.InviteUser(ctx, words[1])
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(stdout, "This link makes an %s, once and within %.0f minutes:\n\n    %s\n\n", words[1], access.OneTimeLife.Minutes(), link); err != nil {
			return err
		}
		drawQRCode(stdout, link)
		return nil
	case "revoke":
		if err := c.DoJSON(ctx, http.MethodDelete, client.UsersPath+"/"+url.PathEscape(words[1])+"?"+words[2], nil, nil); err != nil {
			return err
		}
		return printRevoked(stdout, words[1], words[2])
	}
	var list struct{ Users []access.Grant }
	if err := c.DoJSON(ctx, http.MethodGet, client.UsersPath, nil, &list); err != nil {
		return err
	}
	return printUsers(stdout, list.Users)
}

// usersAtRest executes the command for a robot that does not run.
func usersAtRest(ctx context.Context, t target, words []string, stdout, stderr io.Writer, env func(string) string) (err error) {
	if words[0] == "invite" {
		return errors.New("the robot is not running, so nobody can connect; when it starts on the network it shows such a link by itself")
	}
	dir, err := options{data: t.data}.dataDir(env)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, store.File)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no robot has saved anything in %s: name its data directory with --data DIR", dir)
	}
	authenticator, shut, err := app.OpenAccess(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut()) }()
	now := time.Now()
	if words[0] == "list" {
		return printUsers(stdout, authenticator.Grants(now))
	}
	journal, err := audit.Open(filepath.Join(dir, app.AuditFile), slog.New(slog.NewTextHandler(stderr, nil)))
	if err != nil {
		return err
	}
	done, cancel := context.WithCancel(ctx)
	defer cancel()
	scope := map[string]access.Scope{"": access.Below, "link": access.OfSameLink, "alone": access.Alone}[words[2]]
	_, err = authenticator.RevokeAll(words[1], scope, func(gone access.Grant) {
		text := fmt.Sprintf("The access of device %s was revoked while the robot was off.", gone.ID)
		if gone.ID != words[1] {
			text = fmt.Sprintf("The access of device %s was revoked with that of device %s.", gone.ID, words[1])
		}
		journal.AppendEntry(now, "role", "command line", text)
	})
	if errors.Is(err, access.ErrToken) {
		err = fmt.Errorf("%w; 'mybot users list' lists the devices", err)
	}
	if err != nil {
		cancel()
		return errors.Join(err, journal.Run(done))
	}
	cancel() // Run writes the pending changes, then ends
	return errors.Join(journal.Run(done), printRevoked(stdout, words[1], words[2]))
}

// printRevoked says who can no longer connect after a revocation with this scope.
func printRevoked(stdout io.Writer, id, scope string) error {
	others := map[string]string{
		"":      ", nor can those that came by its links. Those that came by the same PIN or link still can: revoke one of them with --link to end all of these.",
		"link":  ", nor can those that came by the same PIN or link, or by links of any of them.",
		"alone": ". Those that came by its links, or by the same PIN or link, still can.",
	}[scope]
	_, err := fmt.Fprintf(stdout, "Device %s can no longer connect%s The PIN or link that it used lets in no one new.\n", id, others)
	return err
}

func printUsers(stdout io.Writer, list []access.Grant) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(stdout, "Nobody is paired with this robot.")
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tNAME\tROLE\tCAMERA\tBY\tSINCE\tUNTIL") // Flush reports an error
	for _, b := range treeOf(list) {
		g := b.Grant
		camera := "no"
		if g.Camera {
			camera = "yes"
		}
		until := "for ever"
		if !g.Expires.IsZero() {
			until = g.Expires.Local().Format("2006-01-02 15:04")
		}
		_, _ = fmt.Fprintf(w, "%s%s\t%s\t%s\t%s\t%s\t%s\t%s\n", strings.Repeat("  ", b.depth), g.ID, g.Name, g.Role, camera, g.By, g.Created.Local().Format("2006-01-02 15:04"), until)
	}
	return w.Flush()
}

// A branch is a grant with its depth in the tree of invitations.
type branch struct {
	access.Grant
	depth int
}

// treeOf returns the grants, each after the one whose link created it.
func treeOf(list []access.Grant) (tree []branch) {
	known := map[string]bool{}
	for _, g := range list {
		known[g.ID] = true
	}
	var below func(maker string, depth int)
	below = func(maker string, depth int) {
		for _, g := range list {
			top := g.Maker == "" || !known[g.Maker] // the grant whose link created it is gone
			if depth == 0 && top || depth > 0 && g.Maker == maker {
				tree = append(tree, branch{g, depth})
				if depth < len(list) { // stops at a cycle
					below(g.ID, depth+1)
				}
			}
		}
	}
	below("", 0)
	return tree
}

// auditCommand verifies the hash chain of an audit log.
func auditCommand(args []string, stdout io.Writer, env func(string) string) error {
	var t target
	words, err := parseAll(t.defineFlags("audit"), args)
	if err != nil {
		return err
	}
	if len(words) == 0 || len(words) > 2 || words[0] != "verify" || t.robot != "" || len(words) == 2 && t.data != "" {
		return usageError{errors.New("audit takes verify, and then a file or --data DIR")}
	}
	var path string
	if len(words) == 2 {
		path = words[1]
	} else {
		dir, err := options{data: t.data}.dataDir(env)
		if err != nil {
			return err
		}
		path = filepath.Join(dir, app.AuditFile)
	}
	found, err := audit.VerifyFiles(path)
	end := found.Last
	switch {
	case errors.As(err, new(*fs.PathError)):
		return fmt.Errorf("the audit log cannot be read: %w", err)
	case err != nil:
		return fmt.Errorf("%s is not as it was written: %w; the entries up to %d are", path, err, end.N)
	case end.N == 0:
		_, err = fmt.Fprintf(stdout, "%s: no entries\n", path)
		return err
	}
	text := fmt.Sprintf("%s: %d entries, unbroken, the last of %s\n", path, end.N-found.First+1, end.At.Format(time.RFC3339))
	if found.Files > 1 {
		text = fmt.Sprintf("%s and %d older files: %d entries, unbroken, the last of %s\n", path, found.Files-1, end.N-found.First+1, end.At.Format(time.RFC3339))
	}
	if found.First > 1 {
		text += fmt.Sprintf("the entries before number %d were deleted because the log had grown too large, as it says itself\n", found.First)
	}
	for _, n := range found.Moved {
		text += fmt.Sprintf("entry %d says that damaged lines were moved to another file\n", n)
	}
	_, err = fmt.Fprintf(stdout, "%slast hash %s\n", text, end.Hash)
	return err
}

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"mybot/store/atomicfile"
)

// A Pairing is what a user stores about one robot.
type Pairing struct {
	Token    string `json:"token,omitempty"`
	CA       string `json:"ca,omitempty"`   // PEM of the robot's own authority
	Identity string `json:"word,omitempty"` // by which a robot on this computer, which requires no token, recognizes this user
}

// Pairings are the robots that a user is paired with, by address.
type Pairings map[string]Pairing

// PairingsFile returns the path of a user's pairings, by the XDG Base Directory
// Specification. env looks up an environment variable.
func PairingsFile(env func(string) string) (string, error) {
	if config := env("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		return filepath.Join(config, "mybot", "robots.json"), nil
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".config", "mybot", "robots.json"), nil
	}
	return "", errors.New("neither XDG_CONFIG_HOME nor HOME is set, so pairings with robots cannot be saved")
}

// ReadPairings reads a file of pairings; a missing file has none.
func ReadPairings(path string) (Pairings, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Pairings{}, nil
	}
	known := Pairings{}
	if err == nil {
		err = json.Unmarshal(data, &known)
	}
	if err != nil {
		return nil, fmt.Errorf("the pairings with robots cannot be read from %s: %w", path, err)
	}
	return known, nil
}

// Write writes the pairings to the file, readable for this user alone.
func (p Pairings) Write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, append(data, '\n'), 0o600)
}

// A Pass is what a robot returns for a code.
type Pass struct {
	Token string
	Robot string // its name
	Role  string
}

// Pair exchanges a code for a token. name is what others see of the user.
func (c *Client) Pair(ctx context.Context, code, name string) (Pass, error) {
	form := url.Values{"code": {code}, "name": {name}}
	body, err := c.fetchBody(ctx, http.MethodPost, "/pair", "application/x-www-form-urlencoded", form.Encode())
	if err != nil {
		return Pass{}, err
	}
	var pass Pass
	if err := json.Unmarshal(body, &pass); err != nil || pass.Token == "" {
		return Pass{}, fmt.Errorf("what answers at %s is not a robot that can be paired", c.base)
	}
	return pass, nil
}

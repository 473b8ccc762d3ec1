package app

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"mybot/store/atomicfile"
)

// cookieKeyFile holds the key that seals cookies of users who need no token, so
// that a browser is recognized after a restart.
const cookieKeyFile = "cookie.key"

// cookieKey reads the key in dir, or creates one. A key that cannot be saved lasts
// until the server ends.
func cookieKey(dir string, log *slog.Logger) []byte {
	const bytes = 32
	key := make([]byte, bytes)
	_, _ = rand.Read(key) // never fails
	if dir == "" {
		return key
	}
	path := filepath.Join(dir, cookieKeyFile)
	saved, err := os.ReadFile(path)
	if err == nil && len(saved) == bytes {
		return saved
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = atomicfile.Write(path, key, 0o600)
	}
	if err != nil {
		log.Warn("browsers will have new cookies after a restart", "error", err)
	}
	return key
}

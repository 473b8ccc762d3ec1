package main

import (
	"os"
	"path/filepath"
	"testing"
)

// file writes a file and returns its path.
func writeText(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAScriptIsCheckedWithoutARobot(t *testing.T) {
	h := newHome(t)
	good := writeText(t, "good.u", "# by night\nat (battery.val < 20) dock();\n")
	h.ok(good+" is valid.", "script", "check", good)
	bad := writeText(t, "bad.u", "x = 1;\nif (x > 0 { y = 2 };\nz = ;\n")
	h.no(bad+": line 2, column 11: ", "script", "check", bad)
	h.no(bad+": line 3, column 5: ", "script", "check", bad)
	h.no("the script cannot be read", "script", "check", bad+".none")
	h.no("more than 65536 bytes", "script", "check", writeText(t, "long.u", string(make([]byte, 65537))))
}

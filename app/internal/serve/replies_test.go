package serve

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A socket that a killed server left is replaced. A live one and all other files stay.
func TestSocketOfReplies(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "replies") // short: see longestSocket of package config
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })

	left := filepath.Join(dir, "left")
	killed, err := net.Listen("unix", left)
	if err != nil {
		t.Fatal(err)
	}
	killed.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = killed.Close()
	l, err := listenUnix(t.Context(), left)
	if err != nil {
		t.Fatalf("the socket of a killed server: %v", err)
	}
	defer l.Close()
	if found, err := os.Stat(left); err != nil || found.Mode().Perm() != socketMode {
		t.Errorf("the socket is %v, %v", found, err)
	}
	if _, err := listenUnix(t.Context(), left); err == nil {
		t.Error("a second server takes the socket of the first")
	}

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, dir} {
		if _, err := listenUnix(t.Context(), path); err == nil || !strings.Contains(err.Error(), "not a socket") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

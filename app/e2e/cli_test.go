package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// status asks for /me, which every valid token may.
func status(s *server, token string) int {
	code, _ := s.as(token).do(http.MethodGet, "/me", "")
	return code
}

// becomes demands that the server answers to the token with the status within
// the two seconds that D17 gives to what happens beside it.
func becomes(t *testing.T, s *server, token string, want int) {
	t.Helper()
	got := 0
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		if got = status(s, token); got == want {
			return
		}
	}
	t.Errorf("after two seconds the token gets %d, want %d", got, want)
}

func TestFilesOfTheService(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, "sqlite://"+filepath.Join(dir, "problems.db"), "PROBLEMS_BOOTSTRAP_TOKEN="+newToken(t))
	s.stop()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "problems.db") {
			t.Errorf("serve left %s beside its store", entry.Name())
		}
	}
}

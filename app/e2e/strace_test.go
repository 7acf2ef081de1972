package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestSync counts the syncs of SQLite's write-ahead log: a write is acknowledged
// only after one. A killed process tells nothing of this, because the page cache
// outlives it.
func TestSync(t *testing.T) {
	t.Parallel()
	need(t, "strace")
	for _, test := range []struct{ clients, writes int }{{1, 40}, {8, 50}} {
		t.Run(fmt.Sprint(test.clients, " clients"), func(t *testing.T) {
			t.Parallel()
			token, trace := newToken(t), filepath.Join(t.TempDir(), "trace")
			s := serveUnder(t, []string{"strace", "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", trace},
				newFile(t), "PROBLEMS_BOOTSTRAP_TOKEN="+token)
			before := syncs(t, trace)
			var group sync.WaitGroup
			for range test.clients {
				group.Go(func() {
					c := s.as(token)
					for range test.writes {
						if status, body := c.do(http.MethodPost, "/problems", `{"title":"Sync"}`); status != http.StatusCreated {
							t.Errorf("POST /problems: %d %s", status, body)
							return
						}
					}
				})
			}
			group.Wait()
			synced, writes := syncs(t, trace)-before, test.clients*test.writes
			t.Logf("%d clients: %d acknowledged writes, %d syncs of the log, %.2f syncs per write",
				test.clients, writes, synced, float64(synced)/float64(writes))
			// Writes that wait for one sync together come from different
			// clients, so a sync covers at most one write of each.
			if synced*test.clients < writes {
				t.Errorf("%d syncs cannot cover %d writes of %d clients", synced, writes, test.clients)
			}
			s.stop()
		})
	}
}

// syncs returns how many syncs of a write-ahead log the trace holds.
func syncs(t testing.TB, trace string) int {
	t.Helper()
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		// A call that another thread interrupts has two lines, of which
		// only the first names the file.
		if strings.Contains(line, "sync(") && strings.Contains(line, "-wal>") {
			n++
		}
	}
	return n
}

// child returns the only child of a process.
func child(t testing.TB, parent int) *os.Process {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatalf("the children of %d are %q", parent, text)
	}
	process, err := os.FindProcess(id)
	if err != nil {
		t.Fatal(err)
	}
	return process
}

package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// How long TestLastReleaseBesideThisVersion writes by both.
var upgradeFor = flag.Duration("upgrade.for", 3*time.Second, "how long servers of the last release and of this version are written to side by side")

// TestLastReleaseBesideThisVersion upgrades a database under a server of the last release,
// beside which a server of this version goes on. Clients write by both all the time. At
// last the older server is killed. Nothing is lost, and the feed has everything.
func TestLastReleaseBesideThisVersion(t *testing.T) {
	t.Parallel()
	const clients = 6
	release := lastRelease(t)
	store, token := postgrestest.Schema(t), newToken(t)
	older := serveProgram(t, release, nil, nil, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	var newer atomic.Pointer[server]
	newer.Store(older) // until it starts

	l := &ledger{writes: map[string]write{}}
	for i := range clients {
		l.attempt(older.as(token), write{mark: fmt.Sprintf("first-%d", i), kind: "create"})
	}
	common := inspect(t, older.as(token)).problems
	var group sync.WaitGroup
	over := make(chan struct{})
	var answered [2]atomic.Int64 // by the older server, and by the newer one
	for i := range clients {
		random := rand.New(rand.NewPCG(7, uint64(i)))
		group.Go(func() {
			own := slices.Clone(common)
			for n := 0; ; n++ {
				select {
				case <-over:
					return
				default:
				}
				w := draw(random, own)
				w.mark = fmt.Sprintf("c%d-%05d-%s", i, n, w.kind)
				s, by := older, 0
				if n%2 == 1 && newer.Load() != older {
					s, by = newer.Load(), 1
				}
				body, alive := l.attempt(s.as(token), w)
				if alive {
					answered[by].Add(1)
				}
				var made struct{ Identifier int64 }
				if w.kind == "create" && json.Unmarshal(body, &made) == nil && made.Identifier > 0 {
					own = append(own[:min(len(own), 40)], made.Identifier) // most writes meet others
				}
			}
		})
	}
	newer.Store(serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)) // it migrates
	answered[0].Store(0)
	time.Sleep(*upgradeFor) // the length of the test, not a wait for something
	older.kill()
	close(over)
	group.Wait()
	for by, name := range []string{"the last release", "this version"} {
		if answered[by].Load() < clients {
			t.Errorf("beside the other one, %s has answered only %d writes", name, answered[by].Load())
		}
	}
	c := newer.Load().as(token)
	seen := inspect(t, c)
	v := l.judge(seen.found)
	t.Logf("%d writes by the last release after the upgrade, %d by this version; %s", answered[0].Load(), answered[1].Load(), v)
	if !v.clean() {
		t.Error(v)
	}
	published := map[int64]int64{} // by problem: how many revisions
	for _, e := range wholeFeed(t, c) {
		if e.Problem == nil {
			continue
		}
		if published[e.Problem.Identifier]++; published[e.Problem.Identifier] != e.Problem.Revision {
			t.Errorf("in the feed, revision %d of problem %d follows %d others", e.Problem.Revision, e.Problem.Identifier, published[e.Problem.Identifier]-1)
		}
	}
	for _, id := range seen.problems {
		var p struct{ Revision int64 }
		if c.get(t, fmt.Sprintf("/problems/%d", id), &p); published[id] != p.Revision {
			t.Errorf("problem %d is at revision %d, and the feed has %d of them", id, p.Revision, published[id])
		}
	}
}

// lastRelease returns the program of the last release, built from its tag. Before the first
// release, it is that of the commit before the newest step of the schema. It is built once
// for each commit.
func lastRelease(t *testing.T) string {
	t.Helper()
	need(t, "git")
	need(t, "tar")
	git := func(args ...string) string {
		t.Helper()
		// A clone may belong to another user than the one of the tests.
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "safe.directory=*", "-C", "../.."}, args...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("the last release is built from its tag, so this test needs a clone with its history: git %s: %v\n%s", strings.Join(args, " "), err, &stderr)
		}
		return strings.TrimSpace(string(out))
	}
	name, _, _ := strings.Cut(git("tag", "--list", "app/v[0-9]*", "--sort=-version:refname"), "\n")
	if name == "" {
		name = git("log", "-1", "--diff-filter=A", "--format=%H", "--", "adapters/postgres/migrations") + "^"
	}
	commit := git("rev-parse", name+"^{commit}")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cached := filepath.Join(cache, "problems-last-release", commit)
	if _, err := os.Stat(cached); err == nil {
		return cached
	}
	dir := t.TempDir()
	archive, partial := filepath.Join(dir, "release.tar"), fmt.Sprintf("%s.%d", cached, os.Getpid())
	git("archive", "--format=tar", "--output", archive, commit)
	for _, args := range [][]string{
		{"tar", "-xf", archive, "-C", dir},
		{"go", "build", "-trimpath", "-o", partial, "./app/cmd/problems"},
	} {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s of the last release, %s: %v\n%s", args[0], name, err, out)
		}
	}
	if err := os.Rename(partial, cached); err != nil {
		t.Fatal(err)
	}
	return cached
}

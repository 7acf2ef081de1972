package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	// On a slow machine, a write may take long, and the first connections come too late.
	settings := []string{"PROBLEMS_BOOTSTRAP_TOKEN=" + token, "PROBLEMS_STORE_TIMEOUT=60s", "PROBLEMS_REQUEST_TIMEOUT=100s", "PROBLEMS_WRITE_TIMEOUT=110s"}
	older := ready(t, serveProgram(t, release, nil, nil, store, settings...), token)
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
	var fine [2]atomic.Int64     // of these, done; after the first ones, there are enough connections
	var killing atomic.Bool
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
				connected := fine[by].Load() >= 2*clients
				body, alive := l.attempt(s.as(token), w)
				if alive {
					answered[by].Add(1)
				}
				switch code := l.code(w.mark); {
				case !refused(w, code):
					fine[by].Add(1)
				case connected && !killing.Load():
					t.Errorf("before the older server was killed, %s by server %d was answered %d %s", w.mark, by, code, body)
				}
				var made struct{ Identifier int64 }
				if w.kind == "create" && json.Unmarshal(body, &made) == nil && made.Identifier > 0 {
					own = append(own[:min(len(own), 40)], made.Identifier) // most writes meet others
				}
			}
		})
	}
	for fine[0].Load() < 2*clients { // as the rest of the test, within the limit of all tests
		time.Sleep(20 * time.Millisecond)
	}
	newer.Store(ready(t, serve(t, store, settings...), token)) // it migrates
	answered[0].Store(0)
	time.Sleep(*upgradeFor) // the length of the test, not a wait for something
	killing.Store(true)
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

// ready returns the server once it takes the token. It listens before that, while it waits
// for its store.
func ready(t *testing.T, s *server, token string) *server {
	t.Helper()
	for end := time.Now().Add(4 * patience); ; time.Sleep(20 * time.Millisecond) {
		code, body := s.as(token).do(http.MethodGet, "/priorities", "")
		if code == http.StatusOK {
			return s
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not become ready: %d %s\n%s", code, body, s.stderr.end())
		}
	}
}

// code returns how a write was answered; 0 when it was not.
func (l *ledger) code(mark string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writes[mark].code
}

// refused reports whether a server has failed a write. Relationships that exist, and writes
// to a stale revision, are refused by the rules.
func refused(w write, code int) bool {
	if w.kind == "relate" || w.kind == "stale" {
		return code == 0 || code >= 500 || code == http.StatusTooManyRequests
	}
	return code/100 != 2
}

// TestWayBack goes from the last release to this version and back, twice, on each kind of
// store. Each program finds all that the other one has written, and writes.
func TestWayBack(t *testing.T) {
	t.Parallel()
	for kind, store := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite://" + filepath.Join(t.TempDir(), "problems.db") },
		"postgres": func(t *testing.T) string { return postgrestest.Schema(t) },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			release, url, token := lastRelease(t), store(t), newToken(t)
			l := &ledger{writes: map[string]write{}}
			var before stored
			for turn, name := range []string{"the last release", "this version", "the last release again", "this version again"} {
				running := program(t)
				if turn%2 == 0 {
					running = release
				}
				s := ready(t, serveProgram(t, running, nil, nil, url, "PROBLEMS_BOOTSTRAP_TOKEN="+token), token)
				c := s.as(token)
				found := inspect(t, c)
				if turn > 0 && (!slices.Equal(found.problems, before.problems) || !maps.Equal(found.found, before.found)) {
					t.Errorf("%s finds %v; the program before it has left %v", name, found, before)
				}
				kinds := []string{"create", "create"}
				if turn > 0 {
					kinds = append(kinds, "title", "comment", "keyword", "relate")
				}
				for i, kind := range kinds {
					w := write{kind: kind, mark: fmt.Sprintf("turn%d-%d-%s", turn, i, kind)}
					if turn > 0 {
						w.problem, w.other = found.problems[2*turn-2], found.problems[2*turn-1]
					}
					if l.attempt(c, w); l.code(w.mark)/100 != 2 {
						t.Errorf("%s has answered %s with %d", name, w.mark, l.code(w.mark))
					}
				}
				before = inspect(t, c)
				s.stop()
			}
			if v := l.judge(before.found); !v.clean() {
				t.Error(v)
			}
		})
	}
}

// TestBackgroundStepOutlivesItsProgram holds a step in the background while servers of the
// last release and of this version write. The program at work is killed. Another one
// completes the step.
func TestBackgroundStepOutlivesItsProgram(t *testing.T) {
	t.Parallel()
	need(t, "psql")
	store, token := postgrestest.Database(t), newToken(t) // an index waits for transactions of the whole database
	secret := "PROBLEMS_BOOTSTRAP_TOKEN=" + token
	older := ready(t, serveProgram(t, lastRelease(t), nil, nil, store, secret), token)
	l := &ledger{writes: map[string]write{}}
	all := []*server{older}
	writeByAll := func(when string) {
		t.Helper()
		for i, s := range all {
			w := write{kind: "create", mark: fmt.Sprintf("%s-%d", when, i)}
			if body, _ := l.attempt(s.as(token), w); l.code(w.mark)/100 != 2 {
				t.Errorf("%s was answered %d %s", w.mark, l.code(w.mark), body)
			}
		}
	}
	writeByAll("before")
	// A new column of a problem would wait for the lock below.
	command(t, []string{"PROBLEMS_STORE=" + store}, "migrate")
	psql(t, store, "DELETE FROM problems_migrations WHERE name = '0007'; DROP INDEX problems_state_modified, problems_assignee_modified;\n") // as the release before had it
	release := psql(t, store, "BEGIN; LOCK TABLE problems IN ROW EXCLUSIVE MODE;\n")                                                         // as a write does

	status := func() string { return command(t, []string{"PROBLEMS_STORE=" + store}, "migrate", "--status") }
	shows := func(what string) {
		t.Helper()
		for end := time.Now().Add(patience); !regexp.MustCompile(what).MatchString(status()); {
			if time.Now().After(end) {
				t.Fatalf("the status is\n%s\nwant %s", status(), what)
			}
		}
	}
	first := ready(t, serve(t, store, secret), token)
	shows(`0007_latest +under way, 0 %, waits for process \d+ of the server +start the older version`)
	second := ready(t, serve(t, store, secret), token)
	all = append(all, first, second)
	writeByAll("under-way")
	first.kill()
	all = []*server{older, second}
	writeByAll("killed")
	release()
	shows(`0007_latest +done`)
	writeByAll("after")
	if v := l.judge(inspect(t, second.as(token)).found); !v.clean() {
		t.Error(v)
	}
	if !strings.Contains(first.stderr.end(), "a step of the schema begins") {
		t.Errorf("the log does not say that the step begins:\n%s", first.stderr.end())
	}
}

// psql runs statements in a session that lasts until the returned function ends it.
func psql(t *testing.T, store, statements string) (end func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "psql", "-X", "-v", "ON_ERROR_STOP=1", store)
	var stderr lockedBuffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	t.Cleanup(end)
	if _, err := io.WriteString(in, statements+"\\echo made\n"); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); ; {
		if !lines.Scan() {
			t.Fatalf("psql has ended: %s", stderr.end())
		}
		if lines.Text() == "made" {
			return end
		}
	}
}

// releaseOf returns the last release in a repository: its tag. Before the first release, it
// is the commit before the newest step of the schema.
func releaseOf(git func(args ...string) string) string {
	name, _, _ := strings.Cut(git("tag", "--list", "app/v[0-9]*", "--sort=-version:refname"), "\n")
	if name == "" {
		name = git("log", "-1", "--diff-filter=A", "--format=%H", "--", "adapters/postgres/migrations") + "^"
	}
	return name
}

// gitIn returns a function that runs git in a repository, and returns its output.
func gitIn(t *testing.T, dir string) func(args ...string) string {
	t.Helper()
	need(t, "git")
	return func(args ...string) string {
		t.Helper()
		// A clone may belong to another user than the one of the tests.
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "safe.directory=*", "-C", dir}, args...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("the last release is built from its tag, so this test needs a clone with its history: git %s: %v\n%s", strings.Join(args, " "), err, &stderr)
		}
		return strings.TrimSpace(string(out))
	}
}

// TestReleaseOf finds the last release in a repository of the test.
func TestReleaseOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := gitIn(t, dir)
	git("init", "-q")
	commit := func(step string) string {
		t.Helper()
		path := filepath.Join(dir, "adapters/postgres/migrations", step)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(step), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", ".")
		git("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "commit", "-q", "-m", step)
		return git("rev-parse", "HEAD")
	}
	first, second := commit("0001_a.up.sql"), commit("0002_b.up.sql")
	if got := git("rev-parse", releaseOf(git)); got != first {
		t.Errorf("without a tag, the last release is %s; want %s, before the newest step", got, first)
	}
	git("tag", "app/v0.2.0", first)
	git("tag", "app/v0.10.0", second)
	git("tag", "domain/v0.11.0", first)
	third := commit("0003_c.up.sql")
	if got := releaseOf(git); got != "app/v0.10.0" || git("rev-parse", got+"^{commit}") != second {
		t.Errorf("with tags, the last release is %s, at %s; want app/v0.10.0 at %s, not %s", got, git("rev-parse", got+"^{commit}"), second, third)
	}
}

var building sync.Mutex

// lastRelease returns the program of the last release. It is built once for each commit.
func lastRelease(t *testing.T) string {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	need(t, "tar")
	git := gitIn(t, "../..")
	name := releaseOf(git)
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

package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// eventsBehind returns the events behind a cursor. They have to be the end of the feed.
func eventsBehind(t *testing.T, c *client, cursor string) (all []heard) {
	t.Helper()
	for _, e := range wholeFeed(t, c) {
		if all = append(all, e); e.Identifier == cursor {
			all = nil
		}
	}
	var page []heard
	c.get(t, "/events?limit=1000&after="+cursor, &page)
	same := func(a, b heard) bool { return a.Identifier == b.Identifier }
	if !slices.EqualFunc(page, all, same) {
		t.Errorf("behind the cursor there are the %d events %v, want the %d events %v", len(page), page, len(all), all)
	}
	return page
}

// newProblem creates a problem.
func newProblem(t *testing.T, c *client, title string) {
	t.Helper()
	if code, body := c.do(http.MethodPost, "/problems", fmt.Sprintf(`{"title":%q}`, title)); code != http.StatusCreated {
		t.Fatalf("%d %s", code, body)
	}
}

// TestCursorsOutliveAMove moves a store between SQLite and PostgreSQL, in each direction,
// by a copy and through an archive. A consumer goes on with the cursor of another store.
func TestCursorsOutliveAMove(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	bootstrap := "PROBLEMS_BOOTSTRAP_TOKEN=" + token
	here := newFile(t)
	s := serve(t, here, bootstrap)
	newProblem(t, s.as(token), "first")
	newProblem(t, s.as(token), "second")
	read := wholeFeed(t, s.as(token))
	middle, last := read[len(read)-2].Identifier, read[len(read)-1].Identifier
	newProblem(t, s.as(token), "before the move")
	read = wholeFeed(t, s.as(token))
	s.stop()

	copied := func(from, to string) { command(t, nil, "copy", "--from="+from, "--to="+to) }
	archived := func(from, to string) {
		archive := filepath.Join(t.TempDir(), "problems.jsonl")
		command(t, []string{"PROBLEMS_STORE=" + from}, "export", "--to="+archive)
		command(t, []string{"PROBLEMS_STORE=" + to}, "import", "--from="+archive)
	}
	for i, move := range []struct {
		name string
		to   string
		do   func(from, to string)
	}{
		{"copy from SQLite to PostgreSQL", postgrestest.Schema(t), copied},
		{"copy from PostgreSQL to PostgreSQL", postgrestest.Schema(t), copied},
		{"archive from PostgreSQL to PostgreSQL", postgrestest.Schema(t), archived},
		{"copy from PostgreSQL to SQLite", newFile(t), copied},
		{"archive from SQLite to SQLite", newFile(t), archived},
		{"archive from SQLite to PostgreSQL", postgrestest.Schema(t), archived},
		{"archive from PostgreSQL to SQLite", newFile(t), archived},
	} {
		move.do(here, move.to)
		here = move.to
		s := serve(t, here, bootstrap)
		c := s.as(token)
		if difference := differs(wholeFeed(t, c), read); difference != "" {
			t.Errorf("%s: %s", move.name, difference)
		}
		newProblem(t, c, fmt.Sprint("after move ", i))
		whole := wholeFeed(t, c)
		if difference := differs(whole[:len(whole)-1], read); difference != "" {
			t.Errorf("%s, and a problem later: %s", move.name, difference)
		}
		for _, cursor := range []string{middle, last} {
			eventsBehind(t, c, cursor)
		}
		read, last = whole, whole[len(whole)-1].Identifier
		s.stop()
	}
}

// TestCursorOfALostHistory restores an older backup of a SQLite file. The cursor of an
// event behind the backup is gone, also when the feed has as many events again.
func TestCursorOfALostHistory(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	bootstrap := "PROBLEMS_BOOTSTRAP_TOKEN=" + token
	file := newFile(t)
	backup := filepath.Join(t.TempDir(), "backup.db")
	s := serve(t, file, bootstrap)
	newProblem(t, s.as(token), "in the backup")
	command(t, []string{"PROBLEMS_STORE=" + file}, "backup", "--to="+backup)
	kept := wholeFeed(t, s.as(token))
	newProblem(t, s.as(token), "lost")
	whole := wholeFeed(t, s.as(token))
	lost := whole[len(whole)-1].Identifier
	s.stop()

	s = serve(t, "sqlite://"+backup, bootstrap)
	c := s.as(token)
	gone := func(when string) {
		t.Helper()
		for _, accept := range []string{"application/json", "text/event-stream"} {
			code, body := c.do(http.MethodGet, "/events?after="+lost, "", "Accept", accept)
			if code != http.StatusGone || !strings.Contains(string(body), `"/errors/cursor-gone"`) {
				t.Errorf("%s, the lost cursor gets %d %s as %s, want 410 cursor-gone", when, code, body, accept)
			}
		}
	}
	gone("after the restore")
	newProblem(t, c, "another one")
	gone("with as many events again")
	if behind := eventsBehind(t, c, kept[len(kept)-1].Identifier); len(behind) != 1 {
		t.Errorf("behind a cursor of the backup there are %d events, want 1", len(behind))
	}
}

// TestForgottenCursor forgets all events but the newest. The cursors before it are gone, and
// no stream begins for one of them.
func TestForgottenCursor(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	bootstrap := "PROBLEMS_BOOTSTRAP_TOKEN=" + token
	file := newFile(t)
	s := serve(t, file, bootstrap)
	for n := range 3 {
		newProblem(t, s.as(token), fmt.Sprint("problem ", n))
	}
	whole := wholeFeed(t, s.as(token))
	s.stop()
	kept, err := sqlite.Open(t.Context(), sqlite.Options{Path: strings.TrimPrefix(file, "sqlite://")})
	if err != nil {
		t.Fatal(err)
	}
	_, newest, err := kept.FeedEnds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kept.Commit(t.Context(), store.Change{Batch: ident.ID{15: 1}, At: newest.At, Effects: []store.Effect{store.ForgetFeed{Through: newest.Number - 1}}}); err != nil {
		t.Fatal(err)
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}

	c := serve(t, file, bootstrap).as(token)
	forgotten, last := whole[0].Identifier, whole[len(whole)-1].Identifier
	for _, accept := range []string{"application/json", "text/event-stream"} {
		for _, headers := range [][]string{{"Accept", accept}, {"Accept", accept, "Last-Event-ID", forgotten}} {
			code, body := c.do(http.MethodGet, "/events?after="+forgotten, "", headers...)
			if code != http.StatusGone || !strings.Contains(string(body), `"/errors/cursor-gone"`) {
				t.Errorf("the forgotten cursor gets %d %s with %q, want 410 cursor-gone", code, body, headers)
			}
		}
	}
	newProblem(t, c, "another one")
	if behind := eventsBehind(t, c, last); len(behind) != 1 {
		t.Errorf("behind the newest cursor there are %d events, want 1", len(behind))
	}
}

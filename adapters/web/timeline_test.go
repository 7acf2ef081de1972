package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// Changes of one person within a minute are one item, and so are those of one request.
func TestItemTakes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)
	ann, bob, one, two := ident.ID{1}, ident.ID{2}, ident.ID{3}, ident.ID{4}
	i := item{At: at, by: ann, batch: one}
	for _, c := range []struct {
		name string
		e    problem.LogEntry
		want bool
	}{
		{"of the same request", problem.LogEntry{Batch: one, Author: ann, Created: at}, true},
		{"soon after", problem.LogEntry{Batch: two, Author: ann, Created: at.Add(59 * time.Second)}, true},
		{"a minute after", problem.LogEntry{Batch: two, Author: ann, Created: at.Add(time.Minute)}, false},
		{"by somebody else", problem.LogEntry{Batch: two, Author: bob, Created: at}, false},
	} {
		if got := i.takes(c.e); got != c.want {
			t.Errorf("an entry %s is taken: %v, want %v", c.name, got, c.want)
		}
	}
	comment := item{At: at, by: ann, batch: one, Comment: true}
	if comment.takes(problem.LogEntry{Batch: one, Author: ann, Created: at}) {
		t.Error("a comment takes a change")
	}
}

// The page of a revision leads to its comment, also on a large problem.
func TestCommentOfARevision(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "A large problem")
	b := s.signedIn(t)
	for i := range 230 {
		if _, err := s.service.AddComment(t.Context(), s.admin, 1, tracker.AddComment{Text: patch.Set(fmt.Sprintf("comment %d. %s", i, strings.Repeat("x", 500)))}); err != nil {
			t.Fatal(err)
		}
	}
	at := link(b.get(path+"/past?revision=12").is(200), "A comment")
	to, anchor, _ := strings.Cut(at, "#")
	if page := b.get(to).is(200).has("comment 10."); !strings.Contains(page.body, `id="`+anchor+`"`) {
		t.Errorf("%s has no %s", to, anchor)
	}
}

package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
)

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

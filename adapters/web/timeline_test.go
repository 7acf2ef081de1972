package web

import (
	"fmt"
	"regexp"
	"slices"
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

// A page has few long comments: the links to earlier and later ones lead to all of them.
func TestLongComments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "A large problem")
	b := s.signedIn(t)
	var all []string
	for i := range 24 {
		length := 200_000
		if i == 10 {
			length = 2 * mostShown // a page of its own
		}
		all = append(all, fmt.Sprint("comment ", i, "."))
		if _, err := s.service.AddComment(t.Context(), s.admin, 1, tracker.AddComment{Text: patch.Set(all[i] + strings.Repeat("x", length))}); err != nil {
			t.Fatal(err)
		}
	}
	said := regexp.MustCompile(`comment \d+\.`)
	// walk follows the links with a label to the last page, and returns the comments of each.
	walk := func(at, label string) (pages [][]string, last *shownPage) {
		t.Helper()
		for range len(all) + 1 {
			last = b.get(at).is(200)
			if n := len(last.body); n > 3*mostShown {
				t.Errorf("%s has %d bytes", at, n)
			}
			pages = append(pages, said.FindAllString(last.text(), -1))
			if !strings.Contains(last.text(), label) {
				return pages, last
			}
			at = link(last, label)
		}
		t.Fatalf("the links %q have no end", label)
		return nil, nil
	}
	earlier, first := walk(path, "Earlier")
	slices.Reverse(earlier)
	if got := slices.Concat(earlier...); !slices.Equal(got, all) {
		t.Errorf("the way back has the comments %q", earlier)
	}
	later, _ := walk(first.path, "Later")
	if got := slices.Concat(later...); !slices.Equal(got, all) {
		t.Errorf("the way on has the comments %q", later)
	}
	if most := len(all) / 3; len(earlier) > most || len(later) > most+1 {
		t.Errorf("the way back has %d pages, and the way on %d, want at most %d", len(earlier), len(later), most)
	}
}

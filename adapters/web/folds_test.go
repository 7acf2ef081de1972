package web

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// All that changed since is shown at once, and the rest up to a limit, in its order.
func TestFoldPast(t *testing.T) {
	t.Parallel()
	var row pastRow
	for i := range 60 {
		row.Parts = append(row.Parts, pastPart{Text: fmt.Sprint(i), Then: i != 50, Now: i != 55})
	}
	var shown, same []string
	for _, p := range row.AtOnce() {
		shown = append(shown, p.Text)
	}
	for _, p := range row.Same() {
		same = append(same, p.Text)
	}
	if got := strings.Join(shown, " "); got != "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 50 55" || len(same) != 38 || same[0] != "20" || same[37] != "59" {
		t.Errorf("shown are %s, and the same are %v", got, same)
	}
}

// A problem with hundreds of keywords has all of them on its page, most of them folded. Each
// can be deleted.
func TestManyKeywords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The lamp is dark")
	for i := range 60 {
		if _, err := s.service.SetKeyword(t.Context(), s.admin, 1, tracker.SetKeyword{Name: fmt.Sprintf("k%02d", i), Value: problem.NullText{String: "v", Valid: true}}); err != nil {
			t.Fatal(err)
		}
	}
	page := s.signedIn(t).get(path).is(200).has("40 more keywords", "k00: v", "k59: v")
	at := map[bool]int{}
	for n := range page.root.Descendants() {
		if n.Type == html.ElementNode && strings.HasSuffix(attribute(n, "action"), "/keywords/delete") {
			folded := false
			for p := range n.Ancestors() {
				folded = folded || p.Data == "details"
			}
			at[folded]++
		}
	}
	if at[false] != 20 || at[true] != 40 {
		t.Errorf("%d keywords are shown at once, and %d unfold", at[false], at[true])
	}
}

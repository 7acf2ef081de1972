package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/access"
)

// Milestones show how far they are, which have ended too early, and what is left to do. Writers change them.
func TestProgressOfMilestones(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.as(t, "Root", access.Admin)
	for name, end := range map[string]string{"Past": "2015-01-31", "Done": "2015-02-28", "Next": "2099-01-31"} {
		b.post("/administration/milestones", "name", name, "end", end).is(200)
	}
	form := b.get("/problems/new")
	for i, name := range []string{"Past", "Past", "Done", "Next"} {
		b.post("/problems/new", "title", name, "milestone", form.choose("milestone", name), "once", fmt.Sprint(i)).is(200)
	}
	closed := b.get("/problems/bulk?problem=1").choose("state", "Closed")
	for _, id := range []string{"1", "3"} {
		b.post(boardPath, "problem", id, "revision", "1", "state", closed, "to", boardPath).is(200)
	}
	wanda := s.as(t, "Wanda", access.Write)
	list := wanda.get("/milestones").is(200).has("1 of 2 resolved 31 Jan 2015 overdue", "1 of 1 resolved 28 Feb 2015", "0 of 1 resolved 31 Jan 2099").find(`<progress max="2" value="1"`)
	if rows := strings.Count(list.body, "<tr>"); rows != 4 {
		t.Errorf("there are %d rows, want 4", rows)
	}
	wanda.get(link(list, "Past")).is(200).has("#2 Past Open").lacks("#1 Past")
	next := "/administration" + link(list, "Next")
	wanda.get(next).is(200).submit(next, "end", "2099-02-28").is(200).has("Next 2099-02-28")
	s.as(t, "Carla", access.Comment).post(next, "name", "Never").is(403)
	wanda.post("/administration/users/"+s.admin.User.String(), "name", "Mallory").is(403)
}

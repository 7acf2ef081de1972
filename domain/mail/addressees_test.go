package mail

import (
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
)

func TestAddressees(t *testing.T) {
	t.Parallel()
	people := Involved{Originator: ann, Assignee: bob, Watchers: []ident.ID{cy, ann}}
	for name, c := range map[string]struct {
		authors    []ident.ID
		unassigned []ident.ID
		with       func(map[ident.ID]*user.User)
		want       string
	}{
		"by somebody else":                {authors: []ident.ID{{9}}, want: "ann bob cy"},
		"by the service":                  {authors: []ident.ID{ident.None}, want: "ann bob cy"},
		"never one's own":                 {authors: []ident.ID{ann}, want: "bob cy"},
		"of two, each gets the other's":   {authors: []ident.ID{ann, bob}, want: "ann bob cy"},
		"inactive":                        {authors: []ident.ID{{9}}, with: func(u map[ident.ID]*user.User) { u[bob].Inactive = true }, want: "ann cy"},
		"mine, as originator":             {authors: []ident.ID{{9}}, with: func(u map[ident.ID]*user.User) { u[ann].Mail = user.MailMine }, want: "ann bob cy"},
		"mine, as assignee":               {authors: []ident.ID{{9}}, with: func(u map[ident.ID]*user.User) { u[bob].Mail = user.MailMine }, want: "ann bob cy"},
		"mine, as watcher":                {authors: []ident.ID{{9}}, with: func(u map[ident.ID]*user.User) { u[cy].Mail = user.MailMine }, want: "ann bob"},
		"none":                            {authors: []ident.ID{{9}}, with: func(u map[ident.ID]*user.User) { u[ann].Mail, u[cy].Mail = user.MailNone, user.MailNone }, want: "bob"},
		"without an address for mail":     {authors: []ident.ID{{9}}, with: func(u map[ident.ID]*user.User) { u[ann].Email = "ann@localhost" }, want: "bob cy"},
		"a choice of a newer program":     {authors: []ident.ID{{9}}, with: func(u map[ident.ID]*user.User) { u[ann].Mail = "weekly" }, want: "bob cy"},
		"a user whom nobody knows":        {authors: []ident.ID{{9}}, with: func(u map[ident.ID]*user.User) { delete(u, cy) }, want: "ann bob"},
		"who was the assignee before":     {authors: []ident.ID{{9}}, unassigned: []ident.ID{{4}}, want: "ann bob cy dan"},
		"who gave the problem to another": {authors: []ident.ID{{4}}, unassigned: []ident.ID{{4}}, want: "ann bob cy"},
	} {
		users := map[ident.ID]*user.User{
			ann: {ID: ann, Name: "ann", Email: "ann@example.org"}, bob: {ID: bob, Name: "bob", Email: "bob@example.org"},
			cy: {ID: cy, Name: "cy", Email: "cy@example.org"}, {4}: {ID: ident.ID{4}, Name: "dan", Email: "dan@example.org", Mail: user.MailMine},
		}
		if c.with != nil {
			c.with(users)
		}
		find := func(id ident.ID) (user.User, bool) {
			if u := users[id]; u != nil {
				return *u, true
			}
			return user.User{}, false
		}
		var names []string
		for _, id := range (Group{Authors: c.authors, Named: c.unassigned}).Addressees(people, find) {
			names = append(names, users[id].Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %q get a mail, want %q", name, got, c.want)
		}
	}
}

// A group knows the people behind its changes.
func TestGroupNamesPeople(t *testing.T) {
	t.Parallel()
	g := NewGathering(State{}, Quiet)
	given := func(from ident.ID) event.Line {
		return event.Line{Type: string(problem.FieldChanged), Field: "assignee", From: problem.LogRef(from, "somebody"), To: problem.LogRef(ident.ID{8}, "Eve")}
	}
	g.Add(cursor(1), changed(7, 1, given(ident.None)), ann, noon, noon)
	g.Add(cursor(2), changed(7, 2, given(bob)), ann, noon, noon)
	g.Add(cursor(3), changed(7, 3, given(bob), given(cy)), bob, noon, noon)
	comment := event.Line{Type: string(problem.CommentAdded)}
	g.Add(cursor(4), changed(7, 4, comment, event.Line{Type: string(problem.WatcherAdded), To: problem.LogRef(ident.ID{9}, "Fay")}), cy, noon, noon)
	all := g.Complete(noon.Add(Quiet), 10)
	if len(all) != 1 || !slices.Equal(all[0].Authors, []ident.ID{ann, bob}) || !slices.Equal(all[0].Named, []ident.ID{bob, cy, {9}}) {
		t.Errorf("the groups are %+v", all)
	}
}

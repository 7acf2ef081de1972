package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// A new problem comes with its first comment, or not at all. A form that was refused because the
// store is away, sent again, makes one problem with one comment.
func TestFirstCommentIsSentAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	b.get("/problems/new").submit("/problems/new", "title", "The door is open", "comment", "bell \x00").is(422).has("Must not contain U+0000", "What you typed is kept")
	b.get("/problems?query=all").lacks("The door is open")
	away := func(store.Change) error { return fault.New(fault.Unavailable, "away") }
	s.store.refuse.Store(&away)
	kept := b.get("/problems/new").submit("/problems/new", "title", "The door is open", "comment", "Since Monday").is(503).has("What you typed is kept")
	s.store.refuse.Store(nil)
	path := kept.submit("/problems/new").is(200).has("Since Monday").path
	if text := kept.submit("/problems/new").is(200).at(path).text(); strings.Count(text, "Since Monday") != 1 {
		t.Errorf("the comment is there more than once: %s", text)
	}
}

// Back in the browser shows a sent form again. With another text, it is another one.
func TestFormIsUsedForAnotherText(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	page := b.get(path)
	page.submit(path, "comment", "The first").is(200)
	page.submit(path, "comment", "The second").is(200).has("The first", "The second")
	form := b.get("/problems/new")
	form.submit("/problems/new", "title", "The light is on").is(200)
	form.submit("/problems/new", "title", "The heater is on").is(200).has("The heater is on")
}

// A refused form is shown again with its texts. The scripts of the page replace the page
// with the form, so "back" would show an empty one.
func TestRefusedFormIsKept(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	another := strings.TrimPrefix(s.problem(t, "Another one"), "/problems/")
	long := strings.Repeat("é", 1001)
	for name, c := range map[string]struct {
		page, action, field, wrong, right, back string
	}{
		"new problem": {"/problems/new", "/problems/new", "title", long, "The light is on", ""},
		"title":       {path, path, "title", long, "The door stands open", ""},
		"comment":     {path, path, "comment", "\nbell \x00 rings", "\nIt rings.", ""},
		"keyword":     {path, path + "/keywords", "name", "a\x00b", "floor", path},
		"related":     {path, path + "/relationships", "problem", "twelve", another, path},
		"user":        {"/administration/users", "/administration/users", "email", "anna", "anna@example.org", "/administration/users"},
		"query":       {"/problems?query=all", "/queries", "name", "a\x00b", "Mine", ""},
	} {
		t.Run(name, func(t *testing.T) {
			other := []string{}
			if name == "user" {
				other = []string{"name", "Anna"}
			}
			page := b.get(c.page).is(200)
			page.t = t
			refused := page.submit(c.action, append(other, c.field, c.wrong)...)
			if refused.status < 400 || refused.status >= 500 {
				t.Fatalf("the status is %d:\n%s", refused.status, refused.text())
			}
			refused.has("What you typed is kept", "Administrator", "New problem")
			if want := strings.ReplaceAll(c.wrong, "\x00", "\uFFFD"); refused.form(c.action).Get(c.field) != want {
				t.Errorf("the form has %.60q, want %.60q", refused.form(c.action).Get(c.field), want)
			}
			if c.back != "" && !strings.Contains(refused.body, `<a href="`+c.back+`">Back`) {
				t.Errorf("no link leads back to %s:\n%s", c.back, refused.body)
			}
			refused.submit(c.action, c.field, c.right).is(200)
		})
	}
}

// A refused form offers what was chosen again, for another choice.
func TestRefusedChoiceIsCorrected(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	b.post(path+"/relationships", "type", "CausedBy", "problem", strings.TrimPrefix(s.problem(t, "Another one"), "/problems/")).is(200)
	create := func(kind, name string) (id string) {
		b.post("/administration/"+kind, "name", name).is(200)
		at := attribute(anchor(b.get("/administration/"+kind), "Change "+name), "href")
		return at[strings.LastIndexByte(at, '/')+1:]
	}
	cellar, roof, spring := create("components", "Cellar"), create("components", "Roof"), create("milestones", "Spring")
	page := b.get(path)
	open, closed := page.choose("state", "Open"), page.choose("state", "Closed")
	gone := "01234567-89ab-7cde-8f01-23456789abcd"
	b.post("/administration/components/"+cellar, "name", "Cellar", "closed", "yes").is(200)
	for name, c := range map[string]struct {
		action, pairs, field, wrong, right string
		status                             int
	}{
		"new problem":   {"/problems/new", "title=The lamp is dark&comment=Since Monday&priority=", "component", gone, roof, 422},
		"closed":        {path, "revision=1&title=The door stands open&state=" + open, "component", cellar, roof, 422},
		"transition":    {"/problems/new", "title=The heater is off", "state", closed, open, 409},
		"watcher":       {path + "/watchers", "", "user", gone, s.admin.User.String(), 422},
		"relationship":  {path + "/relationships", "problem=2", "type", "CauseOf", "CausedBy", 409},
		"many problems": {"/problems/bulk", "predicate=TRUEPREDICATE&priority=keep&read=yes", "milestone", gone, spring, 422},
		"parent":        {"/administration/components/" + roof, "name=Attic", "parent", roof, "", 409},
		"token":         {"/administration/tokens", "scope=read", "user", gone, s.admin.User.String(), 422},
	} {
		t.Run(name, func(t *testing.T) {
			form, err := url.ParseQuery(c.pairs)
			if err != nil {
				t.Fatal(err)
			}
			form.Set(c.field, c.wrong)
			pairs := []string{}
			for name := range form {
				pairs = append(pairs, name, form.Get(name))
			}
			refused := b.post(c.action, pairs...)
			refused.t = t
			refused.is(c.status).has("What you typed is kept")
			if !refused.input(c.action, c.field) {
				t.Fatalf("nobody can correct the field %s:\n%s", c.field, refused.body)
			}
			for name, want := range form {
				if got := refused.form(c.action); !slices.Equal(got[name], want) {
					t.Errorf("the field %s is %q, want %q", name, got[name], want)
				}
			}
			refused.submit(c.action, c.field, c.right).is(200)
		})
	}
}

// A box has no value when it is empty. A refused form has it all the same.
func TestRefusedBoxIsCorrected(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	at := attribute(anchor(b.get("/administration/states"), "Change Open"), "href")
	page := b.get(at)
	others := page.form(at)["next"]
	refused := b.post(at, "name", "Closed", "resolved", "yes", "was", page.form(at).Get("was")).is(409)
	form := refused.form(at)
	if !refused.input(at, "initial") || form.Has("initial") || form.Get("resolved") != "yes" || form.Has("next") || form.Get("was") == "" {
		t.Errorf("the form has %v:\n%s", form, refused.body)
	}
	refused.submit(at, "name", "Begun", "initial", "yes", "next", others[0]).is(200).has("Begun")
}

// A form has the days of a milestone. The hours of a day stay when nobody changes the day.
func TestTimesOfMilestoneStay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	start, end := time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC), time.Date(2026, 4, 1, 23, 59, 59, 0, time.UTC)
	made, err := s.service.Milestones().Create(t.Context(), s.admin, admin.CreateObject[admin.MilestonePatch]{Patch: admin.MilestonePatch{
		Name: patch.Set("Spring"), Start: patch.Set(start), End: patch.Set(end),
	}})
	if err != nil {
		t.Fatal(err)
	}
	b.post("/administration/milestones", "name", "Autumn").is(200)
	at := "/administration/milestones/" + made.Value.ID.String()
	is := func(start, end time.Time) {
		t.Helper()
		now, err := s.service.Milestones().Load(t.Context(), made.Value.ID)
		if err != nil || !now.Value.Start.Equal(start) || !now.Value.End.Equal(end) {
			t.Errorf("the milestone is from %v to %v, want %v to %v (%v)", now.Value.Start, now.Value.End, start, end, err)
		}
	}
	b.get(at).submit(at, "name", "Summer").is(200).has("Summer")
	is(start, end)
	refused := b.get(at).submit(at, "name", "Autumn", "start", "2026-03-15").is(409)
	if form := refused.form(at); form.Get("start") != "2026-03-15" || form.Get("end") != "2026-04-01" {
		t.Errorf("the form has %v", form)
	}
	refused.submit(at, "name", "Spring").is(200)
	is(time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC), end)
	b.get(at).submit(at, "end", "").is(200)
	is(time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC), time.Time{})
}

// D9: a day in a form is the whole day in the zone of the service, and is shown as this day. So
// is a stored midnight in UTC, by which earlier versions and other clients mean a day.
func TestDaysInForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, start, end string }{
		{"UTC", "2026-10-24T00:00:00Z", "2026-10-25T23:59:59.999Z"},
		{"Europe/Berlin", "2026-10-23T22:00:00Z", "2026-10-25T22:59:59.999Z"}, // the day has 25 hours
		{"America/Los_Angeles", "2026-10-24T07:00:00Z", "2026-10-26T06:59:59.999Z"},
		{"Pacific/Kiritimati", "2026-10-23T10:00:00Z", "2026-10-25T09:59:59.999Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		s := newSiteIn(t, zone)
		b := s.signedIn(t)
		midnights, err := s.service.Milestones().Create(t.Context(), s.admin, admin.CreateObject[admin.MilestonePatch]{Patch: admin.MilestonePatch{
			Name: patch.Set("Old"), Start: patch.Set(time.Date(2026, 10, 24, 0, 0, 0, 0, time.UTC)), End: patch.Set(time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC)),
		}})
		if err != nil {
			t.Fatal(err)
		}
		b.post("/administration/milestones", "name", "New", "start", "2026-10-24", "end", "2026-10-25").is(200)
		all, err := s.service.Milestones().List(t.Context())
		if err != nil || len(all.Value) != 2 {
			t.Fatal(all.Value, err)
		}
		for _, m := range all.Value {
			at := "/administration/milestones/" + m.ID.String()
			shown := b.get(at)
			if form := shown.form(at); form.Get("start") != "2026-10-24" || form.Get("end") != "2026-10-25" {
				t.Errorf("%s: the form of %s has %v", c.zone, m.Name, form)
			}
			b.get("/milestones").has("24 Oct 2026", "25 Oct 2026").lacks("23 Oct", "26 Oct")
			b.get("/milestones/"+m.ID.String()).has("24 Oct 2026", "25 Oct 2026")
			shown.submit(at, "name", m.Name+"er").is(200)
			now, err := s.service.Milestones().Load(t.Context(), m.ID)
			if err != nil || !now.Value.Start.Equal(m.Start) || !now.Value.End.Equal(m.End) {
				t.Errorf("%s: with another name, %s is from %v to %v (%v)", c.zone, m.Name, now.Value.Start, now.Value.End, err)
			}
			if m.ID != midnights.Value.ID && (m.Start.Format(time.RFC3339Nano) != c.start || m.End.Format(time.RFC3339Nano) != c.end) {
				t.Errorf("%s: the milestone is from %v to %v", c.zone, m.Start, m.End)
			}
		}
		form := b.get("/administration/tokens")
		form.submit("/administration/tokens", "user", form.choose("user", "Administrator"), "scope", "read", "expires", "2996-10-25").is(200)
		tokens, err := s.service.Tokens(t.Context())
		if err != nil || !slices.ContainsFunc(tokens.Value, func(k access.Token) bool {
			return !k.Expires.IsZero() && k.Expires.Add(time.Millisecond).In(zone).Format(time.DateTime) == "2996-10-26 00:00:00"
		}) {
			t.Errorf("%s: the tokens are %v (%v)", c.zone, tokens.Value, err)
		}
	}
}

// A form for a watcher without a user adds nobody. The button to watch adds the caller.
func TestWatcherIsNamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	b := s.as(t, "Ann", access.Write)
	refused := b.post(path+"/watchers", "user", " ").is(422).has("The new watcher must be given", "What you typed is kept")
	b.get(path).has("Nobody watches this problem")
	refused.submit(path+"/watchers", "user", s.admin.User.String()).is(200).has("Watch")
	if page := b.get(path); strings.Contains(page.text(), "Stop watching") {
		t.Errorf("the caller watches:\n%s", page.text())
	}
	b.post(path + "/watchers").is(200).has("Stop watching")
}

// A form of the fields that is sent twice is no conflict with itself, whatever others changed
// in between. A form without a change of its own is none either.
func TestFieldsAreSentTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	ann, bob := s.as(t, "Ann", access.Write), s.as(t, "Bob", access.Write)
	page := ann.get(path)
	closed, high := page.choose("state", "Closed"), page.choose("priority", "High")
	send := func() *shownPage { return page.submit(path, "title", " The door is shut ", "state", closed) }
	send().is(200).at(path)
	send().is(200).at(path).has("The door is shut")
	bob.get(path).submit(path, "priority", high).is(200)
	send().is(200).at(path)
	page.submit(path).is(200).at(path)
	if got := ann.get(path).form(path); got.Get("title") != "The door is shut" || got.Get("state") != closed || got.Get("priority") != high {
		t.Errorf("the problem has %v", got)
	}
	bob.get(path).submit(path, "title", "The door is ajar").is(200)
	send().is(412).has("The latest change is by Bob")
	statuses := make([]int, 4)
	page = ann.get(path)
	var group sync.WaitGroup
	for i := range statuses {
		group.Go(func() { statuses[i] = page.submit(path, "title", "The door is locked").status })
	}
	group.Wait()
	if !slices.Equal(statuses, []int{200, 200, 200, 200}) {
		t.Errorf("the answers are %v, want 200 alone", statuses)
	}
}

// Nothing was typed into a form for deleting: sent again, it would fail again.
func TestRefusedButtonIsNotKept(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	b.post(path+"/keywords/delete", "name", "none").is(404).lacks("is kept", "Send again")
	b.post("/administration/tokens/01234567-89ab-7cde-8f01-23456789abcd/revoke").is(404).lacks("is kept")
}

// Something moved since the preview of a change of many problems: the same form makes
// another preview.
func TestRefusedPreviewIsMadeAnew(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	form := b.get("/problems/bulk?problem=1").is(200)
	preview := form.submit("/problems/bulk", "priority", form.choose("priority", "High")).is(200).has("1 problem would change")
	b.post(path, "comment", "I look at it.").is(200)
	b.get(path).submit(path, "title", "The door stands open").is(200)
	preview.submit("/problems/bulk").is(412).has("is kept").submit("/problems/bulk").is(200).has("1 problem would change")
}

// A change of many problems goes back, but for what somebody has changed since. The pages show
// it before.
func TestUndoPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	first, second := s.problem(t, "The door is open"), s.problem(t, "The lock is broken")
	form := b.get("/problems/bulk?problem=1&problem=2").is(200)
	high := form.choose("priority", "High")
	done := form.submit("/problems/bulk", "priority", high, "state", form.choose("state", "Closed")).is(200).submit("/problems/bulk").is(200)
	s.as(t, "Willi", access.Write).post(second+"/keywords", "name", "floor").is(200)
	everywhere := link(done, "Undo")
	if here := link(b.get(first), "Undo"); here+"?scope=batch" != everywhere {
		t.Errorf("the history leads to %s, and the notice to %s", here, everywhere)
	}
	at, _, _ := strings.Cut(everywhere, "?")
	b.get(at).is(200).has("1 problem would go back", "In all problems of this change")
	preview := b.get(everywhere).is(200).has("2 problems would go back", "Undo in 2 problems")
	if _, err := s.service.UpdateProblem(t.Context(), s.admin, 2, tracker.UpdateProblem{ProblemPatch: problem.Patch{Priority: patch.Null[metadata.Partial]()}}); err != nil {
		t.Fatal(err)
	}
	moved := preview.submit(at).is(412).has("Something has changed since", "This stays", "It was changed again since")
	undone := moved.submit(at).is(200).has("2 problems went back")
	b.get(second).has("State: Closed → Open", "floor")
	redo, _, _ := strings.Cut(link(undone, "Undo this undo"), "?")
	b.get(link(undone, "Undo this undo")).is(200).submit(redo).is(200).has("2 problems went back")
	b.get(strings.Replace(at, "/batches/", "/batches/x", 1)).is(404)
	s.as(t, "Bob", access.Read).get(first).lacks("Undo")
}

// A list of more than 200 objects is a field for names. A form that leaves it as it was
// keeps the object, whatever its name.
func TestTypedNamesAreKept(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	component, err := s.service.Components().Create(t.Context(), s.admin, admin.CreateObject[admin.ComponentPatch]{Patch: admin.ComponentPatch{Name: patch.Set("Cellar")}})
	if err != nil {
		t.Fatal(err)
	}
	var anna, spring ident.ID
	for i := range 202 {
		u, err := s.service.Users().Create(t.Context(), s.admin, admin.CreateObject[admin.UserPatch]{
			Patch: admin.UserPatch{Name: patch.Set("Anna"), Email: patch.Set(fmt.Sprintf("anna%d@example.org", i))},
		})
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.service.Milestones().Create(t.Context(), s.admin, admin.CreateObject[admin.MilestonePatch]{
			Patch: admin.MilestonePatch{Name: patch.Set(fmt.Sprint("Spring ", i)), Component: patch.Set(forms.ByID(component.Value.ID))},
		})
		if err != nil {
			t.Fatal(err)
		}
		anna, spring = u.Value.ID, m.Value.ID
	}
	path := s.problem(t, "The door is open")
	check := func(assignee, milestone ident.ID) {
		t.Helper()
		a, err := s.service.As(s.admin).Problem(t.Context(), 1, 0)
		if err != nil || a.Value.Assignee != assignee || a.Value.Milestone != milestone {
			t.Errorf("the assignee is %v and the milestone is %v, want %v and %v (%v)", a.Value.Assignee, a.Value.Milestone, assignee, milestone, err)
		}
	}
	b.get(path).submit(path, "assignee", "anna201@example.org", "milestone", "Spring 201").is(200)
	check(anna, spring)
	b.get(path).submit(path, "title", "The door stands open").is(200).has("The door stands open")
	check(anna, spring)
	// What a page shows as a name can be typed as well.
	b.get(path).submit(path, "assignee", "", "milestone", "").is(200)
	check(ident.None, ident.None)
	b.get(path).submit(path, "assignee", "Anna (anna201@example.org)", "milestone", "Spring 201 (Cellar)").is(200)
	check(anna, spring)
	b.get("/problems/bulk?problem=1").submit("/problems/bulk", "milestone", "").is(200).has("1 problem would change", "Milestone cleared: Spring 201")
}

// The limit is that of a session. People have heard of no token.
func TestSessionHasALimit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	s := newSite(t, func(o *Options) { o.Limits.RatePerMinute, o.Now = 3, func() time.Time { return now } })
	path := s.problem(t, "The door is open")
	b := s.signedIn(t)
	b.get(path).is(200)
	b.get(path).is(200)
	limited := b.post(path, "comment", "In a hurry").is(429).has("A session may make 3 requests per minute", "is kept", "In a hurry").lacks("token")
	if limited.header.Get("Retry-After") == "" || limited.header.Get("RateLimit-Policy") != `"session";q=3;w=60` {
		t.Errorf("the headers are %v", limited.header)
	}
}

// Nobody knows the session while the store is away. The form is kept all the same.
func TestFormIsKeptWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	b := s.signedIn(t)
	page := b.get(path)
	s.store.away.Store(true)
	kept := page.submit(path, "comment", "typed for an hour").is(503).has("is kept", "typed for an hour")
	b.get(path).is(503)
	b.get("/sign-in").is(200)
	s.store.away.Store(false)
	kept.submit(path).is(200).has("typed for an hour")
}

// An address with a path of its own spelling has no page, with any method.
func TestUncleanPaths(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	b := s.signedIn(t)
	for _, at := range []string{"/problems/../problems", "/problems//1", "//evil.example", "/problems/./1"} {
		r, err := http.NewRequest("GET", s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Path = at
		if p := b.do(r); p.status != http.StatusNotFound || p.header.Get("Allow") != "" {
			t.Errorf("%s has the status %d, and Allow %q", at, p.status, p.header.Get("Allow"))
		}
	}
	r, err := http.NewRequest("DELETE", s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", s.URL)
	if got := b.do(r).is(405).header.Values("Allow"); !slices.Equal(got, []string{"GET", "POST"}) {
		t.Errorf("Allow is %q", got)
	}
}

// The way back from the preview of a change of many problems keeps what was chosen.
func TestBackFromPreview(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.problem(t, "The door is open")
	b := s.signedIn(t)
	form := b.get("/problems/bulk?problem=1")
	high := form.choose("priority", "High")
	preview := form.submit("/problems/bulk", "priority", high, "milestone", "", "read", "yes").is(200).has("1 problem would change")
	back := url.Values{}
	for n := range preview.root.Descendants() {
		if n.Data == "input" && attribute(n.Parent, "action") == "/problems/bulk" && attribute(n.Parent, "method") == "get" {
			back.Add(attribute(n, "name"), attribute(n, "value"))
		}
	}
	got := b.get("/problems/bulk?" + back.Encode()).is(200).form("/problems/bulk")
	if got.Get("priority") != high || got.Get("read") != "yes" || got.Get("state") != forms.Keep || got.Get("milestone") != "" || got.Get("predicate") != "identifier IN {1}" {
		t.Errorf("the form has %v", got)
	}
}

// The answer to a refused form has the address of the form: a reload leads back to its page.
func TestReloadOfRefusedForm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	id := "/01234567-89ab-7cde-8f01-23456789abcd"
	for from, to := range map[string]string{
		path + "/keywords/delete":                 path,
		path + "/watchers/leave":                  path,
		"/settings/sessions" + id + "/end":        "/settings",
		"/queries":                                "/problems",
		"/queries" + id + "/delete":               "/problems",
		"/administration/tokens" + id + "/revoke": "/administration/tokens",
		"/administration/sessions" + id + "/end":  "/administration/sessions",
		"/language":                               "/problems",
	} {
		b.get(from).is(200).at(to)
	}
	s.browser(t).get(path + "/keywords").at("/sign-in?to=" + url.QueryEscape(path+"/keywords"))
}

// A query that cannot be read is refused. Without it, a list would show other problems.
func TestUnreadableQuery(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for _, query := range []string{"predicate=%zz", "predicate=FALSEPREDICATE;title=x"} {
		b.get("/problems?" + query).is(400).has("The address is not a list of name=value")
		b.get("/problems/bulk?" + query).is(400)
	}
}

// Browsers send each byte of "é" as three. The limit is that of the text.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *Options) { o.Limits.FormBytes = 10_000 })
	path := s.problem(t, "The door is open")
	b := s.signedIn(t)
	page := b.get(path)
	page.submit(path, "comment", strings.Repeat("é", 4_900)).is(200).has("éééé")
	page.submit(path, "comment", strings.Repeat("x", 12_000)).is(413).has("is kept", "xxxx", "at most 10000 bytes")
	page.submit(path, "comment", strings.Repeat("é", 6_000)).is(413)
}

// The service says its faults in English. A page in another language marks them so, for
// readers aloud, and says each in its own words.
func TestFailuresInGerman(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	b := s.signedIn(t)
	send := func(method, path, form string) *shownPage {
		r, err := http.NewRequest(method, s.URL+path, strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Language", "de")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return b.do(r)
	}
	for _, c := range []struct {
		method, path, form string
		status             int
		help, detail       string
	}{
		{"GET", "/nowhere", "", 404, "An dieser Adresse gibt es nichts.", "There is no page at this address."},
		{"GET", "/problems/9", "", 404, "Es gibt kein Problem mit dieser Nummer.", "There is no problem with this identifier."},
		{"DELETE", path, "", 405, "Diese Adresse ist nicht dafür da.", "This address has another method"},
		{"GET", "/problems?after=x", "", 400, "Der Dienst kann diese Anfrage nicht lesen.", "This is no address of a page of the list"},
		{"POST", path, "comment=%00", 422, "Schreibe einen Text, den man sehen kann.", ""},
		{"GET", "/problems?predicate=x+%3D+1", "", 400, "Zeile 1, Spalte 1: Diesen Schlüssel gibt es nicht.", "Problem has no key"},
	} {
		page := send(c.method, c.path, c.form).is(c.status).has(c.help, c.detail)
		marked := c.detail == ""
		for n := range page.root.Descendants() {
			if n.Data == "p" || n.Data == "span" {
				marked = marked || attribute(n, "lang") == "en" && n.FirstChild != nil && strings.Contains(n.FirstChild.Data, c.detail)
			}
		}
		if !marked {
			t.Errorf("%s %s: %q is not marked as English:\n%s", c.method, c.path, c.detail, page.body)
		}
	}
	b.get("/nowhere").is(404).lacks("There is nothing at this address")
	s.store.away.Store(true)
	if p := send("GET", path, "").is(503).has("Der Dienst kann gerade nicht antworten."); p.header.Get("Retry-After") != "1" {
		t.Errorf("the headers are %v", p.header)
	}
}

// Two administrators change one state. The second learns of the first, and can still insist.
func TestTwoAdministrators(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ann, bob := s.as(t, "Ann", access.Admin), s.as(t, "Bob", access.Admin)
	at := attribute(anchor(ann.get("/administration/states"), "Change Closed"), "href")
	hers, his := ann.get(at), bob.get(at)
	his.submit(at, "resolved", "yes", "name", "Shut").is(200)
	stale := hers.submit(at, "name", "Done").is(412).has("Somebody changed this since you opened the form", "is kept")
	if got := ann.get(at).form(at).Get("name"); got != "Shut" {
		t.Errorf("the name is %q, want Bob's", got)
	}
	stale.submit(at).is(200).has("Done")
	// A new object elsewhere is no change of this one.
	page := ann.get(at)
	bob.post("/administration/states", "name", "Asleep").is(200)
	page.submit(at, "name", "Finished").is(200).has("Finished", "Asleep")
}

// A form that was refused for another reason still notices the change of somebody else.
func TestRefusedFormOfAdministration(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ann, bob := s.as(t, "Ann", access.Admin), s.as(t, "Bob", access.Admin)
	at := attribute(anchor(ann.get("/administration/states"), "Change Closed"), "href")
	refused := ann.get(at).submit(at, "name", "In Progress").is(409)
	bob.get(at).submit(at, "order", "77").is(200)
	refused.submit(at, "name", "Shut").is(412)
	if order := bob.get(at).form(at).Get("order"); order != "77" {
		t.Errorf("the order is %q, want Bob's", order)
	}
}

// Several administrators send what they opened together, all at once: one form is stored.
func TestAdministratorsAtOnce(t *testing.T) {
	t.Parallel()
	const people = 6
	s := newSite(t)
	ann := s.as(t, "Ann", access.Admin)
	ann.get("/administration/webhooks").submit("/administration/webhooks", "url", "https://example.org/hook").is(200)
	// No value is the one that is stored: a form that changes nothing leaves those of others valid.
	for _, object := range []struct{ list, link, field, values string }{
		{"/administration/states", "Change In Progress", "order", "1%02d"},
		{"/administration/webhooks", "Change https://example.org/hook", "url", "https://example.org/%d"},
	} {
		at := attribute(anchor(ann.get(object.list), object.link), "href")
		for round := range 5 {
			opened, statuses := ann.get(at), make([]int, people)
			var group sync.WaitGroup
			for i := range people {
				group.Go(func() {
					statuses[i] = opened.submit(at, object.field, fmt.Sprintf(object.values, round*people+i)).status
				})
			}
			group.Wait()
			if slices.Sort(statuses); !slices.Equal(statuses, []int{200, 412, 412, 412, 412, 412}) {
				t.Errorf("%s: the answers are %v, want one 200", object.list, statuses)
			}
		}
	}
}

package web

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/problemtracking/problems/adapters/web/internal/keys"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

func TestClassicQueriesCompile(t *testing.T) {
	t.Parallel()
	if len(classics) != 11 {
		t.Fatalf("there are %d classic queries, want 11", len(classics))
	}
	env := predicate.Env{Now: time.Now(), User: ident.ID{1}}
	for _, c := range classics {
		if _, err := check.Compile(c.Predicate, predicate.Problem, env); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if _, err := check.CompileOrder(c.Sort, predicate.Problem); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	for _, c := range columns {
		if _, err := check.CompileOrder(c.Sort, predicate.Problem); err != nil {
			t.Errorf("the column %s: %v", c.Name, err)
		}
	}
}

// Every column of the list has a heading.
func TestColumnsHaveTexts(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(fixedColumns, columns) {
		if !texts.Languages()[0].Has("column." + c.Name) {
			t.Errorf("there is no text for the column %s", c.Name)
		}
	}
}

func TestWithWords(t *testing.T) {
	t.Parallel()
	env := predicate.Env{Now: time.Now(), User: ident.ID{1}}
	for _, words := range []string{"door", `it's`, `a\b`, `"both" 'kinds'`, `\'`, "line\nbreak", "%@", "') OR TRUEPREDICATE OR ('"} {
		text, _ := withWords("TRUEPREDICATE", words)
		plan, err := check.Compile(text, predicate.Problem, env)
		if err != nil {
			t.Errorf("%q: %v", words, err)
		} else if found := constants(plan); !slices.Contains(found, predicate.Fold(words, predicate.Both)) {
			t.Errorf("%q became %q", words, found)
		}
	}
	for text, words := range map[string]string{
		"TRUEPREDICATE": "",
		"state.resolved = YES) OR (state.resolved = NO": "door",
	} {
		if got, added := withWords(text, words); got != text || added {
			t.Errorf("%q with the words %q became %q", text, words, got)
		}
	}
}

func constants(plan *predicate.Plan) (found []string) {
	predicate.Walk(plan.Where, func(node any) bool {
		if c, ok := node.(predicate.Const); ok {
			if text, ok := c.Value.(string); ok {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}

func TestList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	b.get("/problems").is(200).has("All open · Problem Tracker", "Nothing is open.", "Show all problems")
	for range 51 {
		s.problem(t, "Filler")
	}
	s.problem(t, `The "door" is <b>open</b> & it's cold`)
	first := b.get("/problems?query=all").is(200).has(`The "door" is <b>open</b> & it's cold`, "Next page")
	next := link(first, "Next page")
	b.get(next).is(200).has("First page").lacks("Next page", "The \"door\"")
	b.get("/problems?query=all&title=" + url.QueryEscape("it's")).is(200).has("The \"door\"").lacks("Filler")
	b.get("/problems?query=all&columns=created&columns=originator").is(200).has("Created by")
	b.get("/problems?predicate=" + url.QueryEscape("title BEGINSWITH 'The'")).is(200).has("Your own query").lacks("Filler")

	faulty := b.get("/problems?title=door&predicate=" + url.QueryEscape("state.resolved = NO\nAND titel = 'x'")).is(400).has("Line 2, column 5:")
	if mark := find(faulty.root, "mark"); mark == nil || mark.FirstChild.Data != "t" {
		t.Errorf("the fault is not marked at its column:\n%s", faulty.body)
	}
	b.get("/problems?query=all&sort=nonsense").is(400).has("nonsense")
	b.get("/problems?query=all&after=nonsense").is(400)
	b.get("/problems?query=all&after=").is(200).has("Next page").lacks("First page")
	b.get("/problems?query=nonsense").is(404)

	saved := b.post("/queries", "name", "Doors", "predicate", "title CONTAINS 'door'", "sort", "-identifier").is(200).has("Doors", "The \"door\"")
	b.get("/problems").has("Doors")
	saved.submit("/queries/" + strings.TrimPrefix(saved.path, "/problems?query=") + "/delete").is(200).lacks("Doors")
}

// link returns the address of a link by its text.
func link(p *shownPage, text string) string {
	p.t.Helper()
	for n := range p.root.Descendants() {
		if n.Data == "a" && n.FirstChild != nil && strings.TrimSpace(n.FirstChild.Data) == text {
			return attribute(n, "href")
		}
	}
	p.t.Fatalf("%s has no link %q", p.path, text)
	return ""
}

func find(root *html.Node, element string) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == element {
			return n
		}
	}
	return nil
}

func TestUnread(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	b := s.as(t, "Willi", access.Write)
	b.get("/problems").has("The door is open unread")
	b.get(path).is(200)
	b.get("/problems").has("unread") // a GET changes nothing
	shown := b.get(path)
	s.signedIn(t).post(path, "comment", "It is the lock.").is(200)
	shown.submit(path+"/read", "revision", "1").is(412)
	shown.submit(path+"/read", "revision", "one").is(400)
	b.get("/problems").has("unread") // with a change that nobody has seen
	b.get(path).submit(path+"/read", "revision", "2").has("Mark as unread")
	b.get("/problems").lacks("unread")
	b.get(path).submit(path + "/read").has("Mark as read")
}

func TestProblemPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	created := b.get("/problems/new").is(200).submit("/problems/new", "title", "The door is open", "comment", "Since yesterday.\nIt is <cold>.").is(200).has("The door is open", "It is <cold>.")
	path := created.path
	other := s.problem(t, "The lock is broken")

	b.get(path).submit(path, "comment", "A second comment").is(200).has("A second comment")
	b.get(path).submit(path+"/keywords", "name", "customer", "value", "ACME").is(200).has("customer: ACME")
	b.get(path).submit(path+"/keywords/delete", "name", "customer").is(200).has("Keyword customer deleted", "Keywords None yet.")
	b.get(path).submit(path+"/relationships", "type", "BlockedBy", "problem", " #"+strings.TrimPrefix(other, "/problems/")).is(200).has("Blocked by", "The lock is broken")
	b.get(other).has("Blocks", "The door is open")
	b.post(path+"/relationships", "type", "BlockedBy", "problem", "window").is(422).has("named by its number")
	third := s.problem(t, "The lock of the shed")
	b.get(path).submit(path+"/relationships", "type", "RelatedTo", "problem", "lock").is(200).has("The lock is broken", "The lock of the shed").lacks("The door is open")
	b.get(path).submit(path+"/relationships", "type", "RelatedTo", "problem", "SHED").is(200).at(path).has("Related to", "The lock of the shed")
	b.get(path).submit(path+"/relationships", "type", "ParentOf", "problem", "#"+strings.TrimPrefix(third, "/problems/")+" The lock").is(200).at(path).has("Parent of")
	b.post(path+"/relationships/delete", "type", "ParentOf", "problem", strings.TrimPrefix(third, "/problems/")).is(200)
	b.post(path+"/relationships/delete", "type", "RelatedTo", "problem", strings.TrimPrefix(third, "/problems/")).is(200)
	b.get(path).submit(path + "/relationships/delete").is(200).has("No longer: Blocked by")
	b.get(path).submit(path+"/watchers").is(200).has("Administrator", "New watcher:")
	b.get(path).submit(path + "/assign").is(200).at(path).has("Assignee: Administrator").lacks("Assign to me")

	page := b.get(path)
	changed := page.submit(path, "title", "The door was open", "state", page.choose("state", "In Progress"), "priority", page.choose("priority", "High")).is(200)
	changed.has("The door was open", "In Progress", "Priority: High")
	b.get("/problems/999").is(404).has("no problem")
	b.get("/problems/007").is(404)
	b.get("/nowhere").is(404).has("no page at this address")
}

// A form sent twice is done once.
func TestPressedTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	form := b.get("/problems/new")
	first := form.submit("/problems/new", "title", "The door is open")
	if second := form.submit("/problems/new", "title", "The door is open"); second.path != first.path {
		t.Errorf("the second time leads to %s, not %s", second.path, first.path)
	}
	page := b.get(first.path)
	page.submit(first.path, "comment", "Only once")
	if again := page.submit(first.path, "comment", "Only once").is(200); strings.Count(again.text(), "Only once") != 1 {
		t.Errorf("the comment is there twice: %s", again.text())
	}
}

// A form counts on top of changes of others, as far as they are in other fields. Where both
// changed a field, the page shows it, and nothing is lost.
func TestConflict(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	ann, bob := s.as(t, "Ann", access.Write), s.as(t, "Bob", access.Write)
	page := ann.get(path)
	bob.post(path, "comment", "I look at it.").is(200)
	his := bob.get(path)
	his.submit(path, "priority", his.choose("priority", "Urgent")).is(200)
	page.submit(path, "title", "The door stands open").is(200).has("The door stands open", "I look at it.", "Priority: Urgent")

	page = ann.get(path)
	bob.get(path).submit(path, "title", "The door is ajar").is(200)
	low := page.choose("priority", "Low")
	conflict := page.submit(path, "title", "The door was open", "priority", low, "comment", "It was the wind.").is(412).has("The latest change is by Bob, just now").lacks("Priority")
	for _, marked := range []string{"The door <del>stands open</del><ins>is ajar</ins>", "The door <del>stands</del><ins>was</ins> open"} {
		if !strings.Contains(conflict.body, marked) {
			t.Errorf("the page lacks %s:\n%s", marked, conflict.body)
		}
	}
	if got := conflict.form(path); got.Get("title") != "The door was open" || got.Get("priority") != low || got.Get("comment") != "It was the wind." || got.Has("state") {
		t.Errorf("the form has %v", got)
	}
	ann.get(path).lacks("The door was open", "It was the wind.")
	if saved := conflict.submit(path).is(200).at(path).has("It was the wind.", "The door was open"); saved.form(path).Get("priority") != low {
		t.Error("a change in another field is lost")
	}

	// No form has such a revision.
	for _, revision := range []string{"99999999", "-1", "0", ""} {
		ann.post(path, "revision", revision, "title", "Forged").is(400)
	}
	ann.post(path, "title", "Forged").is(400)
}

// One form has the comment and the fields: what it sends is one change. Its preview stores
// nothing, and keeps all that was typed.
func TestOneForm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	page := b.get(path)
	closed, high := page.choose("state", "Closed"), page.choose("priority", "High")
	preview := page.submit(path, "preview", "yes", "comment", "It was *the lock*.", "title", "The door was open", "priority", high).is(200)
	if !strings.Contains(preview.body, "<em>the lock</em>") {
		t.Errorf("the preview lacks the comment:\n%s", preview.body)
	}
	if got := preview.form(path); got.Get("title") != "The door was open" || got.Get("priority") != high || got.Get("comment") != "It was *the lock*." {
		t.Errorf("the preview has the form %v", got)
	}
	b.get(path).lacks("the lock")
	for range 2 { // pressed twice, it is done once
		preview.submit(path, "then", closed).is(200).at(path)
	}
	now, err := s.service.As(s.admin).Problem(t.Context(), 1, allParts)
	if err != nil {
		t.Fatal(err)
	}
	if now.Value.Revision != 2 || len(now.Value.Comments) != 1 || now.Value.Title != "The door was open" || now.Value.State.String() != closed || now.Value.Priority.String() != high {
		t.Errorf("the problem is %+v", now.Value)
	}
	items := b.get(path).has("commented Title: The", "State: Open → Closed", "Priority: High")
	if n := strings.Count(items.body, `class="by"`); n != 2 {
		t.Errorf("the history has %d lines, want 2", n)
	}

	// What is wrong stands at its field, in the language of the reader.
	empty := b.get(path).submit(path, "do", "comment").is(422)
	long := b.get(path).submit(path, "title", strings.Repeat("x", 1001), "comment", "bell \x00").is(422)
	for wrong, page := range map[string]*shownPage{
		`id="fault-comment" class="wrong">Write a comment first.<`: empty,
		`id="fault-comment" class="wrong">Must not contain U`:      long,
		`id="fault-title" class="wrong">`:                          long,
	} {
		if !strings.Contains(page.body, wrong) {
			t.Errorf("the page lacks %s:\n%s", wrong, page.body)
		}
	}
}

func TestBulk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	one, two, three := s.problem(t, "One"), s.problem(t, "Two"), s.problem(t, "Three")
	number := func(path string) string { return strings.TrimPrefix(path, "/problems/") }
	form := b.get("/problems/bulk?problem="+number(one)+"&problem="+number(two)).is(200).has("identifier IN {1, 2}", "2 problems", "#1 One", "#2 Two").lacks("Three")
	preview := form.submit("/problems/bulk", "priority", form.choose("priority", "High")).is(200).has("2 problems would change", "Priority: High")
	b.get(one).lacks("Priority: High")
	preview.submit("/problems/bulk").is(200).has("2 problems were changed")
	b.get(one).has("Priority: High")
	b.get(three).lacks("Priority: High")
	// The preview was used: the same change again is another one.
	if again := preview.submit("/problems/bulk"); again.status != 412 && again.status != 422 {
		t.Errorf("the preview works twice: %d %s", again.status, again.text())
	}
	b.get("/problems/bulk?all=yes&predicate="+url.QueryEscape("state.resolved = NO")+"&title=Three").submit("/problems/bulk", "read", "no").is(200).has("1 problem would change")
	b.post("/problems/bulk", "predicate", "titel = 1", "priority", "").is(400).has("Line 1, column 1:")
	b.get("/problems/bulk?problem=x").is(400)
}

// The bar of a list changes the ticked problems at once, and leads back to the list as it was. What
// is refused, and a bar without a ticked problem, change nothing.
func TestBar(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	one, two := s.problem(t, "One"), s.problem(t, "Two")
	const at = "/problems?columns=state&columns=priority&query=all&sort=title"
	list := b.get(at).is(200)
	bar := list.form("/problems/bulk")
	send := func(pairs ...string) *shownPage {
		return b.post("/problems/bulk", append(pairs, "to", bar.Get("to"), "do", "now")...)
	}
	high := b.get("/problems/bulk?problem=1").choose("priority", "High")
	done := send("problem", "1", "problem", "2", "priority", high, "state", "keep").is(200).has("2 problems were changed")
	if !strings.HasPrefix(done.path, at+"&changed=2&undo=1.") {
		t.Errorf("the list is %s", done.path)
	}
	done.find(`href="/problems/1/batches/`)
	done.find(`href="` + html.EscapeString(at) + `"`) // the list without the message
	b.get(one).has("Priority: High")
	send("problem", "1", "state", list.choose("state", "Closed")).is(200).has("1 problem was changed")
	send("problem", "1", "problem", "2", "state", list.choose("state", "In Progress")).is(200).has("1 problem cannot change like this")
	send("predicate", "TRUEPREDICATE", "priority", "").is(200).has("You selected no problem")
	b.get(two).has("Priority: High")
	b.post("/problems/bulk", "problem", "1", "priority", "", "do", "now", "to", "//evil.example/problems").is(200).has("1 problem was changed", "To the list of problems")

	// Keywords, and the way back from the preview.
	form := b.get("/problems/bulk?problem=1&problem=2&to=%2Fproblems%3Fquery%3Dall")
	form.submit("/problems/bulk", "keyword", "floor", "value", "2").is(200).has("2 problems would change", "floor: 2").submit("/problems/bulk").is(200).has("2 problems were changed")
	form.submit("/problems/bulk", "without", "floor").is(200).has("2 problems would change").submit("/problems/bulk").is(200)
	b.get("/problems?predicate=" + url.QueryEscape("ANY keywords.name = 'floor'")).is(200).has("no such problem")
	form.submit("/problems/bulk", "keyword", "floor", "without", "floor").is(422).has("Remove keyword")
}

// The table has the list as it is, and no formula.
func TestExport(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for _, title := range []string{`=HYPERLINK("x")`, "-1", `A "lamp", dark`} {
		s.problem(t, title)
	}
	b.get("/problems?query=all&columns=state").find(`href="/problems/csv?columns=state&amp;query=all"`)
	got := b.get("/problems/csv?query=all&columns=state&sort=identifier&title=").is(200)
	const want = "#,Title,State\n1,\"'=HYPERLINK(\"\"x\"\")\",Open\n2,'-1,Open\n3,\"A \"\"lamp\"\", dark\",Open\n"
	if got.body != want || !strings.HasPrefix(got.header.Get("Content-Type"), "text/csv") || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the table is\n%s (%v), want\n%s", got.body, got.header, want)
	}
	b.get("/problems/csv?title=lamp").is(200).find("lamp").lacks("HYPERLINK")
	b.get("/problems/csv?predicate=titel+%3D+1").is(400)
	s.browser(t).get("/problems/csv").at("/sign-in?to=%2Fproblems%2Fcsv")
}

// The board has a column for each state that resolves nothing, and one for what was resolved lately.
// A card moves by its form. A refused move leaves it where it is, and says why.
func TestBoard(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for i := range cardsInLane + 1 {
		s.problem(t, fmt.Sprintf("Problem %02d", i))
	}
	const at = "/problems/board?query=all&sort=title"
	board := b.get(at).is(200).has("Open 26", "In Progress 0", "All of them", "Resolved in the last 14 days 0", "Problem 24").lacks("Problem 25")
	board.find(`href="/problems/board?query=mine"`, `href="/problems?query=all&amp;sort=title"`)
	progress, closed := board.choose("state", "In Progress"), board.choose("state", "Closed")
	move := func(revision, state string) *shownPage {
		return b.post(boardPath, "problem", "1", "revision", revision, "state", state, "to", at)
	}
	move("1", progress).is(200).at(at).has("Open 25", "In Progress 1").lacks("All of them")
	move("1", closed).is(412).has("Somebody else has moved it meanwhile", "In Progress 1").find(`aria-describedby="wrong-1"`)
	move("2", closed).is(200).has("Resolved in the last 14 days 1")
	move("3", progress).is(409).has("can move to: Open").find("<details open>")
	move("3", "").is(422)
	b.post(boardPath, "problem", "1", "revision", "3", "state", b.get("/problems/bulk?problem=1").choose("state", "Open"), "to", "//evil.example").is(200).at(boardPath)
	b.get(boardPath+"?predicate="+url.QueryEscape("priority = nil AND titel = 1")).is(400).has("Line 1, column 20:", "did you mean title?")
	b.get(boardPath + "?title=%233").at("/problems/3")
	b.get("/problems/filter?path=%2Fproblems%2Fboard&predicate=TRUEPREDICATE&assignee=me").at(boardPath + "?predicate=" + url.QueryEscape("assignee.identifier = $ApiUser"))
}

// The page of a problem leads back to the list that led to it, and to those beside it there.
func TestPlaceInList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for _, title := range []string{"One", "Two", "Three"} {
		s.problem(t, title)
	}
	b.get("/problems/2").lacks("of 3").find(`href="/problems">`)
	const list = "/problems?columns=state&query=all&sort=title"
	b.get(list) // One, Three, Two
	b.get("/problems/3").has("2 of 3").find(`href="`+html.EscapeString(list)+`"`, `rel="prev" href="/problems/1"`, `rel="next" href="/problems/2"`)
	if first := b.get("/problems/1").has("1 of 3"); strings.Contains(first.body, `rel="prev"`) {
		t.Error("the first problem has one before it")
	}
	long := "/problems?predicate=" + url.QueryEscape("TRUEPREDICATE"+strings.Repeat(" ", 4000))
	b.get(long).is(200)
	b.get("/problems/2").has("2 of 3").find(`href="/problems">`)
	b.post("/sign-out")
	here, _ := url.Parse(s.URL)
	for _, c := range b.Jar.Cookies(here) {
		t.Errorf("the browser keeps %s", c.Name)
	}
}

// The table of keys is what the pages say, in their controls and in their help.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "One")
	b := s.signedIn(t)
	pages := map[string]*shownPage{"list": b.get("/problems?query=all"), "problem": nil}
	s.problem(t, "Two")
	b.get("/problems?query=all&sort=-title")
	pages["problem"] = b.get(path)
	help := b.get("/keys").is(200)
	byScript := []string{"leave", "send", "open", "down", "up", "pick", "pick-range", "next"} // 1 of 2 has nothing behind it
	for place, page := range pages {
		for _, k := range slices.Concat(keys.Of("all"), keys.Of(place)) {
			help.has(texts.Languages()[0].Say("key." + k.Name))
			if k.Name == "search" && place == "problem" || slices.Contains(byScript, k.Name) {
				continue
			}
			page.find(`data-key="` + html.EscapeString(k.Keys) + `"`)
		}
	}
	pages["list"].find(`data-moves="j k x X"`)
	b.post("/keys", "keys", "off").is(200).at("/keys").has("Turn the keys on")
	b.get(path).find(`data-keys="off"`)
	b.post("/keys", "keys", "on").is(200).has("Turn the keys off")
	b.post("/keys", "keys", "x").is(400)
}

func TestPast(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The first title")
	b.get(path).submit(path, "title", "The second title").is(200)
	b.get(path).submit(path+"/keywords", "name", "customer", "value", "ACME").is(200)
	b.get(path+"/past").is(200).has("Revision 2 of 3", "Title:", "Later")
	b.get(path+"/past?revision=3").is(200).has("Revision 3 of 3", "Keyword customer: ACME").lacks("Later")
	commented := b.get(path).submit(path, "comment", "It was the fuse.").is(200)
	if at := link(b.get(path+"/past?revision=4").has("This revision changed"), "A comment"); !strings.Contains(commented.body, `id="`+strings.TrimPrefix(at, path+"#")+`"`) {
		t.Errorf("the comment is at %s", at)
	}
	b.get(path+"/past?revision=1").is(200).has("Revision 1 of 4", "The first title", "The second title").lacks("Earlier")
	if body := b.get(path + "/past?revision=1").body; !strings.Contains(body, "The <del>first</del> title") || !strings.Contains(body, "The <ins>second</ins> title") {
		t.Errorf("the changed word is not marked:\n%s", body)
	}
	b.get(path + "/past?revision=5").is(400)
	b.get(path + "/past?revision=x").is(400)
	b.get("/problems/99/past").is(404)
}

// Two watchers of one name, and two keywords that read alike, are two parts of the past.
func TestPastOfNamesakes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	var revisions []int64
	for i := range 2 {
		u, err := s.service.Users().Create(t.Context(), s.admin, admin.CreateObject[admin.UserPatch]{
			Patch: admin.UserPatch{Name: patch.Set("Anna"), Email: patch.Set(fmt.Sprintf("anna%d@example.org", i))},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.post(path+"/watchers", "user", u.Value.ID.String()).is(200)
		b.post(path+"/keywords", "name", []string{"a: b", "a"}[i], "value", []string{"", "b"}[i]).is(200)
		now, err := s.service.As(s.admin).Problem(t.Context(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, now.Value.Revision)
	}
	rows := b.get(fmt.Sprintf("%s/past?revision=%d", path, revisions[0])).is(200).rows()
	if watchers, keywords := rows["Watchers"], rows["Keywords"]; !slices.Equal(watchers, []string{"Anna", "AnnaAnna"}) || !slices.Equal(keywords, []string{"a: b", "a: ba: b"}) {
		t.Errorf("the watchers are %q, and the keywords %q", watchers, keywords)
	}
}

func TestAdministration(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	b.get("/administration").is(200).at("/administration/states").has("Open", "In Progress", "Closed")
	b.get("/administration/components").has("There is none yet.").submit("/administration/components", "name", "Server").is(200).has("Server")
	form := b.get("/administration/components")
	tree := form.submit("/administration/components", "name", "Accounts", "parent", form.choose("parent", "Server")).is(200).has("Accounts")
	b.post("/administration/components", "name", "Server").is(409).has("has this name")
	change := b.get(attribute(anchor(tree, "Change Server"), "href")).is(200)
	change.submit(change.path, "closed", "yes").is(200).has("closed")
	b.get("/administration/users").submit("/administration/users", "name", "Ann", "email", "ann@example.org").is(200).has("ann@example.org")
	users := b.get("/administration/users")
	users.submit("/administration/users", "name", "Robby", "email", "robby@example.org", "robotOf", users.choose("robotOf", "Ann")).is(200)
	b.post("/administration/users", "name", "Bob", "email", "nonsense").is(422).has("E-mail: ")
	b.post("/administration/milestones", "name", "Spring", "start", "soon").is(422).has("must be a date such as 2026-10-31")
	b.post("/administration/milestones", "name", "Spring", "start", "2026-03-01", "end", "2026-06-01").is(200).has("2026-06-01")
	b.post("/administration/priorities", "name", "Extreme", "order", "9").is(200).has("Extreme")
	b.post("/administration/classifications", "name", "Question").is(200).has("Question")
	state := b.get("/administration/states")
	b.post("/administration/states", "name", "Verified", "resolved", "yes", "next", attribute(find(state.root, "fieldset").FirstChild.NextSibling.FirstChild, "value")).is(200).has("Verified")
	b.get("/administration/nonsense").is(404)
	b.get("/administration/states/nonsense").is(404)
	b.get("/administration/states/01234567-89ab-7cde-8f01-23456789abcd").is(404)
	b.get("/administration/audit").is(200).has("Verified", "created")

	tokens := b.get("/administration/tokens").is(200)
	made := tokens.submit("/administration/tokens", "user", tokens.choose("user", "Ann"), "scope", "write", "name", "Laptop").is(200).has("not shown again", "pts_")
	secret := regexp.MustCompile(`pts_[0-9A-Za-z]{49}`).FindString(made.body)
	b.get("/administration/tokens").lacks("pts_")
	of := b.get("/administration/tokens")
	robby := s.browser(t)
	robby.post("/sign-in", "token", regexp.MustCompile(`pts_[0-9A-Za-z]{49}`).FindString(of.submit("/administration/tokens", "user", of.choose("user", "Robby"), "scope", "write").body)).is(200)
	robby.post("/problems/new", "title", "Made by a program").is(200).has("robot of Ann")
	laptop, err := access.ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := s.service.Authenticate(t.Context(), laptop)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.service.TakeClaim(t.Context(), caller, 1, tracker.TakeClaim{Lease: patch.Set(int64(600))}); err != nil {
		t.Fatal(err)
	}
	robby.get("/problems/1").is(200).has("Ann works on it via Laptop until", "Ann via Laptop").lacks("Robby via")
	mine := robby.get("/problems/1").submit("/problems/1/claim/end").is(200).submit("/problems/1/claim").is(200).has("Robby works on it until", "End the claim")
	mine.b.post("/problems/1/claim").is(409)
	ann := s.browser(t)
	ann.post("/sign-in", "token", secret).is(200)
	for n := range b.get("/administration/tokens").root.Descendants() {
		if n.Data == "button" && attribute(n, "aria-label") == "Revoke the token Laptop of Ann" {
			b.post(attribute(n.Parent, "action")).is(200).has("ended")
		}
	}
	ann.get("/settings").at("/sign-in?to=%2Fsettings")
}

// anchor returns the link with this label.
func anchor(p *shownPage, label string) *html.Node {
	p.t.Helper()
	for n := range p.root.Descendants() {
		if n.Data == "a" && attribute(n, "aria-label") == label {
			return n
		}
	}
	p.t.Fatalf("%s has no link %q", p.path, label)
	return nil
}

// No GET changes anything, on whatever page.
func TestGetsChangeNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	b := s.as(t, "Willi", access.Admin)
	before, err := s.service.As(s.admin).Problem(t.Context(), 1, snapshot.Log|snapshot.Watchers)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := s.service.Audit(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routes() {
		if r.method != http.MethodGet {
			continue
		}
		address := strings.NewReplacer("{$}", "", "/problems/{problem}", path, "{kind}", "states", "{id}", "01234567-89ab-7cde-8f01-23456789abcd").Replace(r.path)
		for _, query := range []string{"", "?read=yes&text=x&name=x&title=x&dryRun=false"} {
			b.get(address + query)
		}
	}
	after, err := s.service.As(s.admin).Problem(t.Context(), 1, snapshot.Log|snapshot.Watchers)
	if err != nil {
		t.Fatal(err)
	}
	if after.Revision != before.Revision || len(after.Value.Watchers) != len(before.Value.Watchers) {
		t.Errorf("the problem has revision %d after the GETs, and %d before", after.Revision, before.Revision)
	}
	if now, err := s.service.Audit(t.Context(), 0, 1000); err != nil || len(now.Value.Entries) != len(entries.Value.Entries) {
		t.Errorf("the audit log has %d entries after the GETs, and %d before (%v)", len(now.Value.Entries), len(entries.Value.Entries), err)
	}
	b.get("/problems").has("unread")
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	for _, address := range []string{"/sign-in", "/problems", path, "/settings", "/nowhere", "/problems/99"} {
		h := b.get(address).header
		csp := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none';") || strings.Contains(csp, "unsafe") || !strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "require-trusted-types-for 'script'") {
			t.Errorf("%s has the policy %q", address, csp)
		}
		if h.Get("Referrer-Policy") != "same-origin" || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Cache-Control"), "private") || h.Get("Content-Language") != "en" {
			t.Errorf("%s has the headers %v", address, h)
		}
	}
	r, _ := http.NewRequest("PUT", s.URL+path, nil)
	if p := b.do(r).is(405); strings.Join(p.header.Values("Allow"), ",") != "GET,POST" {
		t.Errorf("Allow is %q", p.header.Values("Allow"))
	}
	r, _ = http.NewRequest("HEAD", s.URL+path, nil)
	if p := b.do(r).is(200); p.body != "" {
		t.Errorf("HEAD has the body %q", p.body)
	}
	r, _ = http.NewRequest("POST", s.URL+path, strings.NewReader(`{"comment":"x"}`))
	r.Header.Set("Content-Type", "application/json")
	b.do(r).is(415).has("the API has other addresses, which /docs describes")
	b.post(path, "comment", strings.Repeat("x", 1<<20)).is(413)
}

func TestAssets(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *Options) { o.BasePath = "/tracker" })
	b := s.browser(t)
	page := b.get("/tracker/sign-in").is(200)
	var seen int
	for n := range page.root.Descendants() {
		at := attribute(n, "href")
		if n.Data != "link" {
			continue
		}
		seen++
		asset := b.get(at).is(200)
		if !strings.HasPrefix(at, "/tracker/assets/") || !strings.Contains(asset.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s has the headers %v", at, asset.header)
		}
	}
	if seen < 2 {
		t.Errorf("the page has %d assets", seen)
	}
	b.get("/tracker/assets/style-AAAAAAAAAAAA.css").is(404)
	b.get("/tracker").at("/tracker/sign-in")
	b.get("/sign-in").is(200) // a proxy has stripped the base path
}

// Pages and assets come compressed.
func TestSizes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for range 50 {
		s.problem(t, "A problem with a title of a usual length, as people write them")
	}
	total := 0
	page := b.get("/problems?query=all")
	addresses := []string{"/problems?query=all"}
	for n := range page.root.Descendants() {
		if n.Data == "link" {
			addresses = append(addresses, attribute(n, "href"))
		}
	}
	for _, at := range addresses {
		r, _ := http.NewRequest("GET", s.URL+at, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		response, err := (&http.Transport{DisableCompression: true}).RoundTrip(withCookies(b, r))
		if err != nil {
			t.Fatal(err)
		}
		size, err := io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil || response.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s is not compressed: %v (%v)", at, response.Header, err)
		}
		total += int(size)
	}
	if len(addresses) > 4 || total > 50_000 {
		t.Errorf("a list of 50 takes %d requests and %d bytes, want at most 4 and 50,000", len(addresses), total)
	}
}

func withCookies(b *browser, r *http.Request) *http.Request {
	for _, c := range b.Jar.Cookies(r.URL) {
		r.AddCookie(c)
	}
	return r
}

func TestServes(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/tracker"} {
		s := newSite(t, func(o *Options) { o.BasePath = base })
		h := s.Config.Handler.(*Handler)
		for _, c := range []struct {
			method, path, accept string
			want                 bool
		}{
			{"GET", "/", "text/html", true}, {"GET", "/", "*/*", false}, {"GET", "/", "application/json", false},
			{"GET", "/problems", "*/*", true}, {"POST", "/problems/1/comments", "", true}, {"GET", "/nowhere", "text/html", true}, {"GET", "/nowhere", "", false},
			{"GET", "/api/20151105/problems", "text/html", false}, {"GET", "/docs", "text/html", false}, {"GET", "/errors/x", "text/html", false},
			{"GET", "/healthz", "text/html", false}, {"GET", "/readyz", "", false}, {"GET", "/openapi.json", "text/html", false},
			{"OPTIONS", "*", "", false}, {"DELETE", "/nowhere", "text/html", false},
		} {
			path := c.path
			if path != "*" {
				path = base + path
			}
			r := &http.Request{Method: c.method, URL: &url.URL{Path: path}, Header: http.Header{"Accept": {c.accept}}}
			if got := h.Serves(r); got != c.want {
				t.Errorf("below %q, %s %s for %q: %v, want %v", base, c.method, c.path, c.accept, got, c.want)
			}
		}
	}
}

// Every text that a page names is there in every language, and none is left over.
func TestTexts(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	literal := regexp.MustCompile(`(?:\bt|say\(|Say\() ?"([a-z][\w.-]*\w)"`)
	err := filepath.WalkDir(".", func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range literal.FindAllSubmatch(source, -1) {
			used[string(match[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(used) < 50 {
		t.Fatalf("only %d texts are used: the expression finds too few", len(used))
	}
	for key := range used {
		for _, l := range texts.Languages() {
			if !l.Has(key) {
				t.Errorf("%s: there is no text %q", l.Tag, key)
			}
		}
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	r, _ := http.NewRequest("GET", s.URL+"/problems", nil)
	r.Header.Set("Accept-Language", "de-CH,de;q=0.9,en;q=0.8")
	if p := b.do(r).is(200).has("Probleme"); attribute(find(p.root, "html"), "lang") != "de" {
		t.Error("the page does not say its language")
	}
}

// A large problem is shown in portions, each with its comments. The latest one comes first.
func TestLargeProblem(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "A large problem")
	b := s.signedIn(t)
	for i := range 230 {
		if _, err := s.service.AddComment(t.Context(), s.admin, 1, tracker.AddComment{Text: patch.Set(fmt.Sprintf("comment %d of many %s", i, strings.Repeat("x", 500)))}); err != nil {
			t.Fatal(err)
		}
	}
	latest := b.get(path).is(200).has("comment 130 of", "comment 229 of", "Earlier").lacks("comment 129 of", "Later", "Latest")
	middle := b.get(link(latest, "Earlier")).is(200).has("comment 30 of", "comment 129 of", "Earlier", "Later", "Latest").lacks("comment 29 of", "comment 130 of")
	first := b.get(link(middle, "Earlier")).is(200).has("created this problem", "comment 0 of", "comment 29 of", "Later").lacks("comment 30 of", "Earlier")
	b.get(link(first, "Later")).is(200).has("comment 30 of", "comment 129 of", "Earlier", "Later").lacks("comment 29 of", "comment 130 of")
	b.get(link(middle, "Later")).is(200).has("comment 130 of", "comment 229 of", "Earlier").lacks("comment 129 of", "Later")
	b.get(link(first, "Latest")).is(200).has("comment 229 of").lacks("Later")
	b.get(path + "?log=x").is(400)
	b.get(path + "?before=x").is(400)
	b.get(path + "?log=100000").is(200)
	b.get(path + "?before=100000&comments=100000").is(200)
}

// Somebody's own comment is on the page that answers, behind a long log.
func TestOwnCommentBehindALongLog(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "500 keywords")
	b := s.signedIn(t)
	for i := range 500 {
		if _, err := s.service.SetKeyword(t.Context(), s.admin, 1, tracker.SetKeyword{Name: fmt.Sprint("customer-", i), Value: problem.Text(strings.Repeat("x", 100))}); err != nil {
			t.Fatal(err)
		}
	}
	page := b.get(path).is(200).has("Earlier")
	page.submit(path, "comment", "It was the fuse.").is(200).has("It was the fuse.", "Earlier")
}

// The audit log begins with the newest entry.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for i := range 120 {
		if _, err := s.service.Milestones().Create(t.Context(), s.admin, admin.CreateObject[admin.MilestonePatch]{Patch: admin.MilestonePatch{Name: patch.Set(fmt.Sprintf("Milestone %d.", i))}}); err != nil {
			t.Fatal(err)
		}
	}
	newest := b.get("/administration/audit").is(200).has("Milestone 119.", "Milestone 20.", "Earlier").lacks("Milestone 19.", "Later", "Latest")
	if text := newest.text(); strings.Index(text, "Milestone 119.") > strings.Index(text, "Milestone 118.") {
		t.Error("an older entry comes first")
	}
	older := b.get(link(newest, "Earlier")).is(200).has("Milestone 19.", "Milestone 0.", "Later", "Latest").lacks("Milestone 20.", "Earlier")
	b.get(link(older, "Later")).is(200).has("Milestone 119.", "Milestone 20.").lacks("Later")
	b.get(link(older, "Latest")).is(200).has("Milestone 119.")
	b.get("/administration/audit?before=x").is(400)
}

// References lead to problems, and names of them are for the pointer.
func TestReferences(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	s.problem(t, "The lock is broken")
	b := s.signedIn(t)
	page := b.post(path, "comment", "See #2 and #99.").is(200)
	if at := link(page, "#2"); at != "/problems/2" {
		t.Errorf("#2 leads to %s", at)
	}
	if strings.Contains(page.body, `href="/problems/99"`) || !strings.Contains(page.body, "The lock is broken") {
		t.Errorf("the comment is shown as\n%s", page.body)
	}
}

// The relationships are drawn, and listed beside.
func TestGraph(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	one, two := s.problem(t, "The door is open"), s.problem(t, strings.Repeat("A very long title ", 20))
	b.get(one + "/graph").is(200).has("None yet.")
	b.post(one+"/relationships", "type", "BlockedBy", "problem", "2").is(200)
	page := b.get(one+"/graph").is(200).has("Blocks", "#2 A very long title")
	nodes := 0
	for n := range page.root.Descendants() {
		if n.Data == "rect" {
			nodes++
		}
	}
	if svg := find(page.root, "svg"); svg == nil || nodes != 2 || find(page.root, "path") == nil {
		t.Errorf("the drawing has %d nodes:\n%s", nodes, page.body)
	}
	page.harmless("")
	b.get(two + "/graph").is(200).has("The door is open")
	b.get("/problems/99/graph").is(404)
	b.get("/administration/states").has("Transitions", "new problems")
}

// A drawing and its list have a bounded number of relationships.
func TestGraphOfManyRelationships(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	const problems = 26 // with 325 pairs
	for range problems {
		s.problem(t, "Lamp")
	}
	for i := 1; i <= problems; i++ {
		for j := i + 1; j <= problems; j++ {
			if _, err := s.service.AddRelationship(t.Context(), s.admin, problem.ID(i), tracker.Relate{Type: patch.Set(string(relationship.ParentOf)), Other: patch.Set(problem.ID(j))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	page := b.get("/problems/1/graph").is(200).has("at most 250 relationships")
	lines := 0
	for n := range page.root.Descendants() {
		if n.Data == "path" && strings.HasPrefix(attribute(n, "class"), "edge") {
			lines++
		}
	}
	if lines > mostLines || lines < mostLines/2 {
		t.Errorf("%d relationships are drawn, want %d", lines, mostLines)
	}
	if listed := strings.Count(page.body, "<em>"); listed != mostLines {
		t.Errorf("%d relationships are listed, want %d", listed, mostLines)
	}
}

// A milestone has a chart, and the same as a table.
func TestMilestone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	list := b.post("/administration/milestones", "name", "Spring").is(200)
	b.get(link(list, "Spring")).is(200).has("0 open, 0 resolved.", "No problem is part of this milestone yet.")
	form := b.get("/problems/new")
	for range 2 {
		form.submit("/problems/new", "title", "The lamp is dark", "milestone", form.choose("milestone", "Spring"), "once", "").is(200)
	}
	page := b.get("/problems/2")
	page.submit("/problems/2", "state", page.choose("state", "Closed")).is(200)
	all := b.get("/milestones").is(200).has("Spring")
	b.get(link(all, "Change milestones")).is(200).has("Spring")
	shown := b.get(link(all, "Spring")).is(200).has("1 open, 1 resolved.", "The same as a table")
	if find(shown.root, "svg") == nil {
		t.Error("there is no chart")
	}
	b.get(link(shown, "Its problems")).is(200).has("The lamp is dark")
	b.get("/milestones/nonsense").is(404)
	b.get("/milestones/01234567-89ab-7cde-8f01-23456789abcd").is(404)
}

package web

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// References lead to problems and people. Names that two people share lead to nobody.
func TestReferencesInComments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	for _, email := range []string{"anna@example.org", "bob@example.org", "bob@example.com"} {
		if added := b.post("/administration/users", "name", "Somebody "+email, "email", email); added.status != 200 {
			t.Fatal(added.text())
		}
	}
	other := s.problem(t, "The lock is broken")
	made := b.post("/problems/new", "title", "The door", "comment", "#"+strings.TrimPrefix(other, "/problems/")+" for @anna, @Anna@example.org, @bob or @bob@example.com.")
	var got []string
	for n := range made.root.Descendants() {
		if n.Type == html.ElementNode && (attribute(n, "class") == "reference" || attribute(n, "class") == "mention") {
			got = append(got, n.FirstChild.Data+" "+attribute(n, "title")+" "+attribute(n, "href"))
		}
	}
	const want = `#1 The lock is broken /problems/1
@anna Somebody anna@example.org /problems?predicate=assignee.email+%3D+%27anna%40example.org%27
@Anna@example.org Somebody anna@example.org /problems?predicate=assignee.email+%3D+%27anna%40example.org%27
@bob@example.com Somebody bob@example.com /problems?predicate=assignee.email+%3D+%27bob%40example.com%27`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("the references are\n%s, want\n%s\n%s", text, want, made.body)
	}
	for _, line := range got {
		if path := line[strings.LastIndex(line, " ")+1:]; b.get(path).status != 200 {
			t.Errorf("%s is no page", path)
		}
	}
}

// A comment that is too deep for Markdown is shown as typed, and the page says so.
func TestHostileComment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	const mostFormatted = 512 << 10 // bytes of a page
	const note = "Shown as typed: it is too long or too deeply nested for Markdown."
	made := b.post("/problems/new", "title", "The door", "comment", strings.Repeat("> ", 500)+"*deep*")
	if !strings.Contains(made.text(), "> > > *deep*") || !strings.Contains(made.text(), note) {
		t.Errorf("the page shows %s", made.text())
	}
	path, _, _ := strings.Cut(made.path, "#")
	wide := strings.Repeat("|a", 3000) + "|\n" + strings.Repeat("|-", 3000) + "|\n" + strings.Repeat("x\n", 10_000)
	if shown := b.post(path, "comment", wide).is(200); len(shown.body) > 100_000 || find(shown.root, "table") != nil {
		t.Errorf("with a wide table, the page has %d bytes", len(shown.body))
	}
	long := "*long* " + strings.Repeat("x", 30<<10)
	for range mostFormatted/len(long) + 1 {
		if added := b.post(path, "comment", long); added.status != 200 {
			t.Fatal(added.text())
		}
	}
	emphasised := 0
	for n := range b.get(path).root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "em" && n.FirstChild.Data == "long" {
			emphasised++
		}
	}
	if want := (mostFormatted - len(wide) - 1006) / len(long); emphasised != want {
		t.Errorf("%d of the comments are formatted, want %d", emphasised, want)
	}
	if shown := b.post("/problems/new", "title", "The lock", "comment", "> *not deep*"); strings.Contains(shown.text(), note) || shown.path == path {
		t.Errorf("the page shows %s", shown.text())
	}
}

// Authors edit and delete their comments, and see what a comment said before. Others do not.
func TestCorrections(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door is open")
	b, other := s.as(t, "Willi", access.Write), s.as(t, "Bob", access.Write)
	shown := b.post(path, "comment", "Teh lock is <broken>.").is(200)
	edit, remove := link(shown, "Edit"), link(shown, "Delete")
	for n := range other.get(path).is(200).root.Descendants() {
		if href := attribute(n, "href"); href == edit || href == remove {
			t.Errorf("another user is led to %s", href)
		}
	}
	for _, at := range []string{edit, remove} {
		other.get(at).is(403)
		other.post(at, "text", "No.").is(403)
	}

	stale := b.get(edit).is(200)
	if text := stale.form(edit).Get("text"); text != "\nTeh lock is <broken>." && text != "Teh lock is <broken>." {
		t.Errorf("the form has the text %q", text)
	}
	b.get(edit).submit(edit, "text", "The lock is <broken>.").is(200).has("The lock is <broken>.", "edited", "Teh")
	late := stale.submit(edit, "text", "The lock was stolen.").is(412).has("The lock is <broken>.", "The lock was stolen.")
	b.get(path).has("The lock is <broken>.").lacks("stolen")
	late.submit(edit).is(200).has("The lock was stolen.")
	before := b.get(edit).form(edit).Get("edited")
	b.get(edit).submit(edit).is(200)
	if after := b.get(edit).form(edit).Get("edited"); after != before {
		t.Errorf("without a change, it is edited at %s, not %s", after, before)
	}
	early := b.get(remove).is(200)
	s.signedIn(t).get(edit).is(200).submit(edit, "text", "The lock is <broken>.").is(200) // as an administrator
	late = early.submit(remove).is(412).has("The lock is <broken>.", "edited meanwhile")
	b.get(path).has("The lock is <broken>.")

	late.submit(remove).is(200).lacks("The lock is <broken>.")
	b.get(edit).is(404)
	b.post(remove).is(404)
	if past := b.get(path + "/past?revision=2").is(200); strings.Contains(past.body, "#comment-") {
		t.Errorf("the past leads to a deleted comment:\n%s", past.body)
	}
}

// A text goes for good after a look at the number of its places: everywhere by an administrator, and
// in one comment by its author.
func TestRedactionPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.problem(t, "The door of Ms Miller is open")
	b, willi, other := s.signedIn(t), s.as(t, "Willi", access.Write), s.as(t, "Bob", access.Write)
	mine := link(willi.post(path, "comment", "Ms Miller has the key 4711.").is(200), "Redact")
	everywhere := link(b.get(path), "Redact a text")
	for _, c := range []struct {
		by   *browser
		at   string
		text string
		gone string
	}{{willi, mine, "key 4711", "has the key"}, {b, everywhere, "Ms Miller", "of Ms Miller"}} {
		other.get(c.at).is(403)
		other.post(c.at, "text", c.text, "replacement", "***", "counted", c.text, "by", "***", "do", "redact").is(403)
		form := c.by.get(c.at).is(200).has("This cannot be undone.").lacks("Redact for good")
		form.submit(c.at, "text", "nowhere").is(200).has("0 places have the text").lacks("Redact for good")
		counted := form.submit(c.at, "text", c.text).is(200).has("the text", "Comments", "Redact for good")
		counted.submit(c.at, "do", "redact", "text", "of the").is(200).has("places have the text", "Count the places")
		c.by.get(path).has(c.gone)
		counted.submit(c.at, "do", "redact").is(200).lacks(c.text).has("***")
	}
	b.post(path, "comment", "BEGIN KEY\r\n0815").is(200)
	form := b.get(everywhere)
	form.submit(everywhere, "text", "KEY\r\n0815").is(200).submit(everywhere, "do", "redact").is(200).lacks("0815")
	form.submit(everywhere, "text", "abc").is(422).has("Text: must have 4 to 1000 characters")
	b.get(strings.Replace(mine, "/comments/", "/comments/x", 1)).is(404)
	willi.get(path).lacks("Redact a text")
}

// A person is erased after a look at what goes and what stays.
func TestErasurePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	added, err := s.service.Users().Create(t.Context(), s.admin, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("Willi Lee"), Email: patch.Set("willi@example.org")}})
	if err != nil {
		t.Fatal(err)
	}
	s.problem(t, "Ask Willi Lee")
	willi := "/administration/users/" + added.Value.ID.String()
	at := link(b.get(willi).is(200), "Erase this person")
	s.as(t, "Bob", access.Write).get(at).is(403)
	b.get(at).is(200).has("Erase Willi Lee?", "This cannot be undone.", "Texts that people wrote stay", "#1").submit(at).is(200).
		at(at).has("The person is being erased", "Look again").lacks("Willi", "Erase for good")
	worker := s.service.Erasures.NewWorker(true, nil)
	for worked := true; worked; {
		if worked, err = worker.Work(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	b.get(at).is(200).has("The person is erased").lacks("Willi", "Look again", "Erase for good")
	b.get(willi).is(200).lacks("Erase this person")
	for _, page := range []string{"/administration/users", "/administration/audit"} {
		b.get(page).is(200).lacks("Willi")
	}
	own := "/administration/users/" + s.admin.User.String() + "/erasure"
	b.get(own).is(409)
}

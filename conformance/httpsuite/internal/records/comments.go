package records

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// commentCases are about comments (W3, R2).
func commentCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-W3-001", "D5, D10", "a plain text is answered with 201 and the comment", textCommentIsCreated),
		session.Extended("HTTP-W3-002", "D12", "a comment may be JSON with text and html", commentWithTextAndHTML),
		session.Extended("HTTP-W3-003", "D12", "text is UTF-8, also when nothing says so; other charsets are 415", commentCharsets),
		session.Extended("HTTP-W3-004", "D12", "an empty text is invalid-value", emptyCommentIsInvalid),
		session.Extended("HTTP-W3-005", "D12, D18", "the faults of a JSON comment", faultsOfAJSONComment),
		session.Extended("HTTP-W3-006", "D9", "text that is not UTF-8 is refused", commentThatIsNotUTF8),
		session.Core("HTTP-W3-007", "D12", "JSON in a text comment stays text", jsonInATextCommentStaysText),
		session.Core("HTTP-W3-008", "D9", "a long comment is stored whole", longCommentIsStoredWhole),
		session.Extended("HTTP-W3-009", "D54", "a comment makes the active users whom it names watchers, in its revision", commentNamesUsers),
		session.Extended("HTTP-EDIT-001", "D44, D1, D20", "an author edits a comment: it stays in its place, and has editDate and editor; an old revision is 412", commentIsEdited),
		session.Extended("HTTP-EDIT-002", "D44", "text without html sets html to null; a body without a difference stores nothing", editsOfHTML),
		session.Extended("HTTP-EDIT-003", "D44, D18", "403 for a comment of somebody else comes after 404; the scope admin may correct any", commentsOfOthers),
		session.Extended("HTTP-EDIT-004", "D44, D8", "an edit logs CommentEdited, and a deletion CommentDeleted, with the comment before", correctionsAreLogged),
		session.Extended("HTTP-EDIT-005", "D44", "a deleted comment is neither listed nor found, and keeps its place in pages", commentIsDeleted),
		session.Extended("HTTP-EDIT-006", "D44, D36, D20", "with asOf, comments are as they were, and the ETag changes with the current revision", correctionsAndThePast),
		session.Extended("HTTP-EDIT-007", "D44, D24", "a dry correction answers as the correction would, and stores nothing", dryCorrections),
		session.Core("HTTP-R2-001", "D10", "comments are an array, oldest first", commentsAreOldestFirst),
		session.Core("HTTP-R2-002", "spec section 4, D10", "all comments are listed, however many there are", manyCommentsAreListed),
		session.Extended("HTTP-R2-005", "D38", "with a limit, comments come in pages, and links lead through all of them, in order and once", commentsComeInPages),
		session.Extended("HTTP-R2-003", "D5, D12", "comments are listed with their html as it was given, and null without", commentsKeepTheirHTML),
		session.Extended("HTTP-R2-004", "D5, D9", "a comment is dated when it was made, in the answer and in the list", commentsAreDated),
	}
}

func textCommentIsCreated(s *session.Session) {
	bob, p := s.User(), s.Problem()
	a := bob.Post(p.Path+"/comments", "It flickers.\n", session.Plain()).Is(201)
	a.JSON()
	a.Members("", "identifier", "author", "via", "creationDate", "text", "html", "editDate", "editor").Timed("/creationDate")
	a.Has("/text", "It flickers.\n").Has("/html", nil).Has("/author", bob.Ref())
	if a.Text("/identifier") == "" {
		s.Fatalf("%v\nhas no identifier", a)
	}
}

func commentWithTextAndHTML(s *session.Session) {
	p := s.Problem()
	s.Admin.Post(p.Path+"/comments", `{"text":"It *flickers*","html":"It <em>flickers</em>"}`).Is(201).
		Has("/text", "It *flickers*").Has("/html", "It <em>flickers</em>")
	s.Admin.Post(p.Path+"/comments", `{"text":"plain"}`, session.Typed("application/json;charset=UTF-8")).Is(201).Has("/html", nil)
	s.Admin.Post(p.Path+"/comments", `{"text":"plain","html":null}`).Is(201).Has("/html", nil)
}

func commentCharsets(s *session.Session) {
	p := s.Problem()
	for _, mediaType := range []string{"", "text/plain", "text/plain; charset=utf-8", `text/plain; charset="UTF-8"`, "TEXT/PLAIN;Charset=Utf-8"} {
		s.Admin.Post(p.Path+"/comments", "naïve 😀", session.Typed(mediaType)).Is(201).Has("/text", "naïve 😀")
	}
	s.Untouched(p, func() {
		for _, mediaType := range []string{
			"text/plain; charset=iso-8859-1", "text/plain; charset=utf-16", "text/html", "application/xml",
			"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/merge-patch+json", "*/*", "text", ";",
		} {
			s.Admin.Post(p.Path+"/comments", "x", session.Typed(mediaType)).Fault(415, "unsupported-media-type")
		}
	})
}

func emptyCommentIsInvalid(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Post(p.Path+"/comments", "", session.Plain()).Fault(422, "invalid-value")
		s.Admin.Post(p.Path+"/comments", "").Fault(422, "invalid-value")
		s.Admin.Post(p.Path+"/comments", `{"text":""}`).Fault(422, "invalid-value", "/text")
	})
}

func faultsOfAJSONComment(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Post(p.Path+"/comments", `{}`).Fault(422, "required-field", "/text")
		s.Admin.Post(p.Path+"/comments", `{"html":"x"}`).Fault(422, "required-field", "/text")
		s.Admin.Post(p.Path+"/comments", `{"text":null}`).Fault(422, "", "/text")
		s.Admin.Post(p.Path+"/comments", `{"text":1,"html":2}`).Fault(422, "invalid-type", "/text", "/html")
		s.Admin.Post(p.Path+"/comments", `{"text":"x","Text":"y","author":"z"}`).Fault(422, "unknown-field", "/Text", "/author")
		s.Admin.Post(p.Path+"/comments", `"text"`).Fault(422, "invalid-type", "")
		s.Admin.Post(p.Path+"/comments", `{"text":"x"`).Fault(400, "malformed-json")
	})
}

func commentThatIsNotUTF8(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, text := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"} {
			if a := s.Admin.Post(p.Path+"/comments", text, session.Plain()); a.Status != 400 && a.Status != 422 {
				s.Fatalf("%v\nfor the bytes %x, want 400 or 422", a, text)
			}
		}
	})
}

func jsonInATextCommentStaysText(s *session.Session) {
	p := s.Problem()
	s.Admin.Post(p.Path+"/comments", `{"text":"x"}`, session.Plain()).Is(201).Has("/text", `{"text":"x"}`)
	s.Admin.Post(p.Path+"/comments", `{"text":"x"}`, session.Typed("")).Is(201).Has("/text", `{"text":"x"}`)
}

func longCommentIsStoredWhole(s *session.Session) {
	p := s.Problem()
	for i, text := range []string{strings.Repeat("word ", 20_000), strings.Repeat("é", 100_000)} {
		made := s.Admin.Post(p.Path+"/comments", text, session.Plain()).Is(201)
		list := s.Admin.Get(p.Path + "/comments").Is(200)
		for _, got := range []string{made.Text("/text"), list.Text(fmt.Sprintf("/%d/text", i))} {
			if got != text {
				s.Fatalf("a comment of %d bytes was sent, and one of %d came back, which is another", len(text), len(got))
			}
		}
	}
}

func commentsAreOldestFirst(s *session.Session) {
	p := s.Problem()
	s.Admin.Get(p.Path+"/comments").Is(200).Has("", session.Raw(`[]`))
	var want []string
	for i := range 5 {
		a := s.Admin.Post(p.Path+"/comments", fmt.Sprint("comment ", i), session.Plain()).Is(201)
		want = append(want, strings.TrimSpace(string(a.Body)))
	}
	s.Admin.Get(p.Path+"/comments").Is(200).JSON().Has("", session.Raw("["+strings.Join(want, ",")+"]"))
}

func manyCommentsAreListed(s *session.Session) {
	const n = 60
	p := s.Problem()
	for i := range n {
		s.Admin.Post(p.Path+"/comments", fmt.Sprint("comment ", i), session.Plain()).Is(201)
	}
	a := s.Admin.Get(p.Path+"/comments").Is(200).Counts("", n)
	for i := range n {
		a.Has(fmt.Sprintf("/%d/text", i), fmt.Sprint("comment ", i))
	}
}

func commentsComeInPages(s *session.Session) {
	p := s.Problem()
	for i := range 12 {
		s.Admin.Post(p.Path+"/comments", fmt.Sprint("comment ", i), session.Plain()).Is(201)
	}
	all := s.Admin.Get(p.Path + "/comments").Is(200).List("")
	for _, limit := range []int{1000, 12, 5, 1} {
		var comments []any
		for page := range s.Admin.Pages(fmt.Sprintf("%s/comments?limit=%d", p.Path, limit)) {
			comments = append(comments, page.List("")...)
		}
		if !reflect.DeepEqual(comments, all) {
			s.Fatalf("with limit=%d, the pages have other comments than the list", limit)
		}
	}
	s.Admin.Get(p.Path+"/comments?limit=0").Fault(400, "malformed-request")
}

func commentsKeepTheirHTML(s *session.Session) {
	p, html := s.Problem(), `It <em class="x">flickers</em> &amp; hums`
	s.Admin.Post(p.Path+"/comments", session.Encode(map[string]any{"text": "It *flickers*", "html": html})).Is(201).Has("/html", html)
	s.Admin.Post(p.Path+"/comments", "It hums", session.Plain()).Is(201)
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/0/text", "It *flickers*").Has("/0/html", html).Has("/1/html", nil)
}

func commentsAreDated(s *session.Session) {
	p := s.Problem()
	since := p.Load(s.Admin).Text("/creationDate")
	made := s.Admin.Post(p.Path+"/comments", "text", session.Plain()).Is(201)
	dated(s, since, made, "/creationDate")
	s.Admin.Get(p.Path+"/comments").Is(200).Has("/0/creationDate", made.Text("/creationDate"))
}

// dated demands a time at the pointer between since and now, by the clock of the server.
// The server tells its time when it makes a problem. Clocks may step by a minute.
func dated(s *session.Session, since string, a *session.Answer, pointer string) {
	s.Helper()
	now := s.Admin.Post("/problems", `{"title":"What time is it?"}`).Is(201).Text("/creationDate")
	var times []time.Time
	for _, text := range []string{since, a.Text(pointer), now} {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			s.Fatalf("%v\nhas a time that cannot be read: %v", a, err)
		}
		times = append(times, t)
	}
	if times[1].Before(times[0].Add(-time.Minute)) || times[1].After(times[2].Add(time.Minute)) {
		s.Fatalf("%v\nhas at %s a time that is not between %s and %s", a, pointer, since, now)
	}
}

// remark adds a comment of the person, and returns its path and the comment.
func remark(p session.Problem, by session.Person, body string) (path string, comment *session.Answer) {
	comment = by.Post(p.Path+"/comments", body).Is(201)
	return p.Path + "/comments/" + comment.Text("/identifier"), comment
}

func commentIsEdited(s *session.Session) {
	bob, p := s.User(), s.Problem()
	path, old := remark(p, bob, `{"text":"frist"}`)
	_, next := remark(p, bob, `{"text":"second"}`)
	s.Admin.Patch(p.Path, `{"read":true}`).Is(200)
	before := p.Load(s.Admin).Has("/read", true).Revision()
	bob.Patch(path, `{"text":"late"}`, session.With("If-Match", fmt.Sprintf(`"%d"`, before-1))).Fault(412, "stale-revision")
	a := bob.Patch(path, `{"text":"first"}`, session.With("If-Match", fmt.Sprintf(`"%d"`, before))).Is(200)
	a.Sends("Problem-Revision", fmt.Sprint(before+1)).Members("", "identifier", "author", "via", "creationDate", "text", "html", "editDate", "editor").Timed("/editDate")
	a.Has("/identifier", old.Text("/identifier")).Has("/text", "first").Has("/author", bob.Ref()).Has("/editor", bob.Ref()).Has("/creationDate", old.Text("/creationDate"))
	list := strings.TrimSpace(string(a.Body)) + "," + strings.TrimSpace(string(next.Body))
	bob.Get(p.Path+"/comments").Is(200).JSON().Has("", session.Raw("["+list+"]"))
	p.Load(s.Admin).Has("/revision", before+1).Has("/modifier", bob.Object()).Has("/modificationDate", a.Text("/editDate")).Has("/read", true)
	for body, slug := range map[string]string{`{"text":null}`: "", `{"text":7}`: "invalid-type", `{"text":" "}`: "invalid-value", `{"author":"x"}`: "unknown-field"} {
		bob.Patch(path, body).Fault(422, slug, map[bool]string{true: "/author", false: "/text"}[slug == "unknown-field"])
	}
}

func editsOfHTML(s *session.Session) {
	bob, p := s.User(), s.Problem()
	path, _ := remark(p, bob, `{"text":"a","html":"<b>a</b>"}`)
	s.Untouched(p, func() {
		for _, same := range []string{`{}`, `{"text":"a","html":"<b>a</b>"}`, `{"html":"<b>a</b>"}`} {
			bob.Patch(path, same).Is(200).Has("/editDate", nil).Has("/editor", nil)
		}
	})
	bob.Patch(path, `{"html":"<i>a</i>"}`).Is(200).Has("/text", "a").Has("/html", "<i>a</i>")
	bob.Patch(path, `{"text":"a"}`).Is(200).Has("/text", "a").Has("/html", nil)
}

func commentsOfOthers(s *session.Session) {
	ann, bob, p, q := s.User(), s.User(), s.Problem(), s.Problem()
	path, comment := remark(p, ann, `{"text":"a"}`)
	s.Untouched(p, func() {
		bob.Patch(path, `{"text":"b"}`).Fault(403, "forbidden")
		bob.Delete(path, "").Fault(403, "forbidden")
		for _, missing := range []string{q.Path + "/comments/" + comment.Text("/identifier"), p.Path + "/comments/" + p.Load(s.Admin).Text("/logs/0/identifier"), p.Path + "/comments/12"} {
			bob.Patch(missing, `{"text":"b"}`).Fault(404, "comment-not-found")
			bob.Delete(missing, "").Fault(404, "comment-not-found")
		}
	})
	s.Admin.Patch(path, `{"text":"c"}`).Is(200).Has("/text", "c").Has("/author", ann.Ref())
	s.Admin.Delete(path, "").Is(204)
	bob.Delete(path, "").Fault(404, "comment-not-found")
	ann.Patch(path, `{"text":"d"}`).Fault(404, "comment-not-found")
}

func correctionsAreLogged(s *session.Session) {
	bob, p := s.User(), s.Problem()
	path, comment := remark(p, bob, `{"text":"a","html":"<b>a</b>"}`)
	id := comment.Text("/identifier")
	edited := bob.Patch(path, `{"text":"b"}`).Is(200)
	newestEntry(s, p, "CommentEdited", "comments", map[string]any{"identifier": id, "text": "a", "html": "<b>a</b>", "editDate": nil, "editor": nil}, id)
	bob.Delete(path, "").Is(204)
	newestEntry(s, p, "CommentDeleted", "comments", map[string]any{
		"identifier": id, "text": "b", "html": nil, "editDate": edited.Text("/editDate"), "editor": bob.Ref(),
		"author": bob.Ref(), "creationDate": comment.Text("/creationDate"),
	}, nil)
}

func commentIsDeleted(s *session.Session) {
	bob, p := s.User(), s.Problem()
	word := s.Unique("blossom")
	var paths []string
	for range 4 {
		path, _ := remark(p, bob, `{"text":"`+word+`"}`)
		paths = append(paths, path)
	}
	found := func(predicate string, n int) {
		bob.Get("/problems/search?predicate="+url.QueryEscape(predicate+" AND ANY logs.type = 'CommentAdded' AND identifier = "+fmt.Sprint(p.ID))).Is(200).Counts("", n)
	}
	first := bob.Get(p.Path+"/comments?limit=2").Is(200).Counts("", 2)
	bob.Delete(paths[1], "").Is(204)
	bob.Delete(paths[2], "").Is(204)
	bob.Get(p.Path+"/comments").Is(200).Counts("", 2).Has("/0", first.At("/0"))
	found("comments.@count = 2", 1)
	var texts int
	for page := range bob.Pages(p.Path + "/comments?limit=1") {
		texts += len(page.List(""))
	}
	if texts != 2 {
		s.Fatalf("the pages have %d comments, want 2", texts)
	}
	bob.Delete(paths[0], "").Is(204)
	found("ANY comments.text = '"+word+"'", 1)
	bob.Patch(paths[3], `{"text":"other"}`).Is(200)
	found("ANY comments.text = '"+word+"'", 0)
}

func correctionsAndThePast(s *session.Session) {
	bob, p := s.User(), s.Problem()
	path, _ := remark(p, bob, `{"text":"a","html":"<b>a</b>"}`)
	asOf := fmt.Sprintf("%s/comments?asOf=%d", p.Path, p.Load(bob.Client).Revision())
	then := bob.Get(asOf).Is(200).Counts("", 1)
	bob.Patch(path, `{"text":"b"}`).Is(200)
	edited := fmt.Sprintf("%s/comments?asOf=%d", p.Path, p.Load(bob.Client).Revision())
	later := bob.Get(edited).Is(200).Has("/0/text", "b").Has("/0/editor", bob.Ref())
	bob.Delete(path, "").Is(204)
	now := bob.Get(asOf).Is(200).Has("", then.At(""))
	bob.Get(edited).Is(200).Has("", later.At(""))
	bob.Get(fmt.Sprintf("%s/comments?asOf=%d", p.Path, p.Load(bob.Client).Revision())).Is(200).Counts("", 0)
	if now.ETag() == then.ETag() {
		s.Fatalf("the answer with asOf has the ETag %s before and after a correction", now.ETag())
	}
}

func dryCorrections(s *session.Session) {
	bob, p := s.User(), s.Problem()
	path, _ := remark(p, bob, `{"text":"a"}`)
	s.Untouched(p, func() {
		bob.Patch(path+"?dryRun=true", `{"text":"b"}`).Is(200).Sends("Dry-Run", "true").Has("/text", "b").Has("/editor", bob.Ref())
		bob.Delete(path+"?dryRun=true", "").Is(204).Sends("Dry-Run", "true")
	})
}

func commentNamesUsers(s *session.Session) {
	bob, cy, p := s.User(), s.User(), s.Problem()
	s.Admin.Post("/users", `{"name":"Another","email":`+session.Encode(cy.Name+"@example.com")+`}`).Is(201)
	s.Admin.Post(p.Path+"/comments", "@"+bob.Name+", look. `@"+cy.Name+"@example.org` @"+cy.Name+"\n\n> @"+cy.Name+"@example.org", session.Plain()).Is(201)
	watchers := s.Admin.Get(p.Path + "/watchers").Is(200)
	if len(watchers.List("")) != 1 {
		s.Fatalf("%v\nhas not one watcher", watchers)
	}
	watchers.Has("/0/identifier", bob.Identifier)
	p.Load(s.Admin).Has("/revision", 2).Has("/logs/1/type", "CommentAdded").Has("/logs/2/type", "WatcherAdded")
}

package web

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

const png = "\x89PNG\r\n\x1a\n and more"

// attach sends a form with files: name, media type and bytes of each. Without a media type, it is a field.
func (b *browser) attach(path string, files ...[3]string) *shownPage {
	b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range files {
		if f[1] == "" { // a field in place of a file
			_ = form.WriteField(f[0], f[2])
			continue
		}
		part, err := form.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="` + f[0] + `"`}, "Content-Type": {f[1]}})
		if err != nil {
			b.t.Fatal(err)
		}
		_, _ = part.Write([]byte(f[2])) // into memory
	}
	form.Close()
	r, err := http.NewRequest("POST", b.site.URL+path+"/attachments", &body)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Origin", b.site.URL)
	return b.do(r)
}

// D48: files are attached by a form without script, several at once, and shown with their sizes.
func TestAttachments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The lamp")
	page := b.attach(path, [3]string{"lamp é.png", "image/png", png}, [3]string{"log.txt", "text/plain", strings.Repeat("x", 1500)}).is(200)
	for _, want := range []string{"lamp é.png", "Picture, 17 B", "log.txt", "Text, 1.5 KiB", "attached lamp é.png"} {
		if !strings.Contains(page.text(), want) {
			t.Errorf("the page lacks %q: %s", want, page.text())
		}
	}
	a, err := s.service.As(s.admin).Problem(t.Context(), 1, snapshot.Attachments)
	if err != nil || len(a.Value.Attachments) != 2 {
		t.Fatalf("%v, %v", a.Value.Attachments, err)
	}
	id := a.Value.Attachments[0].ID.String()
	if shown := s.commented(t, b, path, "![here](attachment:"+id+")"); !strings.Contains(shown.body, `alt="here"`) {
		t.Errorf("the comment shows no image: %s", shown.body)
	}
	other := s.problem(t, "Another")
	if shown := s.commented(t, b, other, "![here](attachment:"+id+")"); strings.Contains(shown.body, `alt="here"`) {
		t.Error("the comment shows an image of another problem")
	}
	b.attach(path).is(422)
	b.attach(path, [3]string{"", "application/octet-stream", ""}).is(422)
	b.attach(path, [3]string{"a\u202eb", "text/plain", "x"}).is(422)
	b.attach(path, [3]string{"a%0Ab", "text/plain", "x"}).is(422)
	if page := b.attach(path, [3]string{"say %22hi%22 50%25", "text/plain", "x"}).is(200); !strings.Contains(page.text(), `say "hi" 50%25`) {
		t.Errorf("the page does not have the name as it was: %s", page.text())
	}
	b.attach(path, [3]string{"a", "text/plain; a=" + strings.Repeat("x", 40<<10), "x"}).is(413)
	b.attach(path, [3]string{"a", "text/plain; a=" + strings.Repeat("x", 20<<10), strings.Repeat("x", 100<<10)}, [3]string{"b", "text/plain", "x"}).is(200)
	partly := b.attach(path, [3]string{"ok.txt", "text/plain", "x"}, [3]string{strings.Repeat("n", 256), "text/plain", "x"}).is(422).text()
	for _, want := range []string{"nnn was not attached.", "Name: must have", "These were attached: ok.txt."} {
		if !strings.Contains(partly, want) {
			t.Errorf("the page lacks %q: %s", want, partly)
		}
	}
	again, once := s.problem(t, "A form sent twice"), [3]string{"once", "", "key"}
	for _, text := range []string{"x", "x", "another"} {
		b.attach(again, once, [3]string{"a", "text/plain", text}, [3]string{"a", "text/plain", "x"}).is(200)
	}
	b.attach(again, once, [3]string{"a", "text/plain", "y"}, [3]string{"a", "text/plain", "x"}).is(409)
	if page := b.get(again).is(200); strings.Count(page.body, `<li id="file-`) != 4 || strings.Count(page.body, `name="once"`) < 2 {
		t.Errorf("a form that was sent twice has attached other files: %s", page.text())
	}
	many := make([][3]string, latestFiles+1)
	for i := range many {
		many[i] = [3]string{fmt.Sprint(i), "text/plain", "x"}
	}
	folded := s.problem(t, "Many files")
	if page := b.attach(folded, many...).is(200); !strings.Contains(page.text(), "1 older attachment ") || strings.Count(page.body, `<li id="file-`) != len(many) {
		t.Errorf("the page folds no files: %s", page.text())
	}
	s.as(t, "Reader", access.Read).attach(path, [3]string{"a", "text/plain", "x"}).is(403)
	s.as(t, "Writer", access.Write).post(path+"/attachments/delete", "attachment", id).is(403)
	if left := b.post(path+"/attachments/delete", "attachment", id).is(200); strings.Contains(left.text(), "Picture, 17 B") {
		t.Errorf("the page still lists it: %s", left.text())
	}
	b.get(path + "/attachments/" + id + "/lamp%20%C3%A9.png").is(404)
	b.get("/problems/1/attachments/" + ident.ID{1}.String() + "/a").is(404)
}

// D48: only what is declared an image, and looks like one, is shown in its place. Nothing runs.
func TestFilesAreInert(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The lamp")
	for _, c := range []struct {
		name, mediaType, data string
		inline                bool
	}{
		{"a.png", "image/png", png, true},
		{"a.png", "image/png", "<script>alert(1)</script>", false},
		{"a.png", "image/jpeg", png, false},
		{"a.txt", "text/plain", png, false},
		{"a.svg", "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, false},
		{"a.html", "text/html", "<script>alert(1)</script>", false},
		{"a.xhtml", "application/xhtml+xml", "<html/>", false},
	} {
		b.attach(path, [3]string{c.name, c.mediaType, c.data}).is(200)
		a, err := s.service.As(s.admin).Problem(t.Context(), 1, snapshot.Attachments)
		if err != nil {
			t.Fatal(err)
		}
		last := a.Value.Attachments[len(a.Value.Attachments)-1]
		shown := b.get(address(path, last)).is(200)
		want := "attachment"
		if c.inline {
			want = "inline"
		}
		if kind, _, _ := strings.Cut(shown.header.Get("Content-Disposition"), ";"); kind != want {
			t.Errorf("%s as %s is %s, want %s", c.name, c.mediaType, kind, want)
		}
		for header, want := range map[string]string{
			"Content-Security-Policy": "sandbox; default-src 'none'", "X-Content-Type-Options": "nosniff", "Content-Type": c.mediaType, "Content-Encoding": "",
		} {
			if got, _, _ := strings.Cut(shown.header.Get(header), "; charset"); got != want {
				t.Errorf("%s of %s is %q, want %q", header, c.name, got, want)
			}
		}
		if shown.body != c.data {
			t.Errorf("%s has %q", c.name, shown.body)
		}
		if moved := b.get(address(path, problem.Attachment{ID: last.ID, Name: "other"})); moved.path != address(path, last) {
			t.Errorf("another name leads to %s", moved.path)
		}
	}
}

// commented returns the page of a problem after a comment.
func (s *site) commented(t *testing.T, b *browser, path, text string) *shownPage {
	t.Helper()
	id, _ := problem.ParseID(strings.TrimPrefix(path, "/problems/"))
	if _, err := s.service.AddComment(t.Context(), s.admin, id, tracker.AddComment{Text: patch.Set(text)}); err != nil {
		t.Fatal(err)
	}
	return b.get(path).is(200)
}

func address(path string, a problem.Attachment) string {
	return path + "/attachments/" + a.ID.String() + "/" + a.Name
}

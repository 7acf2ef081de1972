package httpapi

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/store"
)

func TestComments(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, c := range []struct {
		media, body, text, html string
		status                  int
		want                    string // of the body
	}{
		{"text/plain", " a\n<b> ", " a\n<b> ", "", 201, ""},
		{"text/plain", `{"text":"a"}`, `{"text":"a"}`, "", 201, ""},
		{"", "", "", "", 422, `"pointer":""`},
		{"text/plain", "\xff", "", "", 422, `"pointer":""`},
		{"text/plain", "a\x00", "", "", 422, `"pointer":""`},
		{"application/json", `{"text":"a","html":"<b>a</b>"}`, "a", "<b>a</b>", 201, ""},
		{"application/json", `{"text":"a","html":null}`, "a", "", 201, ""},
		{"application/json", `{"html":"a"}`, "", "", 422, `"pointer":"/text"`},
		{"application/json", `{"text":1}`, "", "", 422, `"pointer":"/text"`},
		{"application/json", `{"text":"a","author":1}`, "", "", 422, `"pointer":"/author"`},
	} {
		f.changes = nil
		w := f.do(request("POST", api+"/problems/12/comments", c.body, "Content-Type", c.media))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%q: status %d, not %d: %s", c.body, w.Code, c.status, w.Body)
		}
		for _, change := range f.changes {
			for _, effect := range change.Effects {
				if added, ok := effect.(store.AddComment); ok && (added.Comment.Text != c.text || added.Comment.HTML.String != c.html) {
					t.Errorf("%q: added %+v", c.body, added.Comment)
				}
			}
		}
		if wrote := len(f.changes) > 0; wrote != (c.status == 201) {
			t.Errorf("%q: written: %v", c.body, wrote)
		}
	}
}

package markdown

import (
	"strconv"
	"strings"
	"testing"
)

// titled is a Resolver. It knows everything by one title.
type titled string

func (t titled) Problem(int64) (Link, bool) {
	return Link{URL: "/p", Title: string(t)}, t != ""
}

func (t titled) Picture(string) (Link, bool) {
	return Link{URL: "/problems/1/attachments/01900000-0000-7000-8000-000000000001/" + string(t)}, t != ""
}

func (t titled) Person(string) (Link, bool) {
	return Link{URL: "/u", Title: string(t)}, t != ""
}

// A kept result is used as long as references lead to the same, and for the same reading.
func TestCache(t *testing.T) {
	t.Parallel()
	r := New()
	for _, source := range []string{"#12", "@anna", "![a](attachment:1)"} {
		for range 2 {
			for _, resolve := range []Resolver{titled("one"), titled("two"), titled(""), nil, titled("one")} {
				got, _ := r.Render(source, resolve)
				title, _ := resolve.(titled)
				if linked := strings.Contains(string(got), "<a ") || strings.Contains(string(got), "<img "); linked != (title != "") || linked && !strings.Contains(string(got), string(title)+`"`) {
					t.Errorf("with %v, %s becomes %s", resolve, source, got)
				}
			}
		}
	}
	const both = "<b>*x*</b>"
	if got := stored(r, both); got != both {
		t.Errorf("as HTML it becomes %s", got)
	}
	if got := markdown(r, both); got != "<p>&lt;b&gt;<em>x</em>&lt;/b&gt;</p>\n" {
		t.Errorf("as Markdown it becomes %s", got)
	}
	before := r.cache.results.Len()
	if markdown(r, strings.Repeat("x", longestCached)); r.cache.results.Len() != before {
		t.Error("a long result is kept")
	}
	if r.Render("[#1](/x)", titled(strings.Repeat("x", longestCached))); r.cache.results.Len() != before {
		t.Error("a result with long answers is kept")
	}
	for i := range mostCached + 10 {
		markdown(r, strconv.Itoa(i))
	}
	if kept := r.cache.results.Len(); kept != mostCached {
		t.Errorf("%d results are kept, want %d", kept, mostCached)
	}
}

package views

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// Each template can be parsed in each language, also by several requests at once.
func TestTemplates(t *testing.T) {
	t.Parallel()
	v := New("", func(name string) string { return name }, time.Now)
	var all sync.WaitGroup
	pages := 0
	for tag, of := range v.pages {
		for name, page := range of {
			pages++
			for range 2 {
				all.Go(func() {
					if page().Lookup("page") == nil {
						t.Errorf("%s in the language %s has no page", name, tag)
					}
				})
			}
		}
	}
	all.Wait()
	if pages == 0 {
		t.Error("there are no templates")
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", strings.Repeat("ä", 200): "", strings.Repeat("ä", 201): strings.Repeat("ä", 200) + "…"} {
		if got := brief(text); got != want {
			t.Errorf("the beginning of %d bytes is %q", len(text), got)
		}
	}
}

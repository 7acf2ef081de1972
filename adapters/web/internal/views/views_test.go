package views

import (
	"errors"
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

// A large page asks for memory before it takes it, and ends when there is none.
func TestSheet(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	var asked int64
	s := sheet{room: func(bytes int64) error {
		if asked += bytes; asked > 4*free {
			return full
		}
		return nil
	}}
	for written := 0; ; written += 1000 {
		_, err := s.Write(make([]byte, 1000))
		if int64(cap(s.written)) > max(free, asked) || written < free-1000 && asked > 0 {
			t.Fatalf("after %d bytes, the page takes %d and has asked for %d", written, cap(s.written), asked)
		}
		if err != nil {
			if !errors.Is(err, full) || written < free {
				t.Errorf("after %d bytes, the error is %v", written, err)
			}
			return
		}
		if written > 8*free {
			t.Fatal("the page goes on without memory")
		}
	}
}

package web

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// A new problem comes with its first comment, or not at all.
func TestRefusedFirstComment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	b.get("/problems/new").submit("/problems/new", "title", "The door is open", "comment", "bell \x00").is(422).has("must not contain U+0000")
	b.get("/problems?query=all").lacks("The door is open")
}

// The store goes away between the new problem and its first comment. The form, sent again,
// adds the comment, and makes no second problem.
func TestFirstCommentIsSentAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	away := func(c store.Change) error {
		for _, e := range c.Effects {
			if _, ok := e.(store.AddComment); ok {
				return fault.New(fault.Unavailable, "away")
			}
		}
		return nil
	}
	s.store.refuse.Store(&away)
	kept := b.get("/problems/new").submit("/problems/new", "title", "The door is open", "comment", "Since Monday").is(503).has("What you typed is kept")
	s.store.refuse.Store(nil)
	kept.submit("/problems/new").is(200).at("/problems/1").has("Since Monday")
	kept.submit("/problems/new").is(200).at("/problems/1")
	if text := b.get("/problems/1").text(); strings.Count(text, "Since Monday") != 1 {
		t.Errorf("the comment is there more than once: %s", text)
	}
	b.get("/problems/2").is(404)
}

// Back in the browser shows a sent form again. With another text, it is another one.
func TestFormIsUsedForAnotherText(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	path := s.problem(t, "The door is open")
	page := b.get(path)
	page.submit(path+"/comments", "text", "The first").is(200)
	page.submit(path+"/comments", "text", "The second").is(200).has("The first", "The second")
	form := b.get("/problems/new")
	form.submit("/problems/new", "title", "The light is on").is(200)
	form.submit("/problems/new", "title", "The heater is on").is(200).has("The heater is on")
}

package admin

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// D2: what an empty store is seeded with.
func TestDecideSeed(t *testing.T) {
	t.Parallel()
	change := decideSeed(kit.Secret, kit.At(kit.Now))
	kit.Expects(t, change, store.StoreEmpty{})
	kit.Equal(t, "author", change.Author, ident.None)

	var content metadata.Content
	seen := map[ident.ID]bool{ident.None: true, change.Batch: true}
	unique := func(id ident.ID) {
		if seen[id] {
			t.Errorf("the identifier %s is given twice", id)
		}
		seen[id] = true
	}
	for _, e := range unaudited(change) {
		switch e := e.(type) {
		case store.PutState:
			content.States = append(content.States, e.State)
			unique(e.State.ID)
		case store.PutPriority:
			content.Priorities = append(content.Priorities, e.Priority)
			unique(e.Priority.ID)
		case store.PutClassification:
			content.Classifications = append(content.Classifications, e.Classification)
			unique(e.Classification.ID)
		case store.PutUser:
			content.Users = append(content.Users, e.User)
			unique(e.User.ID)
		case store.PutToken:
			unique(e.Token.ID)
			kit.Equal(t, "token", e.Token, access.Token{ID: e.Token.ID, User: content.Users[0].ID, Scope: access.Admin, Digest: kit.Secret.Digest(), Created: kit.Now})
		default:
			t.Errorf("unexpected effect %+v", e)
		}
	}
	c := metadata.NewCatalogue(ident.Version{Number: 1}, content)

	type state struct {
		name              string
		initial, resolved bool
		next              string
	}
	var states []state
	for _, s := range c.Content().States {
		next := ""
		for _, id := range s.Next {
			next += c.Name(metadata.States, id) + "; "
		}
		states = append(states, state{s.Name, s.Initial, s.Resolved, next})
	}
	kit.Equal(t, "states", states, []state{
		{"Open", true, false, "In Progress; Closed; "},
		{"In Progress", false, false, "Open; Closed; "},
		{"Closed", false, true, "Open; "},
	})
	var priorities, classifications []string
	for _, o := range c.Content().Priorities {
		priorities = append(priorities, o.Name)
	}
	for _, o := range c.Content().Classifications {
		classifications = append(classifications, o.Name)
	}
	kit.Equal(t, "priorities", priorities, []string{"Urgent", "High", "Normal", "Low"})
	kit.Equal(t, "classifications, by name", classifications, []string{"Enhancement", "Feature", "Incorrect Behavior", "Task"})
	kit.Equal(t, "e-mail address of the only user", c.Content().Users[0].Email, "admin@localhost")
	kit.Equal(t, "users", len(c.Content().Users), 1)
}

// D2: only an empty store is seeded, and of two servers only one does it.
func TestSeedOnce(t *testing.T) {
	t.Parallel()
	clock := kit.NewClock()
	memory := kit.NewMemory()
	one, two := newServer(memory, clock), newServer(memory, clock)
	overtaken := newServer(&kit.Hooked{Store: memory, OnCommit: func(next kit.CommitFunc, c store.Change) error {
		seeded, err := two.Seed(t.Context(), kit.Secret) // between load and commit of the other
		if !seeded || err != nil {
			t.Errorf("the faster server: seeded %t, error %v", seeded, err)
		}
		return next(c)
	}}, clock)
	seeded, err := overtaken.Seed(t.Context(), access.NewSecret([32]byte{1}))
	kit.NoError(t, err)
	kit.Equal(t, "the slower server seeded", seeded, false)
	seeded, err = one.Seed(t.Context(), access.NewSecret([32]byte{2}))
	kit.NoError(t, err)
	kit.Equal(t, "a later start seeded", seeded, false)

	caller, err := one.Authenticate(t.Context(), kit.Secret)
	kit.NoError(t, err)
	kit.Equal(t, "scope", caller.Scope, access.Admin)
	kit.Equal(t, "expiry", caller.Expires, time.Time{})
	_, err = one.Authenticate(t.Context(), access.NewSecret([32]byte{1}))
	if err == nil {
		t.Error("the token of the slower server is valid")
	}
}

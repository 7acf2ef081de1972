package tracker

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// The tests of this file set the store of a running service back by one commit and
// let another server make a commit of its own. All numbers are then as before, but
// they count another history.

func (s service) component(t *testing.T, name string) {
	t.Helper()
	_, err := s.Components().Create(t.Context(), s.admin, admin.CreateObject[admin.ComponentPatch]{Patch: admin.ComponentPatch{Name: patch.Set(name)}})
	kit.NoError(t, err)
}

func (s service) components(t *testing.T) (names []string) {
	t.Helper()
	list, err := s.Components().List(t.Context())
	kit.NoError(t, err)
	for _, c := range list.Value {
		names = append(names, c.Name)
	}
	return names
}

// beside returns the same service as another server runs it.
func (s service) beside() service {
	s.use(newServer(s.memory, s.clock))
	return s
}

// lostComponent returns a service that has seen the component "lost", and another
// one on the same store. The store has lost that component to another history, in
// which there is the component "kept" at the same number.
func lostComponent(t *testing.T) (s, other service) {
	t.Helper()
	s = newService(t)
	other = s.beside()
	s.component(t, "lost")
	kit.Equal(t, "components before", s.components(t), []string{"lost"})
	before := s.memory.Current().Versions.Catalogue
	s.memory.SetBack()
	other.component(t, "kept")
	after := s.memory.Current().Versions.Catalogue
	kit.Equal(t, "number of the version", after.Number, before.Number)
	return s, other
}

// A component that the store has lost is not given to a new problem.
func TestLostComponentIsNotFound(t *testing.T) {
	t.Parallel()
	s, _ := lostComponent(t)
	_, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("T"), Component: kit.Named("lost")}})
	kit.WantFault(t, err, fault.MetadataNotFound)
	kit.Equal(t, "problems", len(s.memory.Current().Problems), 0)
	kit.Equal(t, "components now", s.components(t), []string{"kept"})
}

// A name that is unique stays so.
func TestNameOfAnotherHistoryIsTaken(t *testing.T) {
	t.Parallel()
	s, _ := lostComponent(t)
	_, err := s.Components().Create(t.Context(), s.admin, admin.CreateObject[admin.ComponentPatch]{Patch: admin.ComponentPatch{Name: patch.Set("kept")}})
	kit.WantFault(t, err, fault.AlreadyExists)
	kit.Equal(t, "components now", s.components(t), []string{"kept"})
}

// The catalogue can also change during the request: what was resolved with the
// lost one is not stored.
func TestCatalogueOfAnotherHistoryAtCommit(t *testing.T) {
	t.Parallel()
	other := newService(t)
	other.component(t, "lost")
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		other.memory.SetBack()
		other.component(t, "kept")
	})})
	_, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("T"), Component: kit.Named("lost")}})
	kit.WantFault(t, err, fault.MetadataNotFound)
}

// A catalogue of a lost history with a higher number is not served, nor reply: the
// catalogue is loaded once and not by each request.
func TestCatalogueOfALongerHistory(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.component(t, "lost")
	kit.Equal(t, "components before", s.components(t), []string{"lost"})
	s.memory.SetBack()
	for range 2 {
		kit.Equal(t, "components", s.components(t), []string(nil))
	}
	kit.Equal(t, "the current one is kept", s.core.Catalogues.Cached(s.memory.Current().Versions.Catalogue) != nil, true)
}

// A server that is idle refuses a revoked token in time, whatever the number of the
// tokens' version.
func TestRevocationInAnotherHistory(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other, idle := s.beside(), s.beside()
	token := s.issue(t, access.Read)
	s.issue(t, access.Read)
	kit.Equal(t, "before", idle.knows(t, token), true)
	before := s.memory.Current().Versions.Access
	s.memory.SetBack()
	_, err := other.RevokeToken(t.Context(), s.admin, token.ID, Write{})
	kit.NoError(t, err)
	after := s.memory.Current().Versions.Access
	kit.Equal(t, "number of the version", after.Number, before.Number)
	s.clock.Forward(time.Second)
	kit.Equal(t, "a second later", idle.knows(t, token), false)
}

// What another history has stored at the same revision is not overwritten unseen.
func TestRevisionOfAnotherHistory(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "first")
	retitle := func(s service, title string) Answer[snapshot.Snapshot] {
		a, err := s.UpdateProblem(t.Context(), s.admin, id, UpdateProblem{ProblemPatch: titled(title)})
		kit.NoError(t, err)
		return a
	}
	retitle(other, "lost")
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		other.memory.SetBack()
		retitle(other, "theirs")
	})})
	a := retitle(s, "mine")
	kit.Equal(t, "revision", a.Revision, int64(3))
	last := a.Value.Log[len(a.Value.Log)-1]
	kit.Equal(t, "what it is changed from", last.From, problem.LogText("theirs"))
	kit.Equal(t, "batch", other.load(t, id).Batch, a.Value.Batch)
}

// A service that only marks a problem as read rests on what it has seen as well.
func TestReadMarkOfAnotherHistory(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "first")
	other.comment(t, id)
	views := new(kit.Calls)
	s := other.behind(kit.Hooked{Calls: views, OnCommit: kit.Once(func() { other.commentInAnotherHistory(t, id) })})
	s.unread(t, id)
	kit.Equal(t, "views", views.Views, 2)
}

// Two histories can close a cycle together: the edges of one are not checked for
// the other at the same epoch.
func TestCycleOfTwoHistories(t *testing.T) {
	t.Parallel()
	other := newService(t)
	var p [6]problem.ID
	for i := range p {
		p[i] = other.create(t, "T")
	}
	link := func(s service, from, to problem.ID) error {
		_, err := s.AddRelationship(t.Context(), s.admin, from, relate(relationship.ParentOf, to))
		return err
	}
	kit.NoError(t, link(other, p[0], p[1]))
	kit.NoError(t, link(other, p[2], p[3]))
	kit.NoError(t, link(other, p[4], p[5])) // which is lost
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		other.memory.SetBack()
		kit.NoError(t, link(other, p[1], p[2]))
	})})
	kit.WantFault(t, link(s, p[3], p[0]), fault.RelationshipCycle)
}

// commentInAnotherHistory takes the last commit back, which was a comment, and makes
// another one.
func (s service) commentInAnotherHistory(t *testing.T, id problem.ID) {
	before := s.memory.Current().Problems[id].Problem.Revision
	s.memory.SetBack()
	s.comment(t, id)
	kit.Equal(t, "revision in another history", s.memory.Current().Problems[id].Problem.Revision, before)
}

// The catalogue that an answer is rendered with has the version that the Change
// makes.
func TestVersionAfterChange(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a, err := s.Components().Create(t.Context(), s.admin, admin.CreateObject[admin.ComponentPatch]{Patch: admin.ComponentPatch{Name: patch.Set("C")}})
	kit.NoError(t, err)
	kit.Equal(t, "version", a.Catalogue.Version, s.memory.Current().Versions.Catalogue)
	kit.Equal(t, "component", a.Catalogue.Name(metadata.Components, a.Value.ID), "C")
}

package tracker

import (
	"context"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// ending is a store whose Views are over with the read that was said to be the last.
type ending struct {
	store.Store
	ended []bool // each View, whether its last read was said to be
}

func (e *ending) View(ctx context.Context, fn func(store.Reader) error) error {
	return e.Store.View(ctx, func(r store.Reader) error {
		ends := &endingReader{Reader: r}
		err := fn(ends)
		e.ended = append(e.ended, ends.over)
		return err
	})
}

// endingReader has the methods of a Reader that loads of one problem, and creations,
// use.
type endingReader struct {
	store.Reader
	last, over bool
}

func (r *endingReader) Last() { r.last = true }

func (r *endingReader) read() error {
	if r.over {
		return store.ErrOver
	}
	r.over = r.last
	return nil
}

func (r *endingReader) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	if err := r.read(); err != nil {
		return snapshot.Snapshot{}, err
	}
	return r.Reader.Problem(ctx, id, as, parts)
}

func (r *endingReader) Catalogue(ctx context.Context) (*metadata.Catalogue, error) {
	if err := r.read(); err != nil {
		return nil, err
	}
	return r.Reader.Catalogue(ctx)
}

func (r *endingReader) Versions(ctx context.Context) (store.Versions, error) {
	if err := r.read(); err != nil {
		return store.Versions{}, err
	}
	return r.Reader.Versions(ctx)
}

// What needs one problem, or none, reads once, and says so. When the metadata is not
// that which is kept, it reads again, with the new one.
func TestViewOnce(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(*Service, Caller, problem.ID) error{
		"load": func(s *Service, by Caller, id problem.ID) error {
			a, err := s.As(by).Problem(t.Context(), id, snapshot.Log)
			kit.Equal(t, "the problem", a.Value.ID, id)
			return err
		},
		"update": func(s *Service, by Caller, id problem.ID) error {
			_, err := s.UpdateProblem(t.Context(), by, id, UpdateProblem{ProblemPatch: titled("U")})
			return err
		},
		"comment": func(s *Service, by Caller, id problem.ID) error {
			_, err := s.AddComment(t.Context(), by, id, AddComment{Text: patch.Set("c")})
			return err
		},
		"create": func(s *Service, by Caller, _ problem.ID) error {
			_, err := s.CreateProblem(t.Context(), by, CreateProblem{ProblemPatch: titled("T")})
			return err
		},
	} {
		other := newService(t)
		id := other.create(t, "T")
		store := &ending{Store: other.memory}
		s := newServer(store, other.clock)
		if _, err := s.As(other.admin).Problem(t.Context(), id, 0); err != nil { // the catalogue is kept
			t.Fatal(err)
		}
		store.ended = nil
		kit.NoError(t, do(s, other.admin, id))
		if !slices.Equal(store.ended, []bool{true}) {
			t.Errorf("%s: views ended with their last read: %v; want one that did", name, store.ended)
		}
		_, err := other.Priorities().Create(t.Context(), other.admin, admin.CreateObject[admin.PriorityPatch]{Patch: admin.PriorityPatch{Name: patch.Set("New")}})
		kit.NoError(t, err)
		store.ended = nil
		kit.NoError(t, do(s, other.admin, id))
		if !slices.Equal(store.ended, []bool{true, false}) {
			t.Errorf("%s with other metadata: views ended with their last read: %v; want one that did, and one that did not", name, store.ended)
		}
	}
}

// What a problem that is not there is answered with is the same.
func TestViewOnceOfNothing(t *testing.T) {
	t.Parallel()
	other := newService(t)
	s := newServer(&ending{Store: other.memory}, other.clock)
	_, err := s.As(other.admin).Problem(t.Context(), 7, 0)
	kit.WantFault(t, err, fault.ProblemNotFound)
}

package reads

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/conformance/internal/finding"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// View are about the moment of a View.
func View() []bench.Case {
	return []bench.Case{{
		ID:   "VIEW-001",
		Rule: "A View shows every Change with a Commit returned before View was called, also to other goroutines.",
		Run:  viewShowsCommitted,
	}, {
		ID:   "VIEW-002",
		Rule: "A View shows one moment through all its methods, despite any Commits meanwhile.",
		Run:  viewIsOneMoment,
	}, {
		ID:   "VIEW-002/first-look",
		Rule: "The first read of a View, by any method, settles the moment of all its later reads.",
		Run:  firstLook,
	}, {
		ID:   "VIEW-002/long",
		Rule: "A View shows one moment however long it takes.",
		Run:  longView,
	}, {
		ID:   "VIEW-002/overlapping",
		Rule: "Each of several overlapping Views shows the moment of its beginning.",
		Run:  overlappingViews,
	}, {
		ID:   "VIEW-002/search",
		Rule: "Search in a View finds the content of its moment, despite any Commits meanwhile.",
		Run:  searchWithinView,
	}, {
		ID:   "VIEW-003",
		Rule: "View returns the error of its function as it is, including nil.",
		Run:  viewReturnsError,
	}}
}

func viewShowsCommitted(b *bench.Bench) {
	p := b.Create()
	var floor atomic.Int64 // the highest revision whose Commit has returned
	var written atomic.Bool
	b.Together(4, func(who int) error {
		if who > 0 {
			for !written.Load() {
				if err := b.Going(); err != nil {
					return err
				}
				if err := atLeast(b, p.ID, floor.Load()); err != nil {
					return err
				}
			}
			return atLeast(b, p.ID, floor.Load())
		}
		defer written.Store(true)
		for range 40 {
			p.Revision++
			if _, err := b.Store.Commit(b.Ctx, b.Change(store.UpdateProblem{Problem: p})); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
			floor.Store(p.Revision)
		}
		return nil
	})
}

func viewIsOneMoment(b *bench.Bench) {
	b.Furnished()
	_, change := steps.OneOfEach(b)
	b.Seen.Add(change)
	b.View(func(r store.Reader) error {
		first, err := bench.Read(b.Ctx, r, b.Seen)
		if err != nil {
			return err
		}
		b.Commit(change)
		second, err := bench.Read(b.Ctx, r, b.Seen)
		b.Equal("what the same View shows after a Commit", first, second)
		return err
	})
}

func firstLook(b *bench.Bench) {
	p := b.Furnished()
	for _, reading := range steps.Readings(b, p.ID) {
		b.Seen = bench.NewScope() // what the other rounds have stored is not at stake
		b.Seen.Problems[p.ID] = true
		_, change := steps.OneOfEach(b)
		b.Seen.Add(change)
		before := b.Image()
		var seen bench.Image
		b.View(func(r store.Reader) error {
			if err := reading.Do(b.Ctx, r); err != nil {
				return err
			}
			versions, err := r.Versions(b.Ctx)
			if err != nil {
				return err
			}
			b.Equal("the versions that follow "+reading.Method, before.Versions, versions)
			b.Commit(change)
			seen, err = bench.Read(b.Ctx, r, b.Seen)
			return err
		})
		b.Equal("what the View shows that began with "+reading.Method, before, seen)
	}
}

func longView(b *bench.Bench) {
	p := b.Furnished()
	b.View(func(r store.Reader) error {
		first, err := bench.Read(b.Ctx, r, b.Seen)
		if err != nil {
			return err
		}
		for range 20 {
			p.Revision++
			change := b.Change(store.UpdateProblem{Problem: p}, store.AddComment{Problem: p.ID, Comment: b.Comment("more")},
				store.DropKeyword{Problem: p.ID, Name: "area"})
			b.Commit(change)
			again, err := bench.Read(b.Ctx, r, b.Seen)
			if err != nil {
				return err
			}
			b.Equal("what the View shows", first, again)
		}
		return nil
	})
}

func overlappingViews(b *bench.Bench) {
	p := b.Create()
	var look func(depth int)
	look = func(depth int) {
		if depth == 0 {
			return
		}
		b.View(func(r store.Reader) error {
			before, err := r.Problem(b.Ctx, p.ID, ident.None, bench.Everything)
			if err != nil {
				return err
			}
			b.Equal("the revision", p.Revision, before.Revision)
			p.Revision++
			b.Do(store.UpdateProblem{Problem: p}, store.AddComment{Problem: p.ID, Comment: b.Comment("more")})
			look(depth - 1)
			after, err := r.Problem(b.Ctx, p.ID, ident.None, bench.Everything)
			b.Equal("the problem in the outer View", before, after)
			return err
		})
	}
	look(3)
}

func searchWithinView(b *bench.Bench) {
	x := finding.ExhibitsOf(b)
	b.Restore(x.Holdings)
	ask := []finding.Asked{
		{Sort: "-title", As: x.Ann}, {Predicate: `watching = YES`, As: x.Ann}, {Predicate: `title MATCHES '.*a.*'`, As: x.Ann},
		{Predicate: `ANY keywords.name = 'area' OR ANY comments.text CONTAINS 'one' OR ANY relationships.child.title = 'Crash'`, As: x.Ann},
	}
	b.View(func(r store.Reader) error {
		if _, err := r.Versions(b.Ctx); err != nil {
			return err
		}
		var before [][]store.Hit
		for _, a := range ask {
			before = append(before, finding.Search(b, a)) // in a View of its own
		}
		p := x.Dossiers[2].Problem
		p.ID, p.Title = 7, "Crash again"
		changed := x.Dossiers[0].Problem
		changed.Title = "Another"
		b.Do(store.CreateProblem{Problem: p}, store.UpdateProblem{Problem: changed}, store.Unwatch{Problem: 1, User: x.Ann},
			store.DropKeyword{Problem: 1, Name: "area"}, store.AddComment{Problem: 8, Comment: b.Comment("one")}, store.Watch{Problem: 7, User: x.Ann})
		s, err := finding.Seek(b.Ctx, r)
		if err != nil {
			return err
		}
		for i, a := range ask {
			hits, err := s.Search(a)
			if err != nil {
				return err
			}
			b.Equal("the hits of "+a.String()+"\n", before[i], hits)
		}
		return nil
	})
	finding.Finds(b, ask[1], 7)
}

func viewReturnsError(b *bench.Bench) {
	plain := errors.New("the caller's own")
	for _, want := range []error{plain, fmt.Errorf("around: %w", plain), fault.New(fault.StaleRevision, "a fault"), nil} {
		got := b.Store.View(b.Ctx, func(store.Reader) error { return want })
		if got != want {
			b.Failf("the function returned %v, and View returned %v", want, got)
		}
	}
	b.Create()
}

// atLeast returns an error when a View shows an earlier revision of the problem.
func atLeast(b *bench.Bench, id problem.ID, revision int64) error {
	return b.Store.View(b.Ctx, func(r store.Reader) error {
		s, err := r.Problem(b.Ctx, id, ident.None, 0)
		if err == nil && s.Revision < revision {
			err = fmt.Errorf("revision %d was seen where %d had been committed", s.Revision, revision)
		}
		return err
	})
}

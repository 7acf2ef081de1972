package conformance

import (
	"context"
	"maps"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// trusting is the sabotage that compares numbers alone: what is expected of a batch
// is made true.
func trusting(fn func(now *model.World, e store.Expectation) store.Expectation) func(*broken) {
	return func(s *broken) {
		alter(func(change *store.Change) {
			expect := make([]store.Expectation, len(change.Expect))
			for i, e := range change.Expect {
				expect[i] = fn(s.world(), e)
			}
			change.Expect = expect
		})(s)
	}
}

// restamping is the sabotage that alters the batches after a Commit.
func restamping(fn func(before, now *model.World, change store.Change, err error)) func(*broken) {
	return func(s *broken) {
		s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
			before := s.world()
			receipt, err := s.Model.Commit(ctx, change)
			s.Mu.Lock()
			defer s.Mu.Unlock()
			s.Now = s.Now.Clone()
			fn(before, s.Now, change, err)
			return receipt, err
		}
	}
}

// identitySaboteurs are stores with a defect in what tells histories apart.
func identitySaboteurs() []saboteur {
	return slices.Concat(numberSaboteurs(), stampSaboteurs(), restampSaboteurs())
}

// numberSaboteurs compare numbers without their batches.
func numberSaboteurs() []saboteur {
	return []saboteur{{
		name: "compares the number of a revision alone", caught: "COM-012/problem",
		sabotage: trusting(func(now *model.World, e store.Expectation) store.Expectation {
			if at, ok := e.(store.ProblemAt); ok {
				at.Batch = now.Batches[at.ID]
				return at
			}
			return e
		}),
	}, {
		name: "compares the number of the catalogue's version alone", caught: "COM-012/catalogue",
		sabotage: trusting(func(now *model.World, e store.Expectation) store.Expectation {
			if at, ok := e.(store.CatalogueAt); ok {
				at.Version.Batch = now.Counters.Catalogue.Batch
				return at
			}
			return e
		}),
	}, {
		name: "compares the number of the tokens' version alone", caught: "COM-012/access",
		sabotage: trusting(func(now *model.World, e store.Expectation) store.Expectation {
			if at, ok := e.(store.AccessAt); ok {
				at.Version.Batch = now.Counters.Access.Batch
				return at
			}
			return e
		}),
	}, {
		name: "compares batches only where there is one", caught: "COM-012/first",
		sabotage: trusting(func(now *model.World, e store.Expectation) store.Expectation {
			if at, ok := e.(store.CatalogueAt); ok && now.Counters.Catalogue.Batch.IsNone() {
				at.Version.Batch = ident.None
				return at
			}
			return e
		}),
	}}
}

// stampSaboteurs stamp the wrong records with a batch.
func stampSaboteurs() []saboteur {
	return []saboteur{{
		name: "stamps no problem", caught: "READ-018",
		sabotage: restamping(func(_, now *model.World, _ store.Change, _ error) { clear(now.Batches) }),
	}, {
		name: "stamps no version", caught: "VER-004",
		sabotage: restamping(func(_, now *model.World, _ store.Change, _ error) {
			now.Counters = bench.Counting(now.Counters.Catalogue.Number, now.Counters.Access.Number)
		}),
	}, {
		name: "stamps a version for what it refuses", caught: "VER-004/refused",
		sabotage: restamping(func(_, now *model.World, change store.Change, err error) {
			if fault.Is(err, fault.Conflict) {
				now.Counters.Catalogue.Batch = change.Batch
			}
		}),
	}}
}

// restampSaboteurs restore the wrong batches.
func restampSaboteurs() []saboteur {
	return []saboteur{{
		name: "restores without a batch", caught: "RES-009",
		sabotage: rebatch(func(ident.ID) ident.ID { return ident.None }),
	}, {
		name: "restores with a batch of its own", caught: "RES-009/again",
		sabotage: rebatch(func(ident.ID) ident.ID { return ident.ID{15: 1} }),
	}, {
		name: "restores problems with the batch of the Archive", caught: "RES-009/problems",
		sabotage: rerevised(func(a store.Archive, _ store.Dossier) ident.ID { return a.Batch }),
	}, {
		name: "restores problems with a batch for each store", caught: "RES-009/moved",
		sabotage: rerevised(func(a store.Archive, d store.Dossier) ident.ID {
			if len(d.Savepoints) == 0 { // which only RES-009/moved restores
				return a.Batch
			}
			return a.BatchOf(d)
		}),
	}, {
		name: "stamps versions that are 0", caught: "RES-009/nothing",
		sabotage: afterwards(func(s *broken, err error) {
			if err == nil {
				s.Now.Counters.Catalogue.Batch = ident.ID{15: 1}
			}
		}),
	}}
}

// rerevised is the sabotage that gives restored problems another batch.
func rerevised(fn func(store.Archive, store.Dossier) ident.ID) func(*broken) {
	return func(s *broken) {
		s.restore = func(ctx context.Context, archive store.Archive) error {
			batches, problems := make(map[problem.ID]ident.ID), archive.Problems
			archive.Problems = func(yield func(store.Dossier, error) bool) {
				for d, err := range problems {
					batches[d.ID] = fn(archive, d)
					if !yield(d, err) {
						return
					}
				}
			}
			if err := s.Model.Restore(ctx, archive); err != nil {
				return err
			}
			s.Mu.Lock()
			defer s.Mu.Unlock()
			s.Now = s.Now.Clone()
			maps.Copy(s.Now.Batches, batches)
			return nil
		}
	}
}

// rebatch is the sabotage that takes another batch for an Archive's.
func rebatch(fn func(ident.ID) ident.ID) func(*broken) {
	return func(s *broken) {
		s.restore = func(ctx context.Context, archive store.Archive) error {
			archive.Batch = fn(archive.Batch)
			return s.Model.Restore(ctx, archive)
		}
	}
}

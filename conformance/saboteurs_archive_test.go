package conformance

import (
	"context"
	"iter"
	"runtime"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// repage is the sabotage that changes the pages of dossiers.
func repage(fn func(after problem.ID, limit int, page *[]store.Dossier)) func(*broken) {
	return func(s *broken) { s.reader = func(r *shown) { r.page = fn } }
}

// refile is the sabotage that changes what is restored.
func refile(fn func(*store.Dossier)) func(*broken) {
	return func(s *broken) {
		s.restore = func(ctx context.Context, archive store.Archive) error {
			problems := archive.Problems
			archive.Problems = func(yield func(store.Dossier, error) bool) {
				for d, err := range problems {
					fn(&d)
					if !yield(d, err) {
						return
					}
				}
			}
			return s.Model.Restore(ctx, archive)
		}
	}
}

// afterwards is the sabotage that changes what there is after Restore.
func afterwards(fn func(s *broken, err error)) func(*broken) {
	return func(s *broken) {
		s.restore = func(ctx context.Context, archive store.Archive) error {
			err := s.Model.Restore(ctx, archive)
			s.Mu.Lock()
			defer s.Mu.Unlock()
			fn(s, err)
			return err
		}
	}
}

// replaces is the sabotage by a Restore that fills another store, if look has
// nothing against it, and then puts that in the place of what there is by then.
func replaces(look func(s *broken) error) func(*broken) {
	return func(s *broken) {
		s.restore = func(ctx context.Context, archive store.Archive) error {
			if err := look(s); err != nil {
				return err
			}
			filled := model.NewModel()
			if err := filled.Restore(ctx, archive); err != nil {
				return err
			}
			linger()
			s.Mu.Lock()
			defer s.Mu.Unlock()
			s.Now = filled.Now
			return nil
		}
	}
}

// all returns dossiers as an Archive has them.
func all(dossiers []store.Dossier) iter.Seq2[store.Dossier, error] {
	return bench.Holdings{Dossiers: dossiers}.Archive().Problems
}

// archiveSaboteurs are stores with a defect in Dossiers or Restore.
func archiveSaboteurs() []saboteur {
	return slices.Concat(dossierSaboteurs(), restoredSaboteurs(), occupiedSaboteurs(), abandonedSaboteurs())
}

// dossierSaboteurs have a defect in Dossiers.
func dossierSaboteurs() []saboteur {
	return []saboteur{{
		name: "skips a problem between two pages", caught: "READ-012",
		sabotage: repage(func(after problem.ID, _ int, page *[]store.Dossier) {
			if after > 0 && len(*page) > 0 {
				*page = (*page)[1:]
			}
		}),
	}, {
		name: "shows no readers", caught: "READ-012/parts",
		sabotage: repage(func(_ problem.ID, _ int, page *[]store.Dossier) {
			for i := range *page {
				(*page)[i].Readers = nil
			}
		}),
	}, {
		name: "sorts readers backwards", caught: "READ-011",
		sabotage: repage(func(_ problem.ID, _ int, page *[]store.Dossier) {
			for i := range *page {
				slices.Reverse((*page)[i].Readers)
			}
		}),
	}, {
		name: "shows each page at its own moment", caught: "VIEW-002/dossiers",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) {
				r.page = func(after problem.ID, limit int, page *[]store.Dossier) {
					*page, _ = s.world().Dossiers(context.Background(), after, limit)
				}
			}
		},
	}, {
		name: "shows other dossiers than problems", caught: "READ-001/random",
		sabotage: repage(func(_ problem.ID, _ int, page *[]store.Dossier) {
			for i := range *page {
				d := &(*page)[i]
				d.Comments = d.Comments[:min(1, len(d.Comments))]
			}
		}),
	}}
}

// restoredSaboteurs show something else than Restore was given.
func restoredSaboteurs() []saboteur {
	return []saboteur{{
		name: "shows what it restores bit by bit", caught: "RES-001",
		sabotage: func(s *broken) {
			s.restore = func(ctx context.Context, archive store.Archive) error {
				problems := archive.Problems
				archive.Problems = all(nil)
				if err := s.Model.Restore(ctx, archive); err != nil {
					return err
				}
				for d, err := range problems {
					if err != nil {
						return err
					}
					s.Mu.Lock()
					s.Now = s.Now.Clone()
					s.Now.Restore(d, archive.Batch)
					s.Mu.Unlock()
				}
				return nil
			}
		},
	}, {
		name: "shows the tokens later than the rest", caught: "RES-001/at-once",
		sabotage: func(s *broken) {
			s.restore = func(ctx context.Context, archive store.Archive) error {
				tokens := archive.Tokens
				archive.Tokens = nil
				if err := s.Model.Restore(ctx, archive); err != nil {
					return err
				}
				for range 100 {
					runtime.Gosched()
				}
				var puts []store.Effect
				for _, t := range tokens {
					puts = append(puts, store.PutToken{Token: t})
				}
				_, err := s.Model.Commit(ctx, store.Change{Effects: puts})
				return err
			}
		},
	}, {
		name: "restores the log backwards", caught: "RES-002",
		sabotage: refile(func(d *store.Dossier) {
			d.Log = slices.Clone(d.Log)
			slices.Reverse(d.Log)
		}),
	}, {
		name: "restores no more than a thousand of anything", caught: "RES-002/many",
		sabotage: refile(func(d *store.Dossier) { d.Comments = d.Comments[:min(1000, len(d.Comments))] }),
	}, {
		name: "reserves from 1 after Restore", caught: "RES-002/goes-on",
		sabotage: afterwards(func(s *broken, _ error) { s.Reserved = 0 }),
	}, {
		name: "forgets its past", caught: "RES-002/past",
		sabotage: afterwards(func(s *broken, _ error) { clear(s.Batches) }),
	}, {
		name: "counts what it restores", caught: "RES-003",
		sabotage: afterwards(func(s *broken, err error) {
			if err == nil {
				s.Now.Counters.Catalogue.Number = int64(len(s.Now.States) + len(s.Now.Users))
			}
		}),
	}}
}

// occupiedSaboteurs restore into a store with content, or while others commit.
func occupiedSaboteurs() []saboteur {
	return []saboteur{{
		name: "restores over what is there", caught: "RES-005",
		sabotage: func(s *broken) {
			s.restore = func(ctx context.Context, archive store.Archive) error {
				s.Mu.Lock()
				s.Now = model.NewWorld()
				s.Mu.Unlock()
				return s.Model.Restore(ctx, archive)
			}
		},
	}, {
		name: "looks only first whether it is empty", caught: "RES-005/at-once",
		sabotage: replaces(func(s *broken) error { return s.world().Expect(store.StoreEmpty{}) }),
	}, {
		name: "loses what is committed while it restores", caught: "RES-005/meanwhile",
		sabotage: replaces(func(*broken) error { return nil }),
	}}
}

// abandonedSaboteurs go wrong when Restore fails, or when its time or the store is over.
func abandonedSaboteurs() []saboteur {
	return []saboteur{{
		name: "stores what came before an error", caught: "RES-006",
		sabotage: func(s *broken) {
			s.restore = func(ctx context.Context, archive store.Archive) error {
				var before []store.Dossier
				var failed error
				for d, err := range archive.Problems {
					if failed = err; err == nil {
						before = append(before, d)
					}
				}
				archive.Problems = all(before)
				if err := s.Model.Restore(ctx, archive); err != nil {
					return err
				}
				return failed
			}
		},
	}, {
		name: "restores though the context is over", caught: "RES-007",
		sabotage: func(s *broken) {
			s.restore = func(ctx context.Context, archive store.Archive) error {
				return s.Model.Restore(context.WithoutCancel(ctx), archive)
			}
		},
	}, {
		name: "looks through the Archive first", caught: "RES-008",
		sabotage: func(s *broken) {
			s.restore = func(ctx context.Context, archive store.Archive) error {
				for _, err := range archive.Problems {
					if err != nil {
						return err
					}
				}
				return s.Model.Restore(ctx, archive)
			}
		},
	}, {
		name: "keeps the Archive's memory", caught: "ALIAS-001/restore",
		sabotage: func(s *broken) {
			watchers := make(map[problem.ID][]ident.ID)
			s.restore = func(ctx context.Context, archive store.Archive) error {
				problems := archive.Problems
				archive.Problems = func(yield func(store.Dossier, error) bool) {
					for d, err := range problems {
						watchers[d.ID] = d.Watchers
						if !yield(d, err) {
							return
						}
					}
				}
				return s.Model.Restore(ctx, archive)
			}
			s.reader = func(r *shown) {
				r.page = func(_ problem.ID, _ int, page *[]store.Dossier) {
					for i := range *page {
						(*page)[i].Watchers = watchers[(*page)[i].ID]
					}
				}
			}
		},
	}, {
		name: "restores after Close", caught: "CLOSE-001",
		sabotage: func(s *broken) {
			s.restore = func(ctx context.Context, archive store.Archive) error {
				return s.Peer().Restore(ctx, archive)
			}
		},
	}}
}

package conformance

import (
	"context"
	"slices"
	"sync"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/store"
)

// sessionSaboteurs break the sessions of the client application.
func sessionSaboteurs() []saboteur {
	return []saboteur{{
		name: "moves a session that is put again to the end", caught: "READ-023",
		sabotage: alter(func(change *store.Change) {
			var effects []store.Effect
			for _, e := range change.Effects {
				if put, ok := e.(store.PutSession); ok {
					effects = append(effects, store.DropSession{ID: put.Session.ID})
				}
				effects = append(effects, e)
			}
			change.Effects = effects
		}),
	}, {
		name: "forgets the browser of a session", caught: "READ-001/session",
		sabotage: alter(func(change *store.Change) {
			for i, e := range change.Effects {
				if put, ok := e.(store.PutSession); ok {
					put.Session.Agent = ""
					change.Effects[i] = put
				}
			}
		}),
	}, {
		name: "finds a session that was dropped", caught: "READ-024",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			seen := make(map[access.Digest]access.Session)
			s.reader = func(r *shown) {
				r.session = func(digest access.Digest, found access.Session, ok bool) (access.Session, bool) {
					mu.Lock()
					defer mu.Unlock()
					if ok {
						seen[digest] = found
					}
					old, known := seen[digest]
					return old, known
				}
			}
		},
	}, {
		name: "takes a store with a session for empty", caught: "COM-002/store-not-empty/session",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				w := s.world()
				if len(w.AllSessions) > 0 && len(w.AllProblems) == 0 && w.Counters == (store.Versions{}) && len(w.Queries)+len(w.AuditLog)+len(w.Events) == 0 {
					change.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool { return e == store.Expectation(store.StoreEmpty{}) })
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}}
}

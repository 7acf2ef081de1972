package conformance

import (
	"context"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// rewriteSaboteurs break the effects that rewrite texts and empty replies.
func rewriteSaboteurs() []saboteur {
	return []saboteur{{
		name: "leaves the texts of savepoints", caught: "READ-028",
		sabotage: alterEffects(func(e store.Rewrite) []store.Effect {
			e.Savepoints = nil
			return []store.Effect{e}
		}),
	}, {
		name: "leaves the titles of events", caught: "FEED-002/rewritten",
		sabotage: alterEffects(func(e store.Rewrite) []store.Effect {
			e.Titles = nil
			return []store.Effect{e}
		}),
	}, {
		name: "leaves the names in entries of the audit log", caught: "READ-030",
		sabotage: alterEffects(func(e store.RewriteAudit) []store.Effect {
			e.Entries = nil
			return []store.Effect{e}
		}),
	}, {
		name: "empties the replies about a whole problem", caught: "READ-029",
		sabotage: alterEffects(func(e store.EmptyReplies) []store.Effect {
			e.About.Comment = ident.None
			return []store.Effect{e}
		}),
	}, {
		name: "does not mind missing entries", caught: "COM-002/rewrite",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				if _, ok := change.Effects[0].(store.Rewrite); ok && fault.Is(err, fault.Conflict) {
					change.Effects = change.Effects[1:]
					return s.Model.Commit(ctx, change)
				}
				return receipt, err
			}
		},
	}}
}

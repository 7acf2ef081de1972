package conformance

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// readSaboteurs are stores with a defect in View, or in what a Reader shows.
func readSaboteurs() []saboteur {
	return slices.Concat(viewSaboteurs(), recordSaboteurs(), answerSaboteurs(), aliasSaboteurs())
}

// viewSaboteurs have a defect in View.
func viewSaboteurs() []saboteur {
	return []saboteur{{
		name: "shows what was current a Commit ago", caught: "VIEW-001",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				s.stale.Store(s.world())
				return s.Model.Commit(ctx, change)
			}
			s.reader = func(r *shown) {
				if old := s.stale.Load(); old != nil {
					r.Reader = old
				}
			}
		},
	}, {
		name: "shows each read its own moment", caught: "VIEW-002",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) { r.moment = func() store.Reader { return s.world() } }
		},
	}, {
		name: "wraps the error of a View", caught: "VIEW-003",
		sabotage: func(s *broken) {
			s.view = func(ctx context.Context, fn func(store.Reader) error) error {
				if err := s.Model.View(ctx, fn); err != nil {
					return fmt.Errorf("view: %w", err)
				}
				return nil
			}
		},
	}, {
		name: "reads on when the context is over", caught: "VIEW-004/within",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) { r.deaf = true }
		},
	}, {
		name: "returns bare context errors", caught: "ERR-001/cancelled",
		sabotage: func(s *broken) {
			s.view = func(ctx context.Context, fn func(store.Reader) error) error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return s.Model.View(ctx, fn)
			}
		},
	}}
}

// recordSaboteurs store or show one kind of record in the wrong way.
func recordSaboteurs() []saboteur {
	return []saboteur{{
		name: "trims text", caught: "READ-001/text",
		sabotage: distort(func(s *snapshot.Snapshot) { s.Title = strings.TrimSpace(s.Title) }),
	}, {
		name: "cuts long titles", caught: "READ-001/long-text",
		sabotage: distort(func(s *snapshot.Snapshot) { s.Title = s.Title[:min(len(s.Title), 1020)] }),
	}, {
		name: "compares keyword names without case", caught: "READ-001/names-apart",
		sabotage: alter(func(change *store.Change) {
			for i, e := range change.Effects {
				if put, ok := e.(store.PutKeyword); ok {
					put.Keyword.Name = strings.ToLower(put.Keyword.Name)
					change.Effects[i] = put
				}
			}
		}),
	}, {
		name: "puts replaced comments behind all others", caught: "READ-001/put-comment",
		sabotage: distort(func(s *snapshot.Snapshot) {
			slices.SortStableFunc(s.Comments, func(a, b problem.Comment) int { return a.Edited.Compare(b.Edited) })
		}),
	}, {
		name: "takes an empty value for null", caught: "READ-001/put-keyword",
		sabotage: distort(func(s *snapshot.Snapshot) {
			for i := range s.Keywords {
				s.Keywords[i].Value.Valid = s.Keywords[i].Value.String != ""
			}
		}),
	}, {
		name: "cuts times to seconds", caught: "READ-001/times",
		sabotage: distort(func(s *snapshot.Snapshot) { s.Modified = s.Modified.Truncate(time.Second) }),
	}, {
		name: "loses the log", caught: "READ-001/log",
		sabotage: alter(func(change *store.Change) { change.Log = nil }),
	}, {
		name: "forgets the mail that a user wants", caught: "READ-001/all-members",
		sabotage: alterEffects(func(e store.PutUser) []store.Effect {
			e.User.Mail = user.MailEverything
			return []store.Effect{e}
		}),
	}, {
		name: "makes mirrors of its own", caught: "READ-001/relationship",
		sabotage: alter(func(change *store.Change) {
			for _, e := range change.Effects {
				if put, ok := e.(store.PutRelationship); ok && len(change.Effects) == 1 {
					change.Effects = append(change.Effects, store.PutRelationship{Relationship: put.Relationship.Mirror()})
				}
			}
		}),
	}, {
		name: "forgets all reads", caught: "READ-001/forget-reads",
		sabotage: alter(func(change *store.Change) {
			for i, e := range change.Effects {
				if forget, ok := e.(store.ForgetReads); ok {
					change.Effects[i] = store.ForgetReads{Problem: forget.Problem}
				}
			}
		}),
	}, {
		name: "forgets what is as old as Before", caught: "READ-001/expire",
		sabotage: alter(func(change *store.Change) {
			for i, e := range change.Effects {
				if expire, ok := e.(store.Expire); ok {
					change.Effects[i] = store.Expire{Before: expire.Before.Add(time.Millisecond)}
				}
			}
		}),
	}}
}

// answerSaboteurs answer one kind of read in the wrong way.
func answerSaboteurs() []saboteur {
	return []saboteur{{
		name: "loads all parts", caught: "READ-001/parts",
		sabotage: func(s *broken) { s.reader = func(r *shown) { r.parts = bench.Everything } },
	}, {
		name: "shows a problem that is not there", caught: "READ-002",
		sabotage: func(s *broken) { s.reader = func(r *shown) { r.never = true } },
	}, {
		name: "sorts keywords backwards", caught: "READ-003",
		sabotage: distort(func(s *snapshot.Snapshot) { slices.Reverse(s.Keywords) }),
	}, {
		name: "sorts relationships by problem", caught: "READ-004",
		sabotage: distort(func(s *snapshot.Snapshot) {
			slices.SortFunc(s.Relationships, func(a, b snapshot.Related) int { return cmp.Compare(a.Other, b.Other) })
		}),
	}, {
		name: "keeps the first title of the other problem", caught: "READ-005",
		sabotage: distort(func(s *snapshot.Snapshot) {
			for i := range s.Relationships {
				s.Relationships[i].OtherTitle = strings.TrimRight(s.Relationships[i].OtherTitle, "!")
			}
		}),
	}, {
		name: "returns neighbours once for each time they are asked for", caught: "READ-006",
		sabotage: func(s *broken) { s.reader = func(r *shown) { r.twice = true } },
	}, {
		name: "sorts tokens by identifier", caught: "READ-009",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) {
				r.tokens = func(all []access.Token) {
					slices.SortFunc(all, func(a, b access.Token) int { return a.ID.Compare(b.ID) })
				}
			}
		},
	}, {
		name: "takes the last Commit's time for that of the oldest", caught: "READ-013",
		sabotage: func(s *broken) {
			var last atomic.Pointer[time.Time]
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				last.Store(&change.At)
				return s.Model.Commit(ctx, change)
			}
			s.reader = func(r *shown) {
				r.oldest = func(time.Time) time.Time { return *last.Load() }
			}
		},
	}, {
		name: "remembers when a reply was first kept", caught: "READ-013/replaced",
		sabotage: func(s *broken) {
			var first atomic.Pointer[time.Time]
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for _, e := range change.Effects {
					if keep, ok := e.(store.KeepReply); ok {
						first.CompareAndSwap(nil, &keep.Reply.Created)
					}
				}
				return s.Model.Commit(ctx, change)
			}
			s.reader = func(r *shown) {
				r.oldest = func(time.Time) time.Time { return *first.Load() }
			}
		},
	}}
}

// aliasSaboteurs share their memory with the caller.
func aliasSaboteurs() []saboteur {
	return []saboteur{{
		name: "keeps the caller's bytes", caught: "ALIAS-001/in",
		sabotage: func(s *broken) {
			bodies := make(map[string][]byte)
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for _, e := range change.Effects {
					if keep, ok := e.(store.KeepReply); ok {
						bodies[keep.Reply.Key] = keep.Reply.Body
					}
				}
				return s.Model.Commit(ctx, change)
			}
			s.reader = func(r *shown) { r.bodies = bodies }
		},
	}, {
		name: "hands out what it keeps", caught: "ALIAS-001/out",
		sabotage: func(s *broken) {
			bodies := map[string][]byte{"key": []byte("body")}
			s.reader = func(r *shown) { r.bodies = bodies }
		},
	}}
}

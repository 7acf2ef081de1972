package conformance

import (
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

func aliasCases() []Case {
	return []Case{{
		ID:   "ALIAS-001/in",
		Rule: "What the caller does afterwards to the values that he handed in does not show in the store.",
		run: func(b *bench) {
			p := b.create()
			next, body := []ident.ID{b.ID(), b.ID()}, []byte("body")
			state := b.objects().States[0]
			state.Next = next
			change := b.change(
				store.PutState{State: state},
				store.KeepReply{Reply: store.Reply{User: b.ID(), Key: "key", Created: b.Now(), Body: body}},
				store.AddComment{Problem: p.ID, Comment: b.comment("first")},
				store.Watch{Problem: p.ID, User: b.ID()},
			)
			change.Log = []problem.LogEntry{b.entry(p.ID), b.entry(p.ID)}
			b.commit(change)
			before := b.image().clone()
			next[0], body[0] = b.ID(), 'B'
			clear(change.Effects)
			clear(change.Log)
			b.equal("what is stored", before, b.image())
		},
	}, {
		ID:   "ALIAS-001/out",
		Rule: "What the caller does to the values that he got does not show in the store.",
		run: func(b *bench) {
			p := b.furnished()
			q := b.create()
			reply := store.Reply{User: b.ID(), Key: "key", Created: b.Now(), Body: []byte("body")}
			owner := b.ID()
			b.do(append(b.pair(p.ID, relationship.ParentOf, q.ID), store.PutToken{Token: b.token()}, store.KeepReply{Reply: reply},
				store.PutQuery{Query: b.query(owner)}, store.AppendAudit{Entry: b.audited()}, store.AppendAudit{Entry: b.audited()})...)
			before := b.image().clone()
			b.view(func(r store.Reader) error {
				s, err := r.Problem(b.ctx, p.ID, ident.None, everything)
				if err != nil {
					return err
				}
				scribble(&s.Keywords)
				scribble(&s.Log)
				scribble(&s.Comments)
				scribble(&s.Relationships)
				scribble(&s.Watchers)
				scribble(&s.Savepoints)
				sides, err := r.Neighbours(b.ctx, relationship.ParentOf, []problem.ID{p.ID})
				if err != nil {
					return err
				}
				scribble(&sides)
				tokens, err := r.Tokens(b.ctx)
				if err != nil {
					return err
				}
				scribble(&tokens)
				some, err := r.Problems(b.ctx, []problem.ID{p.ID}, ident.None, everything)
				if err != nil {
					return err
				}
				scribble(&some[0].Keywords)
				scribble(&some[0].Log)
				scribble(&some[0].Savepoints)
				scribble(&some)
				entries, err := r.Audit(b.ctx, 0, 10)
				if err != nil {
					return err
				}
				scribble(&entries)
				for _, owner := range []ident.ID{ident.None, owner} {
					queries, err := r.SavedQueries(b.ctx, owner)
					if err != nil {
						return err
					}
					scribble(&queries)
				}
				reply, _, err := r.Reply(b.ctx, reply.User, reply.Key)
				if err != nil {
					return err
				}
				scribble(&reply.Body)
				again, err := read(b.ctx, r, b.seen)
				b.equal("what the same View shows", before, again)
				return err
			})
			b.equal("what is stored", before, b.image())
		},
	}, {
		ID:   "ALIAS-001/kept",
		Rule: "What the caller got and keeps does not change when the store does.",
		run: func(b *bench) {
			p, state := b.furnished(), b.objects().States[0]
			saved := b.query(b.author)
			b.do(store.PutState{State: state}, store.PutToken{Token: b.token()}, store.PutQuery{Query: saved})
			kept := make([]image, 4)
			copies := make([]image, len(kept))
			for i := range kept {
				kept[i] = b.image()
				copies[i] = kept[i].clone()
				state.Next = b.objects().States[0].Next
				saved.Name = b.ID().String()
				change := b.change(store.PutState{State: state}, store.PutToken{Token: b.token()},
					store.PutQuery{Query: saved}, store.PutQuery{Query: b.query(b.author)}, store.AppendAudit{Entry: b.audited()},
					store.AddComment{Problem: p.ID, Comment: b.comment("more")}, store.PutSavepoint{Problem: p},
					store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: b.ID().String()}},
					store.DropKeyword{Problem: p.ID, Name: "area"}, store.Watch{Problem: p.ID, User: b.ID()})
				change.Log = []problem.LogEntry{b.entry(p.ID)}
				b.commit(change)
			}
			for i := range kept {
				b.equal("what was read before later Commits", copies[i], kept[i])
			}
		},
	}, {
		ID:   "ALIAS-001/catalogue",
		Rule: "A catalogue that the caller keeps does not change when the store's does.",
		run: func(b *bench) {
			first := b.objects()
			b.do(putAll(first)...)
			var kept *metadata.Catalogue
			b.view(func(r store.Reader) (err error) {
				kept, err = r.Catalogue(b.ctx)
				return err
			})
			next := b.objects()
			next.States[0].ID, next.Users[0].ID = first.States[0].ID, first.Users[0].ID
			b.do(putAll(next)...)
			b.equal("the version", int64(1), kept.Version.Number)
			b.equal("the content", first, kept.Content())
			state, _ := kept.State(first.States[0].ID)
			b.equal("the state", first.States[0], state)
		},
	}}
}

// scribble overwrites the elements of a slice, and what may lie behind them.
func scribble[E any](s *[]E) {
	var zero E
	clear(*s)
	*s = append(*s, zero)
	slices.Reverse(*s)
}

// scribbleDossier overwrites the lists of a dossier.
func scribbleDossier(d *store.Dossier) {
	scribble(&d.Keywords)
	scribble(&d.Log)
	scribble(&d.Comments)
	scribble(&d.Relationships)
	scribble(&d.Watchers)
	scribble(&d.Readers)
	scribble(&d.Savepoints)
}

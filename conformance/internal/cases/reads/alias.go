package reads

import (
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// Alias are about the memory behind arguments and results.
func Alias() []bench.Case {
	return []bench.Case{{
		ID:   "ALIAS-001/in",
		Rule: "The caller may alter the values it handed in: the store does not show it.",
		Run:  callerChangesArguments,
	}, {
		ID:   "ALIAS-001/out",
		Rule: "The caller may alter the values it read: the store does not show it.",
		Run:  callerChangesResults,
	}, {
		ID:   "ALIAS-001/kept",
		Rule: "Values in the caller's hands do not change when the store does.",
		Run:  callerKeepsResults,
	}, {
		ID:   "ALIAS-001/catalogue",
		Rule: "A catalogue in the caller's hands does not change when the store's does.",
		Run:  callerChangesCatalogue,
	}}
}

func callerChangesArguments(b *bench.Bench) {
	p := b.Create()
	next, body := []ident.ID{b.ID(), b.ID()}, []byte("body")
	called, progress := b.Endpoint(), b.Progress()
	types, attempts := called.Types, progress.Deliveries
	state := b.Objects().States[0]
	state.Next = next
	change := b.Change(
		store.PutState{State: state},
		store.PutWebhook{Endpoint: called}, store.PutProgress{Webhook: called.ID, Progress: progress},
		store.KeepReply{Reply: store.Reply{User: b.ID(), Key: "key", Created: b.Now(), Body: body}},
		store.AddComment{Problem: p.ID, Comment: b.Comment("first")},
		store.Watch{Problem: p.ID, User: b.ID()},
	)
	change.Log = []problem.LogEntry{b.Entry(p.ID), b.Entry(p.ID)}
	b.Commit(change)
	before := b.Image().Clone()
	next[0], body[0] = b.ID(), 'B'
	types[0], attempts[0].Error = "", "B"
	clear(change.Effects)
	clear(change.Log)
	b.Equal("what is stored", before, b.Image())
}

func callerChangesResults(b *bench.Bench) {
	p := b.Furnished()
	q := b.Create()
	reply := store.Reply{User: b.ID(), Key: "key", Created: b.Now(), Body: []byte("body")}
	owner, called := b.ID(), b.Endpoint()
	b.Do(store.PutWebhook{Endpoint: called}, store.PutProgress{Webhook: called.ID, Progress: b.Progress()})
	b.Do(append(b.Pair(p.ID, relationship.ParentOf, q.ID), store.PutToken{Token: b.Token()}, store.KeepReply{Reply: reply},
		store.PutQuery{Query: b.Query(owner)}, store.AppendAudit{Entry: b.Audited()}, store.AppendAudit{Entry: b.Audited()})...)
	before := b.Image().Clone()
	b.View(func(r store.Reader) error {
		s, err := r.Problem(b.Ctx, p.ID, ident.None, bench.Everything)
		if err != nil {
			return err
		}
		steps.Scribble(&s.Keywords)
		steps.Scribble(&s.Log)
		steps.Scribble(&s.Comments)
		steps.Scribble(&s.Relationships)
		steps.Scribble(&s.Watchers)
		steps.Scribble(&s.Savepoints)
		steps.Scribble(&s.Attachments)
		sides, err := r.Neighbours(b.Ctx, relationship.ParentOf, []problem.ID{p.ID})
		if err != nil {
			return err
		}
		steps.Scribble(&sides)
		tokens, err := r.Tokens(b.Ctx)
		if err != nil {
			return err
		}
		steps.Scribble(&tokens)
		some, err := r.Problems(b.Ctx, []problem.ID{p.ID}, ident.None, bench.Everything)
		if err != nil {
			return err
		}
		steps.Scribble(&some[0].Keywords)
		steps.Scribble(&some[0].Log)
		steps.Scribble(&some[0].Savepoints)
		steps.Scribble(&some)
		entries, err := r.Audit(b.Ctx, 0, 10)
		if err != nil {
			return err
		}
		steps.Scribble(&entries)
		for _, owner := range []ident.ID{ident.None, owner} {
			queries, err := r.SavedQueries(b.Ctx, owner)
			if err != nil {
				return err
			}
			steps.Scribble(&queries)
		}
		hooks, err := r.Webhooks(b.Ctx, 0, 10)
		if err != nil {
			return err
		}
		steps.Scribble(&hooks[0].Types)
		steps.Scribble(&hooks[0].Progress.Deliveries)
		hook, _, err := r.Webhook(b.Ctx, called.ID)
		if err != nil {
			return err
		}
		steps.Scribble(&hook.Types)
		steps.Scribble(&hook.Progress.Deliveries)
		reply, _, err := r.Reply(b.Ctx, reply.User, reply.Key)
		if err != nil {
			return err
		}
		steps.Scribble(&reply.Body)
		again, err := bench.Read(b.Ctx, r, b.Seen)
		b.Equal("what the same View shows", before, again)
		return err
	})
	b.Equal("what is stored", before, b.Image())
}

func callerKeepsResults(b *bench.Bench) {
	p, state := b.Furnished(), b.Objects().States[0]
	saved := b.Query(b.Author)
	b.Do(store.PutState{State: state}, store.PutToken{Token: b.Token()}, store.PutQuery{Query: saved})
	kept := make([]bench.Image, 4)
	copies := make([]bench.Image, len(kept))
	for i := range kept {
		kept[i] = b.Image()
		copies[i] = kept[i].Clone()
		state.Next = b.Objects().States[0].Next
		saved.Name = b.ID().String()
		change := b.Change(store.PutState{State: state}, store.PutToken{Token: b.Token()},
			store.PutQuery{Query: saved}, store.PutQuery{Query: b.Query(b.Author)}, store.AppendAudit{Entry: b.Audited()},
			store.AddComment{Problem: p.ID, Comment: b.Comment("more")}, store.PutSavepoint{Problem: p},
			store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: b.ID().String()}},
			store.DropKeyword{Problem: p.ID, Name: "area"}, store.Watch{Problem: p.ID, User: b.ID()})
		change.Log = []problem.LogEntry{b.Entry(p.ID)}
		b.Commit(change)
	}
	for i := range kept {
		b.Equal("what was read before later Commits", copies[i], kept[i])
	}
}

func callerChangesCatalogue(b *bench.Bench) {
	first := b.Objects()
	b.Do(bench.PutAll(first)...)
	var kept *metadata.Catalogue
	b.View(func(r store.Reader) (err error) {
		kept, err = r.Catalogue(b.Ctx)
		return err
	})
	next := b.Objects()
	next.States[0].ID, next.Users[0].ID = first.States[0].ID, first.Users[0].ID
	b.Do(bench.PutAll(next)...)
	b.Equal("the version", int64(1), kept.Version.Number)
	b.Equal("the content", first, kept.Content())
	state, _ := kept.State(first.States[0].ID)
	b.Equal("the state", first.States[0], state)
}

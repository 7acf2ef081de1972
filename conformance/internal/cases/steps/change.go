package steps

import (
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// OneOfEach fills the store and returns an existing problem and a Change with one effect
// of each type and with log entries. Each effect changes something. The Change is not
// committed yet.
func OneOfEach(b *bench.Bench) (problem.Problem, store.Change) {
	b.Helper()
	p, q := b.Create(), b.Create()
	watcher, reader, user := b.ID(), b.ID(), b.ID()
	dropped, replaced := b.Query(user), b.Query(user)
	ended, begun := b.Session(user), b.Session(user)
	deleted, called := b.Endpoint(), b.Endpoint()
	shown := store.About{Problem: p.ID, Comment: b.ID()}
	expired := store.Reply{User: user, Key: "old", Fingerprint: bench.Fingerprint(1), Created: b.Now(), Body: []byte("old")}
	audited := b.Audited()
	b.Do(append(b.Pair(p.ID, relationship.CauseOf, q.ID),
		store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "dropped", Value: problem.Text("yes")}},
		store.Watch{Problem: p.ID, User: watcher},
		store.MarkRead{Problem: p.ID, User: reader, Read: true},
		store.MarkRead{Problem: q.ID, User: reader, Read: true},
		store.KeepReply{Reply: expired},
		store.PutQuery{Query: dropped}, store.PutQuery{Query: replaced}, store.PutQuery{Query: b.Query(user)},
		store.PutSession{Session: ended}, store.PutSession{Session: begun},
		store.PutWebhook{Endpoint: deleted}, store.PutWebhook{Endpoint: called},
		store.AppendAudit{Entry: audited}, store.Publish{Event: b.Happening(p.ID)},
		store.KeepReply{Reply: store.Reply{User: user, Key: "shown", Created: b.Now(), About: shown, Body: []byte("shown")}},
	)...)
	written := b.Change(store.PutSavepoint{Problem: p})
	written.Log = []problem.LogEntry{b.Entry(p.ID)}
	b.Commit(written)
	rewritten := store.Rewrite{
		Problem: p.ID, Log: written.Log, Savepoints: []snapshot.Savepoint{{Batch: written.Batch, Problem: p}},
		Titles: []store.BatchTitle{{Batch: written.Batch, Title: "rewritten"}},
	}
	rewritten.Log[0].To, rewritten.Savepoints[0].Title = problem.LogText("rewritten"), "rewritten"
	audited.Name, audited.To = "rewritten", problem.LogText("rewritten")
	b.Do(store.Publish{Event: b.Administered()})
	replaced.Name = "Replaced"
	created := b.Problem(b.Reserve())
	updated := b.Problem(p.ID)
	updated.Revision = 2
	objects := b.Objects()
	comment := b.Comment("a comment")
	comment.Edited, comment.Editor, comment.Deleted = b.Now(), b.ID(), true
	change := b.Change(append(b.Pair(p.ID, relationship.BlockerOf, q.ID),
		store.CreateProblem{Problem: created, Size: 1 << 10},
		store.UpdateProblem{Problem: updated, Size: 1 << 11},
		store.PutSavepoint{Problem: updated},
		store.AddComment{Problem: p.ID, Comment: comment},
		store.PutComment{Problem: p.ID, Comment: comment},
		store.PutAttachment{Problem: p.ID, Attachment: b.Attachment()},
		store.PutClaim{Problem: p.ID, Claim: b.Claim()},
		rewritten, store.RewriteAudit{Entries: []audit.Entry{audited}}, store.EmptyReplies{About: shown},
		store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "put", Value: problem.Text("yes")}},
		store.DropKeyword{Problem: p.ID, Name: "dropped"},
		store.DropRelationship{Owner: p.ID, Type: relationship.CauseOf, Other: q.ID},
		store.DropRelationship{Owner: q.ID, Type: relationship.CausedBy, Other: p.ID},
		store.Watch{Problem: p.ID, User: b.ID()},
		store.Unwatch{Problem: p.ID, User: watcher},
		store.MarkRead{Problem: p.ID, User: b.ID(), Read: true},
		store.MarkRead{Problem: p.ID, User: reader, Read: false},
		store.ForgetReads{Problem: q.ID, But: b.ID()},
		store.PutState{State: objects.States[0]},
		store.PutPriority{Priority: objects.Priorities[0]},
		store.PutClassification{Classification: objects.Classifications[0]},
		store.PutComponent{Component: objects.Components[0]},
		store.PutMilestone{Milestone: objects.Milestones[0]},
		store.PutUser{User: objects.Users[0]},
		store.PutToken{Token: b.Token()},
		store.MarkUsed{Token: b.ID(), At: b.Now()},
		store.AppendAudit{Entry: b.Audited()},
		store.Publish{Event: b.Happening(p.ID)},
		store.Publish{Event: b.Administered()},
		store.ForgetFeed{Through: 1},
		store.PutQuery{Query: b.Query(b.ID())},
		store.PutQuery{Query: replaced},
		store.DropQuery{ID: dropped.ID},
		store.PutSession{Session: b.Session(b.ID())},
		store.DropSession{ID: ended.ID},
		store.PutWebhook{Endpoint: b.Endpoint()},
		store.DropWebhook{ID: deleted.ID},
		store.PutProgress{Webhook: called.ID, Progress: b.Progress()},
		store.PutLease{Lease: b.Lease("work")},
		store.KeepReply{Reply: store.Reply{User: user, Key: "new", Fingerprint: bench.Fingerprint(2), Created: b.Now(), About: store.About{Problem: p.ID, Comment: b.ID()}, Body: []byte("new")}},
		store.Expire{Before: expired.Created.Add(1)},
	)...)
	change.Log = []problem.LogEntry{b.Entry(p.ID), b.Entry(q.ID), b.Entry(created.ID)}
	return p, change
}

// Probe returns a Change with the given expectations. It puts nothing into the places of
// StoreEmpty.
func Probe(b *bench.Bench, expect ...store.Expectation) store.Change {
	change := b.Change(store.PutLease{Lease: b.Lease("probe")})
	change.Expect = expect
	return change
}

// RuledOut returns a batch ruled out by Outcome.
func RuledOut(b *bench.Bench) ident.ID {
	b.Helper()
	batch := b.ID()
	_, stored, err := b.Store.Outcome(b.Ctx, batch, b.Now())
	b.Must("Outcome", err)
	if stored {
		b.Failf("Outcome knows a batch that was never committed")
	}
	return batch
}

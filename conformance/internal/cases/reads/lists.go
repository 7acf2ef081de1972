package reads

import (
	"fmt"
	"sync"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Lists returns the cases about the order of lists. A store may order them by a counter, and
// this counter may restart with each opening, or belong to one connection.
func Lists() []bench.Case {
	return []bench.Case{{
		ID:      "COM-008/reopened-several",
		Rule:    "Log entries, comments and savepoints are in the order of their Commits, however many there were before each opening of the store.",
		Durable: true,
		Run:     historyReopened,
	}, {
		ID:      "READ-009/reopened",
		Rule:    "The order of tokens goes on when the store is opened again.",
		Durable: true,
		Run:     tokensReopened,
	}, {
		ID:      "READ-015/reopened",
		Rule:    "The order of the audit log goes on when the store is opened again.",
		Durable: true,
		Run:     auditReopened,
	}, {
		ID:      "READ-016/reopened",
		Rule:    "The order of saved queries goes on when the store is opened again.",
		Durable: true,
		Run:     queriesReopened,
	}, {
		ID:      "READ-023/reopened",
		Rule:    "The order of sessions goes on when the store is opened again.",
		Durable: true,
		Run:     sessionsReopened,
	}, {
		ID:   "COM-008/positions",
		Rule: "The log entries and comments of concurrent writers of one problem are in the order of their Positions.",
		Run:  byPosition,
	}, {
		ID:   "READ-009/at-once",
		Rule: "Tokens put at once keep the order of their Commits: if one Commit had returned before another was called, its token comes first.",
		Run:  tokensAtOnce,
	}, {
		ID:   "READ-015/one-after-the-other",
		Rule: "Audit entries appended at once keep the order of their Commits: if one Commit had returned before another was called, its entry comes first.",
		Run:  auditAtOnce,
	}, {
		ID:   "READ-016/at-once",
		Rule: "Saved queries put at once keep the order of their Commits: if one Commit had returned before another was called, its query comes first.",
		Run:  queriesAtOnce,
	}, {
		ID:   "READ-023/at-once",
		Rule: "Sessions put at once keep the order of their Commits: if one Commit had returned before another was called, its session comes first.",
		Run:  sessionsAtOnce,
	}}
}

// sessions are the numbers of Changes between two openings of the store.
func sessions() []int { return []int{3, 1, 4, 2, 5} }

// inSessions commits with falling identifiers, and opens the store again between sessions.
func inSessions(b *bench.Bench, commit func(id ident.ID)) {
	b.Helper()
	total := 0
	for _, n := range sessions() {
		total += n
	}
	ids := b.Backwards(total)
	for _, n := range sessions() {
		for _, id := range ids[:n] {
			commit(id)
		}
		ids = ids[n:]
		b.Reopen()
	}
}

func historyReopened(b *bench.Bench) {
	p := b.Create()
	var want bench.History
	age := 0
	inSessions(b, func(id ident.ID) {
		change := b.Change()
		want.Append(b, p, id, age, &change)
		b.Commit(change)
		age++
	})
	want.Check(b, p.ID)
}

func tokensReopened(b *bench.Bench) {
	var want []access.Token
	inSessions(b, func(id ident.ID) {
		token := b.Token()
		token.ID = id
		want = append(want, token)
		b.Do(store.PutToken{Token: token})
		want[0].Revoked = b.Now()
		b.Do(store.PutToken{Token: want[0]})
	})
	b.Equal("the tokens", want, b.Image().Tokens)
}

func auditReopened(b *bench.Bench) {
	var want []audit.Entry
	inSessions(b, func(id ident.ID) {
		entry := b.Audited()
		entry.ID = id
		want = append(want, entry)
		b.Do(store.AppendAudit{Entry: entry})
	})
	b.Equal("the audit log", want, auditEntries(b, 0, 100))
}

func queriesReopened(b *bench.Bench) {
	var want []query.Saved
	inSessions(b, func(id ident.ID) {
		q := b.Query(b.Author)
		q.ID = id
		want = append(want, q)
		b.Do(store.PutQuery{Query: q})
		want[0].Name = id.String()
		b.Do(store.PutQuery{Query: want[0]})
	})
	b.Equal("the list of saved queries", want, savedQueries(b, ident.None))
}

func sessionsReopened(b *bench.Bench) {
	var want []access.Session
	inSessions(b, func(id ident.ID) {
		session := b.Session(b.Author)
		session.ID, session.Digest = id, access.Digest(append(id[:], id[:]...))
		want = append(want, session)
		b.Do(store.PutSession{Session: session})
		want[0].Expires = b.Now()
		b.Do(store.PutSession{Session: want[0]})
	})
	b.Equal("the list of sessions", want, b.Image().Sessions)
}

// byPosition compares the order of comments and log entries with the Receipts.
func byPosition(b *bench.Bench) {
	const rounds = 15
	p := b.Create()
	positions := make(map[ident.ID]int64)
	var mu sync.Mutex
	b.Together(bench.Writers, func(int) error {
		for range rounds {
			comment := b.Comment("one of many")
			change := b.Change(store.AddComment{Problem: p.ID, Comment: comment})
			entry := b.Entry(p.ID)
			change.Log = append(change.Log, entry)
			receipt, err := b.Store.Commit(b.Ctx, change)
			if err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
			mu.Lock()
			positions[comment.ID], positions[entry.ID] = receipt.Position, receipt.Position
			mu.Unlock()
		}
		return nil
	})
	s := b.Load(p.ID, snapshot.Comments|snapshot.Log)
	b.Equal("the number of comments", bench.Writers*rounds, len(s.Comments))
	b.Equal("the number of log entries", bench.Writers*rounds, len(s.Log))
	for i := range s.Comments[1:] {
		if before, after := positions[s.Comments[i].ID], positions[s.Comments[i+1].ID]; before >= after {
			b.Failf("the comment of the position %d comes before the one of %d", before, after)
		}
		if before, after := positions[s.Log[i].ID], positions[s.Log[i+1].ID]; before >= after {
			b.Failf("the log entry of the position %d comes before the one of %d", before, after)
		}
	}
}

func tokensAtOnce(b *bench.Bench) {
	steps.AtOnce(b, func(id ident.ID) store.Effect {
		token := b.Token()
		token.ID = id
		return store.PutToken{Token: token}
	}, func() (ids []ident.ID) {
		for _, t := range b.Image().Tokens {
			ids = append(ids, t.ID)
		}
		return ids
	})
}

func auditAtOnce(b *bench.Bench) {
	steps.AtOnce(b, func(id ident.ID) store.Effect {
		entry := b.Audited()
		entry.ID = id
		return store.AppendAudit{Entry: entry}
	}, func() (ids []ident.ID) {
		for _, e := range auditEntries(b, 0, bench.MostEntries) {
			ids = append(ids, e.ID)
		}
		return ids
	})
}

func queriesAtOnce(b *bench.Bench) {
	steps.AtOnce(b, func(id ident.ID) store.Effect {
		q := b.Query(b.Author)
		q.ID = id
		return store.PutQuery{Query: q}
	}, func() (ids []ident.ID) {
		for _, q := range savedQueries(b, ident.None) {
			ids = append(ids, q.ID)
		}
		return ids
	})
}

func sessionsAtOnce(b *bench.Bench) {
	steps.AtOnce(b, func(id ident.ID) store.Effect {
		session := b.Session(b.Author)
		session.ID, session.Digest = id, access.Digest(append(id[:], id[:]...))
		return store.PutSession{Session: session}
	}, func() (ids []ident.ID) {
		for _, s := range b.Image().Sessions {
			ids = append(ids, s.ID)
		}
		return ids
	})
}

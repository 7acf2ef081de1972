package reads

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Audit are about the audit log.
func Audit() []bench.Case {
	return []bench.Case{{
		ID:   "READ-015",
		Rule: "Audit returns the entries in the order of their Commits, and within one Change in its order, though times and identifiers run backwards.",
		Run:  auditInOrder,
	}, {
		ID:   "READ-015/pages",
		Rule: "Audit leaves out as many of the oldest entries as it is told to, and returns no more than the limit, and no fewer when there are more, whatever was written or refused between the entries.",
		Run:  auditPages,
	}, {
		ID:   "READ-015/at-once",
		Rule: "Entries appended at once have one order from the beginning: no entry ever appears before an already visible one.",
		Run:  auditOrderAtOnce,
	}}
}

func auditInOrder(b *bench.Bench) {
	var want []audit.Entry
	for i, id := range b.Backwards(12) {
		e := b.Audited()
		e.ID, e.Created = id, e.Created.Add(-time.Duration(i)*time.Hour)
		want = append(want, e)
	}
	for i, part := range [][]audit.Entry{want[:1], want[1:4], want[4:5], want[5:9], want[9:]} {
		change := b.Change()
		change.At = change.At.Add(-time.Duration(i) * time.Hour)
		for _, e := range part {
			change.Effects = append(change.Effects, store.AppendAudit{Entry: e})
		}
		b.Commit(change)
	}
	b.Equal("the audit log", want, auditEntries(b, 0, 100))
}

func auditPages(b *bench.Bench) {
	b.Equal("the audit log of an empty store", []audit.Entry(nil), auditEntries(b, 0, 10))
	// Three Changes of the same time add entries. Behind each, another one is refused with its entry.
	var want []audit.Entry
	for _, n := range []int{3, 1, 3} {
		p := b.Create()
		change := b.Change()
		for range n {
			want = append(want, b.Audited())
			want[len(want)-1].Created = want[0].Created
			change.Effects = append(change.Effects, store.AppendAudit{Entry: last(want)})
		}
		b.Commit(change)
		b.Refuse("a problem with a number in use", fault.Conflict, b.Change(store.AppendAudit{Entry: b.Audited()}, store.CreateProblem{Problem: p}))
	}
	for _, skip := range []int{0, 1, 3, 6, 7, 8, 1000, math.MaxInt32} {
		for _, limit := range []int{1, 2, 6, 7, 8, math.MaxInt32} {
			rest := want[min(skip, len(want)):]
			b.Equal(fmt.Sprintf("the page of at most %d entries after %d", limit, skip), rest[:min(limit, len(rest))], auditEntries(b, skip, limit))
		}
	}
}

func auditOrderAtOnce(b *bench.Bench) {
	const rounds = 10
	own := make([][]ident.ID, bench.Writers)
	var busy atomic.Int64
	busy.Store(bench.Writers)
	b.Together(bench.Writers+1, func(who int) error {
		if who == bench.Writers {
			return onlyGrows(b, func() bool { return busy.Load() == 0 })
		}
		defer busy.Add(-1)
		for range rounds {
			e, f := b.Audited(), b.Audited()
			if _, err := b.Store.Commit(b.Ctx, b.Change(store.AppendAudit{Entry: e}, store.AppendAudit{Entry: f})); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
			own[who] = append(own[who], e.ID, f.ID)
		}
		return nil
	})
	place := make(map[ident.ID]int)
	for i, e := range auditEntries(b, 0, bench.MostEntries) {
		place[e.ID] = i + 1
	}
	b.Equal("the number of entries", 2*bench.Writers*rounds, len(place))
	for who, ids := range own {
		if !slices.IsSortedFunc(ids, func(a, b ident.ID) int { return place[a] - place[b] }) {
			b.Failf("the entries of writer %d are not in the order of their Commits", who)
		}
		for i := 0; i < len(ids); i += 2 {
			if place[ids[i+1]] != place[ids[i]]+1 {
				b.Failf("another entry is between two of one Change")
			}
		}
	}
}

// auditEntries reads a page of the audit log.
func auditEntries(b *bench.Bench, skip, limit int) (page []audit.Entry) {
	b.Helper()
	b.View(func(r store.Reader) (err error) {
		page, err = r.Audit(b.Ctx, skip, limit)
		return err
	})
	return page
}

// onlyGrows reads the audit log until done, and returns an error when something in
// it changes.
func onlyGrows(b *bench.Bench, done func() bool) error {
	var seen []audit.Entry
	for ended := false; !ended; {
		if err := b.Going(); err != nil {
			return err
		}
		ended = done()
		var now []audit.Entry
		if err := b.Store.View(b.Ctx, func(r store.Reader) (err error) {
			now, err = r.Audit(b.Ctx, 0, bench.MostEntries)
			return err
		}); err != nil {
			return err
		}
		if len(now) < len(seen) {
			return fmt.Errorf("the audit log had %d entries, and has %d now", len(seen), len(now))
		}
		if d := bench.Difference(seen, now[:len(seen)]); d != "" {
			return fmt.Errorf("the beginning of the audit log has changed: %s", d)
		}
		seen = now
	}
	return nil
}

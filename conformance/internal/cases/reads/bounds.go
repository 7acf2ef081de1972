package reads

import (
	"fmt"
	"math"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Bounds are about the largest and smallest numbers of a call or a value.
func Bounds() []bench.Case {
	return []bench.Case{{
		ID:   "READ-001/order",
		Rule: "The order of states and priorities is read back over its whole range, from -2147483648 to 2147483647, also after Restore.",
		Run:  wholeOrder,
	}, {
		ID:   "READ-012/huge",
		Rule: "Dossiers takes the largest limit there is, and the largest number to begin after.",
		Run:  hugeDossiers,
	}, {
		ID:   "READ-015/huge",
		Rule: "Audit takes the largest skip and limit there are, also together.",
		Run:  hugeAudit,
	}, {
		ID:   "READ-020/huge",
		Rule: "Log takes the largest skip, limit and budget there are, also together.",
		Run:  hugeLog,
	}, {
		ID:   "READ-021/huge",
		Rule: "Comments takes the largest skip, limit and budget there are, also together.",
		Run:  hugeComments,
	}}
}

func wholeOrder(b *bench.Bench) {
	var content metadata.Content
	for _, order := range []int{
		metadata.MinOrder, math.MinInt16 - 1, math.MinInt16, -129, -1, 0, 1, 128, 255, 256, math.MaxInt16, math.MaxInt16 + 1,
		math.MaxUint16, math.MaxUint16 + 1, math.MaxUint16 + 7, metadata.MaxOrder,
	} {
		o := b.Objects()
		o.States[0].Order, o.Priorities[0].Order = order, order
		content.States, content.Priorities = append(content.States, o.States...), append(content.Priorities, o.Priorities...)
	}
	b.Do(bench.PutAll(content)...)
	b.Equal("the metadata", bench.Ordered(content), b.Image().Content)
	other := b.Fresh()
	h := bench.Holdings{Batch: b.ID(), Metadata: content}
	other.Restore(h)
	other.Shows("what is stored after Restore", h)
}

func hugeDossiers(b *bench.Bench) {
	for range 3 {
		b.Create()
	}
	all, err := b.Held()
	b.Must("View", err)
	b.View(func(r store.Reader) error {
		for _, limit := range []int{math.MaxInt - 1, math.MaxInt} {
			for _, after := range []problem.ID{math.MinInt64, 0, all.Dossiers[1].ID, math.MaxInt64 - 1, math.MaxInt64} {
				var want []problem.ID
				for _, d := range all.Dossiers {
					if d.ID > after {
						want = append(want, d.ID)
					}
				}
				page, err := r.Dossiers(b.Ctx, after, limit)
				what := fmt.Sprintf("at most %d problems after %d", limit, after)
				b.Must(what, err)
				var got []problem.ID
				for _, d := range page {
					got = append(got, d.ID)
				}
				b.Equal(what, want, got)
			}
		}
		return nil
	})
}

// largest are skips and limits at the end of their range. Sums of two overflow.
func largest() []int { return []int{math.MaxInt32, math.MaxInt32 + 1, math.MaxInt - 1, math.MaxInt} }

func hugeAudit(b *bench.Bench) {
	want := []audit.Entry{b.Audited(), b.Audited(), b.Audited()}
	for _, e := range want {
		b.Do(store.AppendAudit{Entry: e})
	}
	for _, limit := range largest() {
		for skip := range len(want) {
			b.Equal(fmt.Sprintf("the page of at most %d entries after %d", limit, skip), want[skip:], auditEntries(b, skip, limit))
		}
		for _, skip := range largest() {
			b.Equal(fmt.Sprintf("the number of entries after %d", skip), 0, len(auditEntries(b, skip, limit)))
		}
	}
}

func hugeLog(b *bench.Bench) {
	p := b.Create()
	want := []problem.LogEntry{b.Entry(p.ID), b.Entry(p.ID), b.Entry(p.ID)}
	change := b.Change()
	change.Log = want
	b.Commit(change)
	b.View(func(r store.Reader) error {
		return hugePortions(b, want, func(skip, limit int, budget int64) ([]problem.LogEntry, error) {
			return r.Log(b.Ctx, p.ID, skip, limit, budget)
		})
	})
}

func hugeComments(b *bench.Bench) {
	p := b.Create()
	want := []problem.Comment{b.Comment("one"), b.Comment("two"), b.Comment("three")}
	for _, c := range want {
		b.Do(store.AddComment{Problem: p.ID, Comment: c})
	}
	b.View(func(r store.Reader) error {
		return hugePortions(b, want, func(skip, limit int, budget int64) ([]problem.Comment, error) {
			return r.Comments(b.Ctx, p.ID, skip, limit, budget)
		})
	})
}

// hugePortions reads with each combination of the largest arguments.
func hugePortions[T any](b *bench.Bench, all []T, read func(skip, limit int, budget int64) ([]T, error)) error {
	b.Helper()
	for _, budget := range []int64{1 << 20, math.MaxInt64 - 1, math.MaxInt64} {
		for _, limit := range append(largest(), 2) {
			for _, skip := range append(largest(), 0, 1, len(all)) {
				got, err := read(skip, limit, budget)
				if err != nil {
					return fmt.Errorf("at most %d after %d, until they reach %d bytes: %w", limit, skip, budget, err)
				}
				rest := all[min(skip, len(all)):]
				rest = rest[:min(limit, len(rest))]
				if len(rest) == 0 {
					b.Equal(fmt.Sprintf("the number of them after %d", skip), 0, len(got))
					continue
				}
				b.Equal(fmt.Sprintf("at most %d after %d, until they reach %d bytes", limit, skip, budget), rest, got)
			}
		}
	}
	return nil
}

package webhooks

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/webhook"
)

// damaged is a store in which some problems cannot be read. It counts its Views.
type damaged struct {
	store.Store
	rows  []problem.ID
	views int
}

func (s *damaged) View(ctx context.Context, fn func(store.Reader) error) error {
	s.views++
	return s.Store.View(ctx, func(r store.Reader) error { return fn(damagedReader{r, s}) })
}

type damagedReader struct {
	store.Reader
	of *damaged
}

func (r damagedReader) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	for _, id := range ids {
		if slices.Contains(r.of.rows, id) {
			return nil, fault.New(fault.Internal, "the row is damaged")
		}
	}
	return r.Reader.Problems(ctx, ids, as, parts)
}

// Damaged problems hold up only the endpoints whose predicates need them. With many of them the
// store is at fault, and few reads find that out.
func TestMatchWithDamage(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const problems = 400
	var ids []problem.ID
	for i := range problems {
		ids = append(ids, s.Problem(t, fmt.Sprint(i)))
	}
	deliverer := s.NewDeliverer(true)
	events := firstPage(t, deliverer)
	of := &damaged{Store: s.core.Store}
	s.core.Store = of
	owner := s.Admin.User
	endpoints := []webhook.Endpoint{{}, {Owner: owner, Predicate: "title CONTAINS '7'"}, {Owner: owner, Predicate: fmt.Sprintf("identifier = %d", ids[7])}}
	whole, err := deliverer.Match(t.Context(), events, endpoints)
	kit.NoError(t, err)
	for _, rows := range [][]problem.ID{{ids[0]}, {ids[problems-1]}, {ids[7], ids[8], ids[200]}, ids[10 : 10+mostDamaged]} {
		of.rows = rows
		all, err := deliverer.Match(t.Context(), events, endpoints)
		kit.NoError(t, err)
		for i, e := range endpoints {
			var want []tracker.PublishedEvent
			var unread []problem.ID
			for _, v := range events {
				needs := i == 1 || i == 2 && v.Problem == ids[7]
				switch {
				case needs && slices.Contains(rows, v.Problem):
					want, unread = append(want, v), append(unread, v.Problem)
				case slices.ContainsFunc(whole[i].Events, func(w tracker.PublishedEvent) bool { return w.Cursor == v.Cursor }):
					want = append(want, v)
				}
			}
			same := slices.EqualFunc(all[i].Events, want, func(a, b tracker.PublishedEvent) bool { return a.Cursor == b.Cursor })
			for _, id := range unread {
				same = same && fault.Is(all[i].Unread[id], fault.Internal)
			}
			if !same || len(all[i].Unread) != len(unread) || all[i].Err != nil {
				t.Errorf("with %v damaged, %q gets %d events, want %d; not read are %v, want %v", rows, e.Predicate, len(all[i].Events), len(want), all[i].Unread, unread)
			}
		}
	}
	for _, n := range []int{mostDamaged + 1, problems} {
		of.rows, of.views = ids[:n], 0
		if _, err := deliverer.Match(t.Context(), events, endpoints); !fault.Is(err, fault.Internal) || of.views > 100 {
			t.Errorf("with %d damaged: %v after %d reads, want a failure after 100 at most", n, err, of.views)
		}
	}
}

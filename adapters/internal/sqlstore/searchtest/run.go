package searchtest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/store"
)

// Run fills an empty store, and compares its answers to the given number of queries with
// search.Scan on the same content. The same seed gives the same content and queries.
func Run(t *testing.T, s store.Store, seed uint64, problems, queries int) {
	t.Helper()
	t.Logf("seed %d", seed)
	w := newWorld(seed, problems)
	if err := s.Restore(t.Context(), w.archive()); err != nil {
		t.Fatal(err)
	}
	refused, compiled, found := 0, 0, 0
	for n := 0; n < queries && !t.Failed(); {
		g := &generator{world: w}
		where, sort := g.cond(), g.order()
		if w.IntN(8) == 0 { // what is looked for state by state
			where = pick(w, []string{"state.resolved = NO", "NOT state.resolved = YES", "assignee.identifier = $ApiUser"})
			sort = pick(w, []string{"", "-identifier", "-modificationDate"})
		}
		env := predicate.Env{Now: now, User: w.content.Users[0].ID}
		if w.IntN(2) == 0 {
			env.Zone = time.FixedZone("", w.IntN(26*60*60)-12*60*60)
		}
		plan, err := check.Compile(where, predicate.Problem, env)
		if err != nil {
			if _, ok := errors.AsType[*predicate.Error](err); !ok {
				t.Fatalf("%s\nis refused with %v", where, err)
			}
			if refused++; refused > 10*queries {
				t.Fatalf("too many predicates are refused, the last one with %v: %s", err, where)
			}
			continue
		}
		order, err := check.CompileOrder(sort, predicate.Problem)
		if err != nil {
			t.Fatalf("%s: %v", sort, err)
		}
		n++
		if _, residual := pushdown.Split(plan); residual == nil {
			compiled++
		}
		found += compare(t, s, store.Query{Plan: plan, Sort: order, Limit: 1 + w.IntN(2*problems), As: env.User}, where, sort, w)
	}
	t.Logf("%d predicates were refused; of the rest, %d of %d are decided by the database; %d problems were found", refused, compiled, queries, found)
	if compiled < queries/4 || found == 0 {
		t.Error("that is too few to compare")
	}
}

// compare compares the answers to a query, and to the query for the hits after one of
// them.
func compare(t *testing.T, s store.Store, q store.Query, where, sort string, w *world) (found int) {
	t.Helper()
	err := s.View(t.Context(), func(r store.Reader) (err error) {
		if q.Catalogue, err = r.Catalogue(t.Context()); err != nil {
			return err
		}
		for {
			got, gotErr := r.Search(t.Context(), q)
			want, wantErr := search.Scan(t.Context(), r, q)
			if gotErr != nil || wantErr != nil {
				if kind := kindOf(wantErr); wantErr == nil || !fault.Is(gotErr, kind) {
					t.Errorf("%s\nsorted by %q: %v; want %v", where, sort, gotErr, wantErr)
				}
				return nil
			}
			if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("%s\nsorted by %q after %+v finds\n%+v; want\n%+v", where, sort, q.After, got, want)
				return nil
			}
			found += len(got)
			if len(got) == 0 || q.After != nil {
				return nil
			}
			q.After = &got[w.IntN(len(got))]
		}
	})
	if err != nil {
		t.Fatalf("%s\nsorted by %q: %v", where, sort, err)
	}
	return found
}

func kindOf(err error) fault.Kind {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Kind
	}
	return fault.Internal
}

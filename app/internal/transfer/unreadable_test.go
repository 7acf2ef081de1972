package transfer

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// rotten is a store with problems up to last. Some cannot be read, and some are not there.
type rotten struct {
	store.Store
	last      problem.ID
	bad, gaps []problem.ID
	away      problem.ID // with its read, the store goes away; 0: none
	mended    bool       // before the search for the numbers
}

func (s rotten) View(_ context.Context, fn func(store.Reader) error) error {
	return fn(rottenReader{of: s})
}

type rottenReader struct {
	store.Reader
	of rotten
}

func (r rottenReader) read(id problem.ID) error {
	switch {
	case id == r.of.away:
		return fault.New(fault.Unavailable, "the store is away")
	case slices.Contains(r.of.bad, id):
		return fault.Wrap(fault.Internal, errors.New("table problems"), "the store failed")
	}
	return nil
}

// next returns the number of the problem behind another one; 0 for none.
func (r rottenReader) next(after problem.ID) problem.ID {
	id := after + 1
	for slices.Contains(r.of.gaps, id) {
		id++
	}
	if id > r.of.last {
		return 0
	}
	return id
}

func (r rottenReader) Search(_ context.Context, q store.Query) ([]store.Hit, error) {
	if id := r.next(q.After.ID); id != 0 && !r.of.mended {
		return []store.Hit{{ID: id}}, nil
	}
	return nil, nil
}

func (r rottenReader) Dossiers(_ context.Context, after problem.ID, _ int) ([]store.Dossier, error) {
	id := r.next(after)
	if id == 0 {
		return nil, nil
	}
	return []store.Dossier{{Problem: problem.Problem{ID: id}}}, r.read(id)
}

func TestUnreadableProblems(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of   rotten
		most int
		want []problem.ID
		err  string
	}{
		"empty":         {rotten{}, 20, nil, ""},
		"none":          {rotten{last: 9, gaps: []problem.ID{1, 4}}, 20, nil, ""},
		"ends and gaps": {rotten{last: 9, bad: []problem.ID{1, 4, 5, 9}, gaps: []problem.ID{2, 3, 7, 8}}, 20, []problem.ID{1, 4, 5, 9}, ""},
		"most":          {rotten{last: 9, bad: []problem.ID{2, 4, 6, 8}}, 3, []problem.ID{2, 4, 6}, ""},
		"gone":          {rotten{last: 9, bad: []problem.ID{4}, mended: true}, 20, nil, "the store failed: table problems"},
		"away":          {rotten{last: 9, bad: []problem.ID{2}, away: 5}, 20, []problem.ID{2}, "the store is away"},
	} {
		found, err := unreadableProblems(t.Context(), c.of, c.most)
		var ids []problem.ID
		for _, u := range found {
			ids = append(ids, u.Problem)
			if u.Err == nil || u.Err.Error() != "the store failed: table problems" {
				t.Errorf("%s: problem %d cannot be read: %v", name, u.Problem, u.Err)
			}
		}
		if !slices.Equal(ids, c.want) || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: found %v, %v; want %v, %q", name, ids, err, c.want, c.err)
		}
	}
}

package tracker

import (
	"errors"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/search"
)

func TestSearchRefusesWhatDoesNotCompile(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, c := range []struct {
		search       Search
		kind         predicate.ErrorKind
		line, column int
	}{
		{Search{Predicate: ""}, predicate.InvalidSyntax, 1, 1},
		{Search{Predicate: "title = 'a'\nAND titel = 'b'"}, predicate.UnknownKey, 2, 5},
		{Search{Predicate: "creationDate > 'yesterday'"}, predicate.TypeMismatch, 1, 14},
		{Search{Predicate: "TRUEPREDICATE", Sort: patch.Set("title,-colour")}, predicate.UnknownKey, 1, 8},
	} {
		_, err := s.SearchProblems(t.Context(), s.admin, SearchProblems{Search: c.search})
		wantFault(t, err, fault.InvalidPredicate)
		e, ok := errors.AsType[*predicate.Error](err)
		if !ok || e.Kind != c.kind || e.Line != c.line || e.Column != c.column || faultOf(t, err).Detail == "" {
			t.Errorf("%+v: %v", c.search, err)
		}
	}
}

// A position is good for its search alone.
func TestSearchRefusesPositions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 3 {
		s.create(t, "a")
	}
	cmd := SearchProblems{Search: Search{Predicate: "title = 'a'", Sort: patch.Set("title,-creationDate"), Limit: 1}}
	page := func() *Position {
		found, err := s.SearchProblems(t.Context(), s.admin, cmd)
		noError(t, err)
		return found.Next
	}
	for name, spoil := range map[string]func(caller *Caller, cmd *SearchProblems){
		"of another user":      func(caller *Caller, _ *SearchProblems) { caller.User = testID(99) },
		"of another predicate": func(_ *Caller, cmd *SearchProblems) { cmd.Predicate += " " },
		"of another order":     func(_ *Caller, cmd *SearchProblems) { cmd.Sort.Value = "title,creationDate" },
		"with too few keys":    func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys = cmd.After.Keys[:1] },
		"with keys of no kind": func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys[0] = struct{}{} },
		"with another kind":    func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys[0] = int64(1) },
		"of the year 0":        func(_ *Caller, cmd *SearchProblems) { cmd.After.Now = cmd.After.Now.AddDate(-2015, 0, 0) },
		"of the year 10000":    func(_ *Caller, cmd *SearchProblems) { cmd.After.Now = cmd.After.Now.AddDate(8000, 0, 0) },
	} {
		caller, cmd := s.admin, cmd
		cmd.After = page()
		spoil(&caller, &cmd)
		_, err := s.SearchProblems(t.Context(), caller, cmd)
		if !fault.Is(err, fault.MalformedRequest) {
			t.Errorf("a position %s: %v", name, err)
		}
	}
	cmd.After = page()
	found, err := s.SearchProblems(t.Context(), s.admin, cmd)
	noError(t, err)
	equal(t, "with the right one", numbers(t, found), []problem.ID{2})
	_, err = s.SearchObjects(t.Context(), s.admin, predicate.State, cmd.Search)
	if err == nil {
		t.Error("a position in problems is taken for one in states")
	}
}

// What is a value of a key, and what is not.
func TestHasKind(t *testing.T) {
	t.Parallel()
	values := map[predicate.Kind]predicate.Value{
		predicate.Bool: false, predicate.Int: int64(1), predicate.Float: 1.5, predicate.String: "a", predicate.UUID: ident.None, predicate.Date: noon,
	}
	for kind := range values {
		for of, value := range values {
			if got := hasKind(value, kind); got != (of == kind) {
				t.Errorf("%v is a %s: %t", value, kind, got)
			}
		}
		if !hasKind(nil, kind) || hasKind([]predicate.Value{}, kind) {
			t.Errorf("nil or a collection as a %s", kind)
		}
	}
}

// More metadata than a search may find is no result either.
func TestSearchTooManyObjects(t *testing.T) {
	t.Parallel()
	q := prepared{}
	var content metadata.Content
	for i := range MostFound + 1 {
		content.Priorities = append(content.Priorities, metadata.Priority{ID: ident.ID{1: byte(i), 2: byte(i >> 8), 15: 1}})
	}
	plan, err := compile("TRUEPREDICATE", predicate.Priority, predicate.Env{})
	noError(t, err)
	q.plan = plan
	for n, fails := range map[int]bool{MostFound: false, MostFound + 1: true} {
		found, err := search.Objects(t.Context(), q.objects(metadata.NewCatalogue(1, metadata.Content{Priorities: slices.Clone(content.Priorities[:n])})))
		noError(t, err)
		if _, err = q.more(len(found)); fault.Is(err, fault.TooManyResults) != fails {
			t.Errorf("of %d: %v", n, err)
		}
	}
}

package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

func TestSearchRefusesWhatDoesNotCompile(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, c := range []struct {
		search       Search
		kind         predicate.ErrorKind
		line, column int
	}{
		{Search{Predicate: patch.Set("")}, predicate.InvalidSyntax, 1, 1},
		{Search{Predicate: patch.Set("title = 'a'\nAND titel = 'b'")}, predicate.UnknownKey, 2, 5},
		{Search{Predicate: patch.Set("creationDate > 'yesterday'")}, predicate.TypeMismatch, 1, 14},
		{Search{Predicate: patch.Set("TRUEPREDICATE"), Sort: patch.Set("title,-colour")}, predicate.UnknownKey, 1, 8},
	} {
		_, err := s.As(s.admin).Search(t.Context(), SearchProblems{Search: c.search})
		kit.WantFault(t, err, fault.InvalidPredicate)
		e, ok := errors.AsType[*predicate.Error](err)
		if !ok || e.Kind != c.kind || e.Line != c.line || e.Column != c.column || kit.FaultOf(t, err).Detail == "" {
			t.Errorf("%+v: %v", c.search, err)
		}
	}
}

// What refers to more objects than a search may join is valid, but too expensive
// (limits of the query language).
func TestSearchRefusesTooManyJoins(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var conds []string
	for n := range 32 {
		path := "component"
		for bit := range 5 {
			path += []string{".parent", ".successor"}[n>>bit&1]
		}
		conds = append(conds, path+".name = 'a'")
	}
	text := strings.Join(conds, " OR ")
	_, err := s.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set(text)}})
	kit.WantFault(t, err, fault.QueryTooExpensive)
	_, err = s.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("TRUEPREDICATE"), Sort: patch.Set(strings.ReplaceAll(strings.Join(conds, ","), " = 'a'", ""))}})
	kit.WantFault(t, err, fault.QueryTooExpensive)
	kit.WantFault(t, s.CheckUpdateProblems(s.admin, UpdateProblems{Predicate: patch.Set(text)}), fault.QueryTooExpensive)
}

// D9: a problem is overdue after the last millisecond of its day in the zone of the service.
func TestDueTodayIsNotOverdue(t *testing.T) {
	t.Parallel()
	for zone, end := range map[string]string{
		"":                    "2015-11-05T23:59:59.999Z",
		"Europe/Berlin":       "2015-11-05T22:59:59.999Z",
		"America/Los_Angeles": "2015-11-06T07:59:59.999Z",
	} {
		s := newService(t)
		location, err := time.LoadLocation(zone)
		kit.NoError(t, err)
		s.use(New(Options{Store: s.memory, Now: s.clock.Now, Zone: location, Random: rand.Reader, Limits: DefaultLimits()}))
		for _, due := range []string{"2015-11-05", "2015-11-06", ""} {
			create := CreateProblem{ProblemPatch: titled("due " + due)}
			if due != "" {
				d, err := date.Parse(due)
				kit.NoError(t, err)
				create.Due = patch.Set(d)
			}
			_, err := s.CreateProblem(t.Context(), s.admin, create)
			kit.NoError(t, err)
		}
		last, err := time.Parse(time.RFC3339, end)
		kit.NoError(t, err)
		for after, want := range map[time.Duration][]problem.ID{0: nil, time.Millisecond: {1}} {
			s.clock.At = last.Add(after)
			found, err := s.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("due < NOW() AND state.resolved = NO")}})
			kit.NoError(t, err)
			kit.Equal(t, "overdue in "+zone+" at "+s.clock.At.String(), numbers(t, found), want)
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
	cmd := SearchProblems{Search: Search{Predicate: patch.Set("title = 'a'"), Sort: patch.Set("title,-creationDate"), Limit: patch.Set[int64](1)}}
	page := func() *Position {
		found, err := s.As(s.admin).Search(t.Context(), cmd)
		kit.NoError(t, err)
		return found.Next
	}
	for name, spoil := range map[string]func(caller *Caller, cmd *SearchProblems){
		"of another user":      func(caller *Caller, _ *SearchProblems) { caller.User = kit.ID(99) },
		"of another predicate": func(_ *Caller, cmd *SearchProblems) { cmd.Predicate.Value += " " },
		"of another order":     func(_ *Caller, cmd *SearchProblems) { cmd.Sort.Value = "title,creationDate" },
		"with too few keys":    func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys = cmd.After.Keys[:1] },
		"with keys of no kind": func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys[0] = struct{}{} },
		"with another kind":    func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys[0] = int64(1) },
		"of the year 0":        func(_ *Caller, cmd *SearchProblems) { cmd.After.Now = cmd.After.Now.AddDate(-2015, 0, 0) },
		"of the year 10000":    func(_ *Caller, cmd *SearchProblems) { cmd.After.Now = cmd.After.Now.AddDate(8000, 0, 0) },
		"of a nanosecond":      func(_ *Caller, cmd *SearchProblems) { cmd.After.Now = cmd.After.Now.Add(1) },
		"with a fine key":      func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys[1] = kit.Noon.Add(time.Microsecond) },
		"with a late key":      func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys[1] = kit.Noon.AddDate(8000, 0, 0) },
		"with an early key":    func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys[1] = time.Time{}.AddDate(-1, 0, 0) },
		"with a NUL":           func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys[0] = "a\x00" },
		"with broken text":     func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys[0] = "\xff" },
		"without a title":      func(_ *Caller, cmd *SearchProblems) { cmd.After.Keys[0] = nil },
	} {
		caller, cmd := s.admin, cmd
		cmd.After = page()
		spoil(&caller, &cmd)
		_, err := s.As(caller).Search(t.Context(), cmd)
		if !fault.Is(err, fault.MalformedRequest) {
			t.Errorf("a position %s: %v", name, err)
		}
	}
	cmd.After = page()
	found, err := s.As(s.admin).Search(t.Context(), cmd)
	kit.NoError(t, err)
	kit.Equal(t, "with the right one", numbers(t, found), []problem.ID{2})
	_, err = s.As(s.admin).Objects(t.Context(), predicate.State, cmd.Search)
	if err == nil {
		t.Error("a position in problems is taken for one in states")
	}
}

// A position from the order with nil first is refused. It stays good where nothing can be nil.
func TestSearchRefusesPositionsOfTheEarlierOrder(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.create(t, "a")
	for sort, keys := range map[string][]predicate.Value{"due": {nil}, "title,-assignee.name": {"a", nil}, "title": {"a"}, "": nil} {
		at := &Position{User: s.admin.User, Query: fingerprint(string(predicate.Problem), "TRUEPREDICATE", sort), Now: kit.Noon, Keys: keys}
		_, err := s.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set("TRUEPREDICATE"), Sort: patch.Set(sort), After: at}})
		if refused := slices.Contains(keys, nil); fault.Is(err, fault.MalformedRequest) != refused || err != nil && !refused {
			t.Errorf("by %q: %v", sort, err)
		}
	}
}

// What a key can be, and what it cannot.
func TestCanBe(t *testing.T) {
	t.Parallel()
	values := map[string]predicate.Value{
		"read": false, "priority.order": int64(1), "title": "a", "state.identifier": ident.None, "creationDate": kit.Noon,
		"": 1.5, // nothing is sorted by fractions
	}
	for sort := range values {
		order, err := compileOrder(sort, predicate.Problem)
		kit.NoError(t, err)
		if sort == "" {
			continue
		}
		for of, value := range values {
			if got := canBe(value, order[0].Path); got != (of == sort) {
				t.Errorf("%s is %v: %t", sort, value, got)
			}
		}
		if canBe([]predicate.Value{}, order[0].Path) {
			t.Errorf("%s is a collection", sort)
		}
	}
	for sort, nullable := range map[string]bool{
		"title": false, "creationDate": false, "state.name": false, "originator.identifier": false, "read": false,
		"resolveDate": true, "assignee.name": true, "milestone.component.parent.name": true, "priority.order": true,
	} {
		order, err := compileOrder(sort, predicate.Problem)
		kit.NoError(t, err)
		kit.Equal(t, sort+" can be nil", canBe(nil, order[0].Path), nullable)
	}
}

// A search is for one thing, and what is wrong with it is said in the order of D18.
func TestSearchOrderOfFaults(t *testing.T) {
	t.Parallel()
	s := newService(t)
	saved := s.save(t, "TRUEPREDICATE", "")
	form := fault.List{{Kind: fault.UnknownField, At: fault.At("page"), Detail: "is not known"}}
	unread := func(pointer string) fault.List {
		return fault.List{{Kind: fault.InvalidType, At: kit.MemberAt(pointer), Detail: "must be something else"}}
	}
	text, tooMany := patch.Set[string], patch.Set[int64](1001)
	for _, c := range []struct {
		rule   string
		search Search
		kind   fault.Kind
		items  []string
	}{
		{"something", Search{Limit: tooMany, Faults: form}, fault.MalformedRequest, nil},
		{"null is nothing", Search{Predicate: patch.Null[string](), Saved: patch.Null[ident.ID]()}, fault.MalformedRequest, nil},
		{"a cursor is nothing", Search{After: &Position{}}, fault.MalformedRequest, nil},
		{"one thing", Search{Predicate: text("TRUEPREDICATE"), Saved: patch.Set(saved.ID), Limit: tooMany}, fault.MalformedRequest, nil},
		{"the predicate before the body", Search{Predicate: text("("), Limit: tooMany, Faults: form}, fault.InvalidPredicate, nil},
		{"the sort before what is stored", Search{Saved: patch.Set(kit.ID(99)), Sort: text("-")}, fault.InvalidPredicate, nil},
		{"the sort, though the predicate could not be read", Search{Sort: text("-"), Faults: unread("/predicate")}, fault.InvalidPredicate, nil},
		{"the saved query before the body", Search{Saved: patch.Set(kit.ID(99)), Limit: tooMany, Faults: form}, fault.NotFound, nil},
		{"the position before the body", Search{Predicate: text("TRUEPREDICATE"), Limit: tooMany, After: &Position{}}, fault.MalformedRequest, nil},
		{"all of the body", Search{Predicate: text("TRUEPREDICATE"), Limit: tooMany, Faults: form}, fault.ValidationFailed, []string{"unknown-field /page", "invalid-value /limit"}},
		{"what could not be read was sent", Search{Limit: tooMany, After: &Position{}, Faults: unread("/savedQuery")}, fault.ValidationFailed, []string{"invalid-type /savedQuery", "invalid-value /limit"}},
		{"a body that is no object", Search{Faults: unread("")}, fault.InvalidType, []string{"invalid-type "}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			_, err := s.As(s.admin).Search(t.Context(), SearchProblems{Search: c.search})
			kit.WantFault(t, err, c.kind, c.items...)
		})
	}
}

// D32: all problems, 100 at a time.
func TestListProblems(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, c := range []struct {
		limit patch.Field[int64]
		want  int
	}{{patch.Field[int64]{}, 101}, {patch.Null[int64](), 101}, {patch.Set[int64](7), 8}} {
		service, _ := s.finding(finder{have: 200, find: func(_ context.Context, q store.Query) ([]store.Hit, error) {
			kit.Equal(t, "wanted", q.Limit, c.want)
			if all, ok := q.Plan.Where.(predicate.And); !ok || len(all.Conds) > 0 {
				t.Errorf("searched for %+v", q.Plan)
			}
			return hits(q.Limit), nil
		}})
		found, err := service.As(s.admin).List(t.Context(), SearchProblems{Search: Search{Limit: c.limit}})
		kit.NoError(t, err)
		kit.Equal(t, "found", len(numbers(t, found)), c.want-1)
		again, err := service.As(s.admin).List(t.Context(), SearchProblems{Search: Search{Limit: c.limit, After: found.Next}})
		kit.NoError(t, err)
		kit.Equal(t, "found after it", len(numbers(t, again)), c.want-1)
	}
	_, err := s.As(s.admin).List(t.Context(), SearchProblems{Search: Search{Limit: patch.Set[int64](0)}})
	kit.WantFault(t, err, fault.InvalidValue, "invalid-value /limit")
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
	kit.NoError(t, err)
	q.plan = plan
	for n, fails := range map[int]bool{MostFound: false, MostFound + 1: true} {
		found, err := search.Objects(t.Context(), q.objects(metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{Priorities: slices.Clone(content.Priorities[:n])})))
		kit.NoError(t, err)
		if _, err = q.more(len(found)); fault.Is(err, fault.TooManyResults) != fails {
			t.Errorf("of %d: %v", n, err)
		}
	}
}

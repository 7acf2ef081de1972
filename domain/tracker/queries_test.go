package tracker

import (
	"crypto/rand"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// save saves a query of the administrator.
func (s service) save(t *testing.T, predicate, sort string) query.Saved {
	t.Helper()
	cmd := SaveQuery{Name: patch.Set("Mine"), Predicate: patch.Set(predicate)}
	if sort != "" {
		cmd.Sort = patch.Set(sort)
	}
	a, err := s.SaveQuery(t.Context(), s.admin, cmd)
	kit.NoError(t, err)
	return a.Value
}

func TestDecideSave(t *testing.T) {
	t.Parallel()
	text := patch.Set[string]
	for _, c := range []struct {
		rule  string
		cmd   SaveQuery
		saved int      // before, of 5
		want  []string // the faults: kind, pointer, and what the detail has
	}{
		{"both are needed", SaveQuery{}, 0, []string{"required-field /name", "required-field /predicate"}},
		{"neither is null", SaveQuery{Name: patch.Null[string](), Predicate: patch.Null[string]()}, 0, []string{"invalid-value /name", "invalid-value /predicate"}},
		{"a name is a name", SaveQuery{Name: text(" "), Predicate: text("TRUEPREDICATE")}, 0, []string{"invalid-value /name"}},
		{"a predicate that does not compile, and where", SaveQuery{Name: text("a"), Predicate: text("title = 'a' AND\n  colour = 'red'")}, 0, []string{"invalid-value /predicate line 2, column 3"}},
		{"a sort that does not", SaveQuery{Name: text("a"), Predicate: text("TRUEPREDICATE"), Sort: text("title, -colour")}, 0, []string{"invalid-value /sort line 1, column 9"}},
		{"both at once", SaveQuery{Name: text("a"), Predicate: text("("), Sort: text("-")}, 0, []string{"invalid-value /predicate line 1, column 2", "invalid-value /sort"}},
		{"what is missing does not hide the rest", SaveQuery{Predicate: text("("), Sort: text("-")}, 0, []string{"required-field /name", "invalid-value /predicate line 1, column 2", "invalid-value /sort"}},
		{"nor does null", SaveQuery{Name: text("a"), Predicate: patch.Null[string](), Sort: text("colour")}, 0, []string{"invalid-value /predicate", "invalid-value /sort line 1, column 1"}},
		{"nor what could not be read", SaveQuery{Write: Write{Faults: fault.List{{Kind: fault.InvalidType, At: fault.At("predicate")}}}, Name: text("a"), Sort: text("colour")}, 0,
			[]string{"invalid-type /predicate", "invalid-value /sort line 1, column 1"}},
		{"no more than the limit, whatever else is wrong", SaveQuery{Name: text("a"), Predicate: text("(")}, 5, []string{"invalid-value /predicate", "invalid-value  5"}},
		{"no control characters", SaveQuery{Name: text("a"), Predicate: text("title = '\x01'")}, 0, []string{"invalid-value /predicate"}},
		{"no more than can be compiled", SaveQuery{Name: text("a"), Predicate: text("title = '" + strings.Repeat("a", predicate.MaxBytes) + "'")}, 0, []string{"invalid-value /predicate line 1, column 16385"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, _, err := decideSave(by(kit.Ann), c.cmd, saving{catalogue: kit.Catalogue, saved: c.saved}, 5, kit.At(kit.Now))
			kit.Nothing(t, change)
			items := kit.FaultOf(t, err).Items
			if len(items) != len(c.want) {
				t.Fatalf("%d faults: %v", len(items), err)
			}
			for i, item := range items {
				kind, rest, _ := strings.Cut(c.want[i], " ")
				place, detail, _ := strings.Cut(rest, " ")
				if string(item.Kind) != kind || kit.Pointer(item.At) != place || !strings.Contains(item.Detail, detail) {
					t.Errorf("fault %+v, want %s", item, c.want[i])
				}
			}
		})
	}
	// The name is in NFC, and the predicate stays as it was sent (D9).
	change, a, err := decideSave(by(kit.Ann), SaveQuery{Name: text(" u\u0308 "), Predicate: text("title = 'u\u0308'\n")}, saving{catalogue: kit.Catalogue, saved: 4}, 5, kit.At(kit.Now))
	kit.NoError(t, err)
	want := query.Saved{ID: a.Value.ID, Owner: kit.Ann, Name: "ü", Predicate: "title = 'u\u0308'\n", Created: kit.Now}
	kit.Equal(t, "saved", a.Value, want)
	kit.Equal(t, "effects", change.Effects, []store.Effect{store.PutQuery{Query: want}})
}

// A predicate that a search takes can be saved, and the limits of the language are the
// same. NFC of the whole text joins a mark with an escape, and can make a text longer.
func TestSavesWhatIsSearched(t *testing.T) {
	t.Parallel()
	const exclusion = "\u0958" // two code points, and six bytes, in NFC
	for _, text := range []string{
		"title = '\\n\u0303'",
		"title = '\\u00ea\u0301'",
		"title MATCHES '" + strings.Repeat(exclusion, predicate.MaxPatternLength) + "'",
		"title = '" + strings.Repeat(exclusion, predicate.MaxBytes/4) + "'",
	} {
		_, err := check.Compile(text, predicate.Problem, predicate.Env{Now: kit.Now, User: kit.Ann})
		kit.NoError(t, err)
		_, a, err := decideSave(by(kit.Ann), SaveQuery{Name: patch.Set("a"), Predicate: patch.Set(text)}, saving{catalogue: kit.Catalogue}, 5, kit.At(kit.Now))
		kit.NoError(t, err)
		kit.Equal(t, "saved", a.Value.Predicate, text)
	}
}

// A query that stays as it is costs no write, and of several at once, on two servers, no more
// are shared than the limit says (D57).
func TestSharedQueries(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bob, eve := Caller{User: kit.ID(90), Scope: access.Write}, Caller{User: kit.ID(91), Scope: access.Write}
	saved, err := s.SaveQuery(t.Context(), bob, SaveQuery{Name: patch.Set("Team"), Predicate: patch.Set("TRUEPREDICATE"), Sort: patch.Set("title"), Columns: patch.Set("due, state")})
	kit.NoError(t, err)
	commits := len(s.memory.Commits)
	_, err = s.UpdateQuery(t.Context(), bob, saved.Value.ID, SaveQuery{Name: patch.Set("Team")})
	kit.NoError(t, err)
	kit.Equal(t, "commits of no change", len(s.memory.Commits)-commits, 0)

	for i := range query.MostShared - 1 {
		_, err := s.SaveQuery(t.Context(), by(kit.ID(byte(i%9))), SaveQuery{Name: patch.Set("a"), Predicate: patch.Set("TRUEPREDICATE"), Shared: patch.Set(true)})
		kit.NoError(t, err)
	}
	var group sync.WaitGroup
	var refused atomic.Int64
	for i := range 4 {
		server := New(Options{Store: s.memory, Now: s.clock.Now, Random: rand.Reader})
		private, err := s.SaveQuery(t.Context(), bob, SaveQuery{Name: patch.Set("b"), Predicate: patch.Set("TRUEPREDICATE")})
		kit.NoError(t, err)
		group.Go(func() {
			shared := SaveQuery{Name: patch.Set("b"), Predicate: patch.Set("TRUEPREDICATE"), Shared: patch.Set(true)}
			if i%2 == 0 {
				_, err = server.SaveQuery(t.Context(), eve, shared)
			} else {
				_, err = server.UpdateQuery(t.Context(), bob, private.Value.ID, shared)
			}
			if fault.Is(err, fault.InvalidValue) {
				refused.Add(1)
			}
		})
	}
	group.Wait()
	kit.Equal(t, "refused of 4", int(refused.Load()), 3)
}

// A user can save so many queries as the limit says, whatever others have saved, and a
// deleted one makes room (D22).
func TestSaveQueryLimit(t *testing.T) {
	t.Parallel()
	s := newService(t)
	server := New(Options{Store: s.memory, Now: s.clock.Now, Random: rand.Reader, Limits: Limits{Queries: 2}})
	save := func(caller Caller) error {
		_, err := server.SaveQuery(t.Context(), caller, SaveQuery{Name: patch.Set("a"), Predicate: patch.Set("TRUEPREDICATE")})
		return err
	}
	first := s.save(t, "TRUEPREDICATE", "")
	var group sync.WaitGroup
	var refused atomic.Int32
	for range 4 {
		group.Go(func() {
			if err := save(s.admin); fault.Is(err, fault.InvalidValue) {
				refused.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	kit.Equal(t, "how many of four at once are refused", int(refused.Load()), 3)
	kit.NoError(t, save(by(kit.ID(99))))
	_, err := server.DeleteQuery(t.Context(), s.admin, first.ID, Write{})
	kit.NoError(t, err)
	kit.NoError(t, save(s.admin))
	kit.WantFault(t, save(s.admin), fault.InvalidValue, "invalid-value ")
}

// A saved query is run as whoever runs it, in its order unless another is wanted.
func TestSearchBySavedQuery(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, title := range []string{"b", "a", "c"} {
		s.create(t, title)
	}
	saved := s.save(t, "originator.identifier = $ApiUser", "-title")
	run := func(caller Caller, search Search) []problem.ID {
		t.Helper()
		search.Saved = patch.Set(saved.ID)
		found, err := s.As(caller).Search(t.Context(), SearchProblems{Search: search})
		kit.NoError(t, err)
		return numbers(t, found)
	}
	kit.Equal(t, "in its order", run(s.admin, Search{}), []problem.ID{3, 1, 2})
	kit.Equal(t, "in another", run(s.admin, Search{Sort: patch.Set("title")}), []problem.ID{2, 1, 3})
	kit.Equal(t, "null is not sent", run(s.admin, Search{Sort: patch.Null[string]()}), []problem.ID{3, 1, 2})
	kit.Equal(t, "by number", run(s.admin, Search{Sort: patch.Set("")}), []problem.ID{1, 2, 3})
	kit.Equal(t, "as somebody else", run(by(kit.ID(99)), Search{}), []problem.ID(nil))

	found, err := s.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Saved: patch.Set(saved.ID), Limit: patch.Set[int64](2)}})
	kit.NoError(t, err)
	kit.Equal(t, "the next page", run(s.admin, Search{Limit: patch.Set[int64](2), After: found.Next}), []problem.ID{2})

	_, err = s.As(s.admin).Search(t.Context(), SearchProblems{Search: Search{Saved: patch.Set(kit.ID(99))}})
	kit.WantFault(t, err, fault.NotFound)
}

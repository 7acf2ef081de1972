package tracker

import (
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// W4, D4, D8, D10: setting a keyword, on a problem with build = "1A2" and
// regression = null.
func TestSetKeyword(t *testing.T) {
	t.Parallel()
	none := problem.NullText{}
	for _, c := range []struct {
		rule     string
		name     string
		value    problem.NullText
		want     problem.Keyword
		from, to string // empty: nothing changes
		isNew    bool
	}{
		{"a new one", "os", problem.Text("15"), problem.Keyword{Name: "os", Value: problem.Text("15")}, `null`, `"15"`, true},
		{"a new one without value", "os", none, problem.Keyword{Name: "os"}, `null`, `{"value":null}`, true},
		{"a new one with an empty value", "os", problem.Text(""), problem.Keyword{Name: "os", Value: problem.Text("")}, `null`, `""`, true},
		{"another value", "build", problem.Text("1A3"), problem.Keyword{Name: "build", Value: problem.Text("1A3")}, `"1A2"`, `"1A3"`, false},
		{"the value goes", "build", none, problem.Keyword{Name: "build"}, `"1A2"`, `{"value":null}`, false},
		{"a value comes", "regression", problem.Text("yes"), problem.Keyword{Name: "regression", Value: problem.Text("yes")}, `{"value":null}`, `"yes"`, false},
		{"an empty value is not null", "regression", problem.Text(""), problem.Keyword{Name: "regression", Value: problem.Text("")}, `{"value":null}`, `""`, false},
		{"the same value", "build", problem.Text("1A2"), problem.Keyword{Name: "build", Value: problem.Text("1A2")}, "", "", false},
		{"null again", "regression", none, problem.Keyword{Name: "regression"}, "", "", false},
		{"D9: names are trimmed, values are not", " build\u2003", problem.Text(" 1A2"), problem.Keyword{Name: "build", Value: problem.Text(" 1A2")}, `"1A2"`, `" 1A2"`, false},
		{"D9: NFC", "e\u0301", problem.Text("e\u0301"), problem.Keyword{Name: "é", Value: problem.Text("é")}, `null`, `"é"`, true},
		{"names differ by case", "Build", none, problem.Keyword{Name: "Build"}, `null`, `{"value":null}`, true},
		{"D13: a name with a slash", "a/b", none, problem.Keyword{Name: "a/b"}, `null`, `{"value":null}`, true},
		{"D4: three dots", "...", none, problem.Keyword{Name: "..."}, `null`, `{"value":null}`, true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			old := newLoaded(assigned(kit.Ann), readByAssignee)
			change, a, err := decideSetKeyword(by(kit.Bob), SetKeyword{Name: c.name, Value: c.value}, old, 1000, kit.At(kit.Now))
			kit.NoError(t, err)
			if c.to == "" {
				kit.Nothing(t, change)
				kit.Equal(t, "answer", a, Answer[problem.Keyword]{Value: c.want, Catalogue: old.catalogue, Revision: 3})
				return
			}
			kit.Equal(t, "answer", a, Answer[problem.Keyword]{Value: c.want, Catalogue: old.catalogue, Revision: 4, New: c.isNew})
			want := old.Problem
			want.Modifier, want.Modified, want.Revision = kit.Bob, kit.Now, 4
			size := c.want.Size() + kit.LogSize(change, 7)
			if before := findKeyword(old.Keywords, c.want.Name); before != nil {
				size -= before.Size()
			}
			kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy})
			kit.Equal(t, "effects", change.Effects, []store.Effect{
				store.ForgetReads{Problem: 7, But: kit.Bob},
				store.MarkRead{Problem: 7, User: kit.Bob, Read: true},
				store.PutKeyword{Problem: 7, Keyword: c.want},
				store.UpdateProblem{Problem: want, Size: size},
			})
			kit.Logged(t, change, "7@4 KeywordSet "+c.want.Name+": "+c.from+" → "+c.to)
		})
	}
}

func TestSetKeywordRefuses(t *testing.T) {
	t.Parallel()
	stale := Write{IfMatch: &Match{Revisions: []int64{1}}}
	for _, c := range []struct {
		rule  string
		cmd   SetKeyword
		limit int
		kind  fault.Kind
		items []string
	}{
		{"D4: no name", SetKeyword{Name: ""}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D4: a dot", SetKeyword{Name: "."}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D4: two dots", SetKeyword{Name: ".. "}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D4: 256 characters", SetKeyword{Name: strings.Repeat("é", 256)}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D9: a line feed in the name", SetKeyword{Name: "a\nb"}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D4: a value beyond 64 KiB", SetKeyword{Name: "a", Value: problem.Text(strings.Repeat("a", 64<<10+1))}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D9: U+0000 in the value", SetKeyword{Name: "a", Value: problem.Text("\x00")}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D11: both", SetKeyword{Name: "..", Value: problem.Text("\x00")}, 9, fault.InvalidValue, []string{"invalid-value ", "invalid-value "}},
		{"D22: one keyword too many", SetKeyword{Name: "os"}, 2, fault.InvalidValue, []string{"invalid-value "}},
		{"D20: another revision", SetKeyword{Write: stale, Name: ".."}, 9, fault.StaleRevision, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideSetKeyword(by(kit.Bob), c.cmd, newLoaded(), c.limit, kit.At(kit.Now))
			kit.WantFault(t, err, c.kind, c.items...)
			kit.Nothing(t, change)
			kit.Equal(t, "answer", a, Answer[problem.Keyword]{})
		})
	}
}

// D22: a full problem can still have its keywords changed.
func TestSetKeywordAtLimit(t *testing.T) {
	t.Parallel()
	change, _, err := decideSetKeyword(by(kit.Bob), SetKeyword{Name: "build"}, newLoaded(), 2, kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "effects", kit.EffectsOf[store.PutKeyword](change), []store.PutKeyword{{Problem: 7, Keyword: problem.Keyword{Name: "build"}}})
}

// sent is a keyword as a new problem is sent with it.
func sent(name, value string) NewKeyword {
	return NewKeyword{Name: patch.Set(name), Value: patch.Set(value)}
}

// D4, D8, D11: a problem is created with keywords, in one batch with one entry each,
// as if each were set in its turn.
func TestCreateWithKeywords(t *testing.T) {
	t.Parallel()
	cmd := CreateProblem{ProblemPatch: titled("T"), Keywords: []NewKeyword{
		sent(" os\u2003", " 15"), // names are trimmed, values are not
		{Name: patch.Set("build")},
		{Name: patch.Set("a/b"), Value: patch.Null[string]()},
		sent("e\u0301", "e\u0301"), // NFC
		sent("Build", ""),
	}}
	c := newCreation()
	c.maxKeywords = 5
	change, a, err := decideCreate(by(kit.Bob), cmd, c, kit.At(kit.Now))
	kit.NoError(t, err)
	want := []problem.Keyword{
		{Name: "Build", Value: problem.Text("")}, {Name: "a/b"}, {Name: "build"}, {Name: "os", Value: problem.Text(" 15")}, {Name: "é", Value: problem.Text("é")},
	}
	kit.Equal(t, "keywords", a.Value.Keywords, want)
	kit.Equal(t, "revision", a.Value.Revision, int64(1))
	kit.Equal(t, "log of the answer", a.Value.Log, change.Log)
	var puts []store.PutKeyword
	for _, k := range want {
		puts = append(puts, store.PutKeyword{Problem: 12, Keyword: k})
	}
	kit.Equal(t, "effects", kit.EffectsOf[store.PutKeyword](change), puts)
	if _, first := change.Effects[0].(store.CreateProblem); !first {
		t.Errorf("the problem is not there when it gets its keywords: %+v", change.Effects)
	}
	kit.Logged(t, change, `12@1 ProblemCreated : null → {"title":"T","state":`+kit.Ref(kit.Open, "Open")+`}`,
		`12@1 KeywordSet Build: null → ""`, `12@1 KeywordSet a/b: null → {"value":null}`, `12@1 KeywordSet build: null → {"value":null}`,
		`12@1 KeywordSet os: null → " 15"`, `12@1 KeywordSet é: null → "é"`)
}

// D11, D18: all that is wrong with the keywords is told, together with the rest.
func TestCreateWithKeywordsRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 64<<10+1)
	for _, c := range []struct {
		rule     string
		keywords []NewKeyword
		faults   fault.List // of the adapter
		items    []string
	}{
		{"a name is required", []NewKeyword{{Value: patch.Set("x")}}, nil, []string{"required-field /keywords/0/name"}},
		{"a name is never null", []NewKeyword{{Name: patch.Null[string]()}}, nil, []string{"invalid-value /keywords/0/name"}},
		{"D4: names and values", []NewKeyword{sent("a", "b"), sent(" ", "b"), sent("..", long), sent(strings.Repeat("é", 256), "\x00")}, nil,
			[]string{"invalid-value /keywords/1/name", "invalid-value /keywords/2/name", "invalid-value /keywords/2/value", "invalid-value /keywords/3/name", "invalid-value /keywords/3/value"}},
		{"one of each name, once trimmed and in NFC", []NewKeyword{sent("é", "1"), sent("b", "1"), sent(" e\u0301", "2"), sent("b", "1")}, nil,
			[]string{"invalid-value /keywords/2/name", "invalid-value /keywords/3/name"}},
		{"two names that are none are not the same", []NewKeyword{sent("", "1"), sent("", "1")}, nil,
			[]string{"invalid-value /keywords/0/name", "invalid-value /keywords/1/name"}},
		{"D22: too many", []NewKeyword{sent("a", ""), sent("b", ""), sent("c", ""), sent("d", ""), sent("e", "")}, nil, []string{"invalid-value /keywords"}},
		{"what the adapter said is not said again", []NewKeyword{{}, {Value: patch.Set("\x00")}, sent("..", "")},
			fault.List{{Kind: fault.InvalidType, At: fault.At("keywords").Element(0), Detail: "x"}, {Kind: fault.InvalidType, At: fault.At("keywords").Element(1).Member("name"), Detail: "x"}},
			[]string{"invalid-type /keywords/0", "invalid-type /keywords/1/name", "invalid-value /keywords/1/value", "invalid-value /keywords/2/name"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			creation := newCreation()
			creation.maxKeywords = 4
			cmd := CreateProblem{Write: Write{Faults: c.faults}, Keywords: c.keywords, ProblemPatch: ProblemPatch{Priority: kit.Named("None such")}}
			change, _, err := decideCreate(by(kit.Bob), cmd, creation, kit.At(kit.Now))
			kit.WantFault(t, err, fault.ValidationFailed, append(c.items, "required-field /title", "metadata-not-found /priority")...)
			kit.Nothing(t, change)
		})
	}
}

// D11: a problem has the same keywords, whether it is created with them or they are
// set one after another.
func TestCreateWithKeywordsIsSettingThem(t *testing.T) {
	t.Parallel()
	rng := kit.Rand(t)
	for range 200 {
		s := newStocked()
		cmd := CreateProblem{ProblemPatch: titled("T")}
		for _, i := range rng.Perm(8)[:rng.IntN(8)] {
			k := NewKeyword{Name: patch.Set([]string{"a", "B", "é", "a/b", "...", "b ", " c", "e"}[i])}
			k.Value = pick(rng, patch.Field[string]{}, patch.Null[string](), patch.Set(""), patch.Set(" v"), patch.Set("e\u0301"))
			cmd.Keywords = append(cmd.Keywords, k)
		}
		a, err := s.CreateProblem(t.Context(), s.admin, cmd)
		kit.NoError(t, err)
		other := s.create(t, "T")
		for _, k := range cmd.Keywords {
			_, err := s.SetKeyword(t.Context(), s.admin, other, SetKeyword{Name: k.Name.Value, Value: problem.NullText{String: k.Value.Value, Valid: k.Value.Sent && !k.Value.Null}})
			kit.NoError(t, err)
		}
		made, set := s.load(t, a.Value.ID), s.load(t, other)
		kit.Equal(t, "keywords", made.Keywords, set.Keywords)
		kit.Equal(t, "keywords of the answer", a.Value.Keywords, made.Keywords)
		kit.Equal(t, "revision", made.Revision, int64(1))
		kit.Equal(t, "entries", len(made.Log), len(set.Log))
		for _, e := range made.Log[1:] {
			i := slices.IndexFunc(set.Log, func(o problem.LogEntry) bool { return o.Field == e.Field && o.Type == e.Type })
			kit.Equal(t, "from", e.From, set.Log[i].From)
			kit.Equal(t, "to", e.To, set.Log[i].To)
		}
		then, err := s.As(s.admin).ProblemAsOf(t.Context(), a.Value.ID, snapshot.Keywords, AsOf{Revision: 1})
		kit.NoError(t, err)
		kit.Equal(t, "keywords as of revision 1", then.Value.Keywords, made.Keywords)
	}
}

// W5, D8: the log tells a keyword without value from none.
func TestDeleteKeyword(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, name, stored, from string }{
		{"with a value", "build", "build", `"1A2"`},
		{"without value", "regression", "regression", `{"value":null}`},
		{"D9: by a name that is not trimmed", " build ", "build", `"1A2"`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			old := newLoaded()
			change, a, err := decideDeleteKeyword(by(kit.Bob), DeleteKeyword{Name: c.name}, old, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Equal(t, "answer", a, Answer[struct{}]{Catalogue: old.catalogue, Revision: 4})
			want := old.Problem
			want.Modifier, want.Modified, want.Revision = kit.Bob, kit.Now, 4
			before := findKeyword(old.Keywords, c.stored)
			kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy})
			kit.Equal(t, "effects", change.Effects, []store.Effect{
				store.ForgetReads{Problem: 7, But: kit.Bob},
				store.MarkRead{Problem: 7, User: kit.Bob, Read: true},
				store.DropKeyword{Problem: 7, Name: c.stored},
				store.UpdateProblem{Problem: want, Size: kit.LogSize(change, 7) - before.Size()},
			})
			kit.Logged(t, change, "7@4 KeywordDeleted "+c.stored+": "+c.from+" → null")
		})
	}
}

func TestDeleteKeywordRefuses(t *testing.T) {
	t.Parallel()
	stale := Write{IfMatch: &Match{Revisions: []int64{1}}}
	for _, c := range []struct {
		rule string
		cmd  DeleteKeyword
		kind fault.Kind
	}{
		{"D10: nothing to delete", DeleteKeyword{Name: "os"}, fault.KeywordNotFound},
		{"case counts", DeleteKeyword{Name: "BUILD"}, fault.KeywordNotFound},
		{"D18: 422 before keyword 404", DeleteKeyword{Name: ".."}, fault.InvalidValue},
		{"D18: 412 before keyword 404", DeleteKeyword{Write: stale, Name: "os"}, fault.StaleRevision},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, _, err := decideDeleteKeyword(by(kit.Bob), c.cmd, newLoaded(), kit.At(kit.Now))
			kit.WantFault(t, err, c.kind)
			kit.Nothing(t, change)
		})
	}
}

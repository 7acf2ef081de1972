package sqlstore_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// words are those of a database that counts positions in the given way.
func words(nextPosition string) sqlstore.Syntax {
	return sqlstore.Syntax{
		Syntax: sqlsearch.Syntax{ID: sqlstore.IDText, InList: "IN (?)"},
		Bun:    sqlitedialect.New(), IDInto: sqlstore.IDTextInto,
		List: func(ids []problem.ID) any { return len(ids) }, NextPosition: nextPosition,
		SetIfChanged: []string{"state", "created"},
	}
}

// Every argument has its mark, in each of the two ways of counting positions.
func TestMarksAndArguments(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 9, 30, 0, 0, time.UTC)
	id := ident.ID{15: 1}
	p := problem.Problem{ID: 1, Fields: problem.Fields{Title: "A", State: id}, Created: at, Modified: at, Revision: 1}
	change := store.Change{
		Batch: id, At: at,
		Expect: []store.Expectation{store.KeyUnused{User: id, Key: "key", Since: at}},
		Effects: []store.Effect{
			store.CreateProblem{Problem: p}, store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: p},
			store.AddComment{Problem: 1}, store.PutKeyword{Problem: 1}, store.DropKeyword{Problem: 1},
			store.Watch{Problem: 1, User: id}, store.Unwatch{Problem: 1, User: id},
			store.MarkRead{Problem: 1, User: id, Read: true}, store.MarkRead{Problem: 1, User: id}, store.ForgetReads{Problem: 1, But: id},
			store.PutState{}, store.PutPriority{}, store.PutClassification{}, store.PutComponent{}, store.PutMilestone{}, store.PutUser{}, store.PutToken{},
			store.AppendAudit{}, store.PutQuery{}, store.DropQuery{}, store.PutSession{}, store.DropSession{},
			store.PutWebhook{}, store.DropWebhook{}, store.PutProgress{}, store.PutLease{},
			store.KeepReply{Reply: store.Reply{User: id, Key: "key", Created: at}}, store.KeepReply{Reply: store.Reply{User: id, Key: "other", Created: at}},
			store.Expire{Before: at},
		},
		Log: []problem.LogEntry{{ID: id, Problem: 1, Batch: id, Created: at}},
	}
	for next, taken := range map[string]int64{"": 8, "nextval('positions')": 0} {
		count := int64(0)
		statements, err := sqlstore.New(words(next)).Effects(change, func() int64 { count++; return count })
		if err != nil {
			t.Fatal(err)
		}
		if count != taken {
			t.Errorf("with %q, %d positions were asked for, want %d", next, count, taken)
		}
		for _, s := range statements {
			if marks := strings.Count(s.SQL, "?"); marks != len(s.Args) {
				t.Errorf("%s\nhas %d marks and %d arguments", s.SQL, marks, len(s.Args))
			}
		}
	}
}

// Whatever the columns that stand apart, an update sets each column once, to the value
// with which the problem would be created.
func TestUpdateSetsEachColumnOnce(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 9, 30, 0, 0, time.UTC)
	p := problem.Problem{ID: 7, Fields: problem.Fields{Title: "A", State: ident.ID{15: 1}, Assignee: ident.ID{15: 2}}, Created: at, Modified: at.Add(1), Revision: 2}
	batch := ident.ID{15: 3}
	created, err := sqlstore.New(words("")).Effects(store.Change{Batch: batch, Effects: []store.Effect{store.CreateProblem{Problem: p}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	columns := func(s sqlstore.Statement, after, before string) []string {
		_, list, _ := strings.Cut(s.SQL, after)
		list, _, _ = strings.Cut(list, before)
		return strings.Split(list, ", ")
	}
	want := make(map[string]any)
	for i, column := range columns(created[0], "INSERT INTO problems (", ")") {
		want[column] = created[0].Args[i]
	}
	delete(want, "id")
	for _, apart := range [][]string{nil, {"state"}, {"title", "assignee", "title_cd"}} {
		w := words("")
		w.SetIfChanged = apart
		statements, err := sqlstore.New(w).Effects(store.Change{Batch: batch, Effects: []store.Effect{store.UpdateProblem{Problem: p}}}, nil)
		if err != nil || len(statements) != 1+len(apart) {
			t.Fatalf("with %v apart, there are %d statements, and %v", apart, len(statements), err)
		}
		got := make(map[string]any)
		for i, s := range statements {
			set := columns(s, "UPDATE problems SET (", ")")
			if i > 0 {
				set = columns(s, "UPDATE problems SET ", " = ?")
				if s.Conflict != "" || len(s.Args) != 3 || s.Args[0] != s.Args[2] || !slices.Contains(apart, set[0]) {
					t.Errorf("%s\nof %v, demands %q: want one of %v to be set if it changes", s.SQL, s.Args, s.Conflict, apart)
				}
			}
			for place, column := range set {
				if _, again := got[column]; again {
					t.Errorf("with %v apart, %s is set twice", apart, column)
				}
				got[column] = s.Args[place]
			}
			if id := s.Args[len(set)]; id != int64(7) {
				t.Errorf("%s\nconcerns the problem %v", s.SQL, id)
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("with %v apart, it sets\n%v\nwant\n%v", apart, got, want)
		}
	}
}

// A reply is guarded if the Change expects its key, and no other, to be unused.
func TestKeepReplyIsGuarded(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 9, 30, 0, 0, time.UTC)
	ann, bo := ident.ID{15: 1}, ident.ID{15: 2}
	keep := []store.Effect{store.KeepReply{Reply: store.Reply{User: ann, Key: "key", Created: at}}}
	for name, c := range map[string]struct {
		expect  []store.Expectation
		guarded bool
	}{
		"nothing expected":    {nil, false},
		"the key":             {[]store.Expectation{store.KeyUnused{User: ann, Key: "key", Since: at}}, true},
		"another key":         {[]store.Expectation{store.KeyUnused{User: ann, Key: "other", Since: at}}, false},
		"that key of another": {[]store.Expectation{store.KeyUnused{User: bo, Key: "key", Since: at}}, false},
	} {
		statements, err := sqlstore.New(words("")).Effects(store.Change{At: at, Expect: c.expect, Effects: keep}, nil)
		if err != nil || len(statements) != 1 {
			t.Fatal(statements, err)
		}
		if guarded := statements[0].Conflict != ""; guarded != c.guarded {
			t.Errorf("%s: guarded %t, want %t", name, guarded, c.guarded)
		}
	}
}

func TestUnknownEffectIsRefused(t *testing.T) {
	t.Parallel()
	_, err := sqlstore.New(words("")).Effects(store.Change{Effects: []store.Effect{nil}}, nil)
	if !fault.Is(err, fault.Unsupported) {
		t.Errorf("got %v, want the kind %q", err, fault.Unsupported)
	}
	if _, known := sqlstore.New(words("")).Expectation(store.CatalogueAt{}); known {
		t.Error("an expectation about versions is known here")
	}
}

// Tables that are copied into have as many columns as their rows have values.
func TestDossierRows(t *testing.T) {
	t.Parallel()
	d := store.Dossier{
		Keywords: make([]problem.Keyword, 1), Log: make([]problem.LogEntry, 1), Comments: make([]problem.Comment, 1),
		Watchers: make([]ident.ID, 1), Readers: make([]ident.ID, 1), Savepoints: make([]snapshot.Savepoint, 1),
	}
	var tables []string
	for _, row := range sqlstore.New(words("")).DossierRows(d, ident.ID{15: 1}) {
		tables = append(tables, row.Table.Name)
		if len(row.Values) != len(row.Table.Columns) {
			t.Errorf("%s has the columns %v, and a row of %d values", row.Table.Name, row.Table.Columns, len(row.Values))
		}
	}
	if want := []string{"problems", "savepoints", "log", "comments", "keywords", "watchers", "reads"}; !slices.Equal(tables, want) {
		t.Errorf("the rows are of %v, want %v", tables, want)
	}
}

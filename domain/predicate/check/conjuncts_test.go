package check

import (
	"reflect"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

func TestConjuncts(t *testing.T) {
	t.Parallel()
	all := func(cs ...Conjunct) []Conjunct { return cs }
	is := func(text, path string, values ...predicate.Value) Conjunct {
		return Conjunct{Text: text, Path: path, Values: values}
	}
	other := func(text string) Conjunct { return Conjunct{Text: text} }
	for text, want := range map[string][]Conjunct{
		"TRUEPREDICATE":            nil,
		"state.name = 'Open'":      all(is("state.name = 'Open'", "state.name", "Open")),
		" read==NO\tand due = nil": all(is("read==NO", "read", false), is("due = nil", "due", nil)),
		"assignee.identifier = $ApiUser && watching = YES": all(
			Conjunct{Text: "assignee.identifier = $ApiUser", Path: "assignee.identifier", Caller: true}, is("watching = YES", "watching", true)),
		"priority.name IN {'High', 'Low'}": all(is("priority.name IN {'High', 'Low'}", "priority.name", "High", "Low")),
		"ANY keywords.name = 'a AND b'":    all(Conjunct{Text: "ANY keywords.name = 'a AND b'", Path: "keywords.name", Any: true, Values: []predicate.Value{"a AND b"}}),
		// Other forms are as they are written.
		"title = 'a' OR title = 'b'":                  all(Conjunct{Text: "title = 'a' OR title = 'b'", Loose: true}),
		"title = 'a' AND title = 'b' || read = NO":    all(Conjunct{Text: "title = 'a' AND title = 'b' || read = NO", Loose: true}),
		"(title = 'a' OR title = 'b') AND read = YES": all(other("(title = 'a' OR title = 'b')"), is("read = YES", "read", true)),
		"(read = NO AND watching = NO)":               all(other("(read = NO AND watching = NO)")),
		"NOT read = NO AND title =[c] 'x'":            all(other("NOT read = NO"), other("title =[c] 'x'")),
		"SUBQUERY(history, $h, $h.type = 'a' AND 1 = 1).@count > 0 AND 'x' = title": all(
			other("SUBQUERY(history, $h, $h.type = 'a' AND 1 = 1).@count > 0"), other("'x' = title")),
		"keywords.@count = 0 AND title IN {'a', title}": all(other("keywords.@count = 0"), other("title IN {'a', title}")),
		"ALL keywords.name = 'x' AND NOT (read = NO)":   all(other("ALL keywords.name = 'x'"), other("NOT (read = NO)")),
		// A reserved word is a key after a point, and after "#".
		"assignee.or = 'x' AND #and = 'y'": all(is("assignee.or = 'x'", "assignee.or", "x"), is("#and = 'y'", "and", "y")),
	} {
		got, err := Conjuncts(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n is %#v, %v\nwant %#v", text, got, err, want)
		}
	}
	if _, err := Conjuncts("state.name ="); err == nil {
		t.Error("a predicate that is none has conditions")
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ predicates, want string }{
		{"TRUEPREDICATE;TRUEPREDICATE", "TRUEPREDICATE"},
		{"TRUEPREDICATE;read = NO", "read = NO"},
		{"read = NO OR due = nil", "read = NO OR due = nil"},
		{"read = NO OR due = nil;watching = YES", "(read = NO OR due = nil) AND watching = YES"},
		{"(read = NO OR due = nil);a.b = 1 AND c = 2", "(read = NO OR due = nil) AND a.b = 1 AND c = 2"},
	} {
		var all []Conjunct
		for text := range strings.SplitSeq(test.predicates, ";") {
			conjuncts, err := Conjuncts(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, conjuncts...)
		}
		if got := Join(all...); got != test.want {
			t.Errorf("%q are %q; want %q", test.predicates, got, test.want)
		}
	}
}

// FuzzConjuncts: the conditions of a predicate, joined again, are conditions of the same text,
// and mean the same.
func FuzzConjuncts(f *testing.F) {
	for _, text := range predicatetest.Seeds() {
		f.Add(text)
		f.Add(text + " AND read = NO")
	}
	f.Fuzz(func(t *testing.T, text string) {
		conjuncts, err := Conjuncts(text)
		if err != nil {
			return
		}
		joined := Join(conjuncts...)
		if again, err := Conjuncts(joined); err == nil && len(conjuncts) > 1 && !reflect.DeepEqual(again, conjuncts) {
			t.Fatalf("%q has %#v, and joined %#v", text, conjuncts, again)
		}
		plan, err := Compile(text, predicate.Problem, checkEnv)
		if err != nil {
			return
		}
		if same, err := Compile(joined, predicate.Problem, checkEnv); len(joined) <= predicate.MaxBytes && (err != nil || !strings.Contains(strings.ToUpper(text), "TRUEPREDICATE") && !reflect.DeepEqual(same, plan)) {
			t.Fatalf("%q and %q are not the same: %v", text, joined, err)
		}
	})
}

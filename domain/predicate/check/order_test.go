package check

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// TestCompileOrder checks the sort of results (D31).
func TestCompileOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root predicate.Entity
		sort string
		want string
	}{
		{predicate.Problem, "", ""},
		{predicate.Problem, "identifier", "#0.identifier"},
		{predicate.Problem, "-identifier", "-#0.identifier"},
		{predicate.Problem, "state.name,-modificationDate", "#0.state.name -#0.modificationDate"},
		{predicate.Problem, " State.Order , - ID ", "#0.state.order -#0.identifier"},
		{predicate.Problem, "milestone.component.parent.name", "#0.milestone.component.parent.name"},
		{predicate.Problem, "watching,-read", "#0.watching -#0.read"},
		{predicate.Problem, "assignee.identifier", "#0.assignee.identifier"},
		{predicate.Problem, "#title", "#0.title"},
		{predicate.Problem, "title,-TITLE,id,identifier,title", "#0.title #0.identifier"},
		{predicate.Component, "parent.fullName,-closed", "#0.parent.fullName -#0.closed"},
		{predicate.User, "email", "#0.email"},
	} {
		orders, err := CompileOrder(c.sort, c.root)
		var got []string
		for _, o := range orders {
			s := predicatetest.ExprForm(o.Path)
			if o.Descending {
				s = "-" + s
			}
			if o.Path.Start != (predicate.Type{Kind: predicate.Object, Entity: c.root}) {
				t.Errorf("%s: the path starts at %s", c.sort, o.Path.Start)
			}
			got = append(got, s)
		}
		if joined := strings.Join(got, " "); err != nil || joined != c.want {
			t.Errorf("%s: %s, %v; want %s", c.sort, joined, err, c.want)
		}
	}
}

func TestCompileOrderErrors(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("parent.", 10)
	for _, c := range []struct {
		name string
		root predicate.Entity
		sort string
		kind predicate.ErrorKind
		col  int
	}{
		{"white space", predicate.Problem, " ", predicate.InvalidSyntax, 2},
		{"an empty key", predicate.Problem, "title,,id", predicate.InvalidSyntax, 7},
		{"a comma at the end", predicate.Problem, "title,", predicate.InvalidSyntax, 7},
		{"a comma at the start", predicate.Problem, ",title", predicate.InvalidSyntax, 1},
		{"a minus sign alone", predicate.Problem, "-", predicate.InvalidSyntax, 2},
		{"two minus signs", predicate.Problem, "--title", predicate.InvalidSyntax, 2},
		{"a plus sign", predicate.Problem, "+title", predicate.InvalidSyntax, 1},
		{"a word after the key", predicate.Problem, "title desc", predicate.InvalidSyntax, 7},
		{"a string", predicate.Problem, "'title'", predicate.InvalidSyntax, 1},
		{"a number", predicate.Problem, "title,1", predicate.InvalidSyntax, 7},
		{"a variable", predicate.Problem, "$ApiUser", predicate.InvalidSyntax, 1},
		{"SELF", predicate.Problem, "SELF.title", predicate.InvalidSyntax, 1},
		{"a reserved word", predicate.Problem, "size", predicate.InvalidSyntax, 1},
		{"a function", predicate.Problem, "length(title)", predicate.InvalidSyntax, 7},
		{"a sum", predicate.Problem, "id + 1", predicate.InvalidSyntax, 4},
		{"a letter beyond ASCII", predicate.Problem, "title,é", predicate.InvalidSyntax, 7},
		{"the first error in reading comes before unknown keys", predicate.Problem, "foo,1", predicate.InvalidSyntax, 5},
		{"an unknown key", predicate.Problem, "title,foo", predicate.UnknownKey, 7},
		{"an unknown key further on", predicate.Problem, "-state.foo", predicate.UnknownKey, 8},
		{"a key of another entity", predicate.State, "title", predicate.UnknownKey, 1},
		{"a key of a string", predicate.Problem, "title.name", predicate.UnknownKey, 7},
		{"a collection", predicate.Problem, "id,watchers", predicate.TypeMismatch, 4},
		{"through a collection", predicate.Problem, "relationships.child.title", predicate.TypeMismatch, 1},
		{"through a collection further on", predicate.Component, "parent.children.name", predicate.TypeMismatch, 8},
		{"an object", predicate.Problem, "state", predicate.TypeMismatch, 1},
		{"an object further on", predicate.Problem, "component.parent", predicate.TypeMismatch, 11},
		{"a count", predicate.Problem, "watchers.@count", predicate.TypeMismatch, 11},
		{"a size", predicate.Problem, "watchers[SIZE]", predicate.TypeMismatch, 10},
		{"too many keys in a path", predicate.Component, deep + "name", predicate.LimitExceeded, 71},
		{"too many keys", predicate.Problem, strings.Repeat("title,", 32) + "id", predicate.LimitExceeded, 193},
		{"too long", predicate.Problem, "title" + strings.Repeat(" ", predicate.MaxBytes), predicate.LimitExceeded, predicate.MaxBytes + 1},
	} {
		orders, err := CompileOrder(c.sort, c.root)
		if orders != nil {
			t.Errorf("%s: %+v", c.name, orders)
		}
		predicatetest.WantError(t, c.name, err, c.kind, 1, c.col)
	}
}

// TestCompileOrderJoins checks that a sort refers to no more objects than allowed to a
// predicate.
func TestCompileOrderJoins(t *testing.T) {
	t.Parallel()
	var keys []string
	path := ""
	for range 8 { // 1 + 8 objects each
		path += "successor."
		keys = append(keys, "component."+path+"name")
	}
	path = ""
	for range 8 {
		path += "parent."
		keys = append(keys, "component."+path+"name")
	}
	path = ""
	for range 7 { // with milestone and its component: 2 + 7
		path += "parent."
		keys = append(keys, "milestone.component."+path+"name")
	}
	path = ""
	for range 6 { // 6 more: 32 in all
		path += "successor."
		keys = append(keys, "milestone.component."+path+"name")
	}
	if orders, err := CompileOrder(strings.Join(keys, ","), predicate.Problem); err != nil || len(orders) != 29 {
		t.Errorf("%d keys, %v; want 29 of 32 objects", len(orders), err)
	}
	sort := strings.Join(keys, ",") + ","
	_, err := CompileOrder(sort+"state.name", predicate.Problem)
	predicatetest.WantError(t, "one object more", err, predicate.TooExpensive, 1, len(sort)+len("state.")+1)
}

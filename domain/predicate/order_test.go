package predicate

import (
	"strings"
	"testing"
)

// TestCompileOrder checks the sort of results (D31).
func TestCompileOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root Entity
		sort string
		want string
	}{
		{Problem, "", ""},
		{Problem, "identifier", "#0.identifier"},
		{Problem, "-identifier", "-#0.identifier"},
		{Problem, "state.name,-modificationDate", "#0.state.name -#0.modificationDate"},
		{Problem, " State.Order , - ID ", "#0.state.order -#0.identifier"},
		{Problem, "milestone.component.parent.name", "#0.milestone.component.parent.name"},
		{Problem, "watching,-read", "#0.watching -#0.read"},
		{Problem, "assignee.identifier", "#0.assignee.identifier"},
		{Problem, "#title", "#0.title"},
		{Problem, "title,-TITLE,id,identifier,title", "#0.title #0.identifier"},
		{Component, "parent.fullName,-closed", "#0.parent.fullName -#0.closed"},
		{User, "email", "#0.email"},
	} {
		orders, err := CompileOrder(c.sort, c.root)
		var got []string
		for _, o := range orders {
			s := exprForm(o.Path)
			if o.Descending {
				s = "-" + s
			}
			if o.Path.Start != one(c.root) {
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
		root Entity
		sort string
		kind ErrorKind
		col  int
	}{
		{"white space", Problem, " ", InvalidSyntax, 2},
		{"an empty key", Problem, "title,,id", InvalidSyntax, 7},
		{"a comma at the end", Problem, "title,", InvalidSyntax, 7},
		{"a comma at the start", Problem, ",title", InvalidSyntax, 1},
		{"a minus sign alone", Problem, "-", InvalidSyntax, 2},
		{"two minus signs", Problem, "--title", InvalidSyntax, 2},
		{"a plus sign", Problem, "+title", InvalidSyntax, 1},
		{"a word after the key", Problem, "title desc", InvalidSyntax, 7},
		{"a string", Problem, "'title'", InvalidSyntax, 1},
		{"a number", Problem, "title,1", InvalidSyntax, 7},
		{"a variable", Problem, "$ApiUser", InvalidSyntax, 1},
		{"SELF", Problem, "SELF.title", InvalidSyntax, 1},
		{"a reserved word", Problem, "size", InvalidSyntax, 1},
		{"a function", Problem, "length(title)", InvalidSyntax, 7},
		{"a sum", Problem, "id + 1", InvalidSyntax, 4},
		{"a letter beyond ASCII", Problem, "title,é", InvalidSyntax, 7},
		{"the first error in reading comes before unknown keys", Problem, "foo,1", InvalidSyntax, 5},
		{"an unknown key", Problem, "title,foo", UnknownKey, 7},
		{"an unknown key further on", Problem, "-state.foo", UnknownKey, 8},
		{"a key of another entity", State, "title", UnknownKey, 1},
		{"a key of a string", Problem, "title.name", UnknownKey, 7},
		{"a collection", Problem, "id,watchers", TypeMismatch, 4},
		{"through a collection", Problem, "relationships.child.title", TypeMismatch, 1},
		{"through a collection further on", Component, "parent.children.name", TypeMismatch, 8},
		{"an object", Problem, "state", TypeMismatch, 1},
		{"an object further on", Problem, "component.parent", TypeMismatch, 11},
		{"a count", Problem, "watchers.@count", TypeMismatch, 11},
		{"a size", Problem, "watchers[SIZE]", TypeMismatch, 10},
		{"too many keys in a path", Component, deep + "name", LimitExceeded, 71},
		{"too many keys", Problem, strings.Repeat("title,", 32) + "id", LimitExceeded, 193},
		{"too long", Problem, "title" + strings.Repeat(" ", MaxBytes), LimitExceeded, MaxBytes + 1},
	} {
		orders, err := CompileOrder(c.sort, c.root)
		if orders != nil {
			t.Errorf("%s: %+v", c.name, orders)
		}
		wantError(t, c.name, err, c.kind, 1, c.col)
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
	if orders, err := CompileOrder(strings.Join(keys, ","), Problem); err != nil || len(orders) != 29 {
		t.Errorf("%d keys, %v; want 29 of 32 objects", len(orders), err)
	}
	sort := strings.Join(keys, ",") + ","
	_, err := CompileOrder(sort+"state.name", Problem)
	wantError(t, "one object more", err, TooExpensive, 1, len(sort)+len("state.")+1)
}

package predicate

import (
	"errors"
	"strings"
	"testing"
)

// TestCheckErrors checks what is refused, and where: at the operand that cannot be
// what it is, or else at the operator that is not meant for its operands.
func TestCheckErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		root Entity
		text string
		kind ErrorKind
		line int
		col  int
	}{
		// Keys.
		{Problem, "ttle = 'a'", UnknownKey, 1, 1},
		{Problem, "#and = 'a'", UnknownKey, 1, 1},
		{Problem, "state.resolve = NO", UnknownKey, 1, 7},
		{Problem, "state\n.foo = NO", UnknownKey, 2, 2},
		{Problem, "title.length = 3", UnknownKey, 1, 7},
		{Problem, "$ApiUser.name = 'a'", UnknownKey, 1, 10},
		{Problem, "NOW().year = 3", UnknownKey, 1, 7},
		{Problem, "1.foo = 3", UnknownKey, 1, 3},
		{Problem, "{1}.foo = 3", UnknownKey, 1, 5},
		{Problem, "watchers.@count.foo = 3", UnknownKey, 1, 17},
		{Problem, "ANY keywords.name.foo = 3", UnknownKey, 1, 19},
		{Problem, "ANY history.id = 3", UnknownKey, 1, 13},
		{Problem, "ANY history.watching = YES", UnknownKey, 1, 13},
		{Problem, "ANY history.keywords.name = 'a'", UnknownKey, 1, 13},
		{Problem, "state.id = 3", UnknownKey, 1, 7},
		{Problem, "revision = 3", UnknownKey, 1, 1},
		{State, "title = 'a'", UnknownKey, 1, 1},
		{"Nothing", "identifier = 1", UnknownKey, 1, 1},
		{Problem, "SUBQUERY(watchers, $w, name = 'a').@count > 0", UnknownKey, 1, 24},
		// The first fault counts: left to right, operands before their operator.
		{Problem, "a = b", UnknownKey, 1, 1},
		{Problem, "title = b", UnknownKey, 1, 9},
		{Problem, "title = 1 AND foo = 2", TypeMismatch, 1, 7},
		{Problem, "title + foo = 1", UnknownKey, 1, 9},
		{Problem, "title + 1 = foo", TypeMismatch, 1, 7},
		{Problem, "TRUEPREDICATE OR foo = 1", UnknownKey, 1, 18},
		{Problem, "id IN {'a', foo}", UnknownKey, 1, 13},
		{Problem, "f(foo) = 1", UnknownFunction, 1, 1},
		{Problem, "abs(foo, 1) = 1", UnknownKey, 1, 5},
		// Variables.
		{Problem, "$x = 1", UnboundVariable, 1, 1},
		{Problem, "assignee.identifier = $apiuser", UnboundVariable, 1, 23},
		{Problem, "SUBQUERY(watchers, $w, $W.name = 'a').@count > 0", UnboundVariable, 1, 24},
		{Problem, "SUBQUERY($w, $w, $w.name = 'a').@count > 0", UnboundVariable, 1, 10},
		{Problem, "SUBQUERY(watchers, $w, $w.name = 'a').@count > 0 AND $w.name = 'a'", UnboundVariable, 1, 54},
		// Equality.
		{Problem, "title = 3", TypeMismatch, 1, 7},
		{Problem, "3 != title", TypeMismatch, 1, 3},
		{Problem, "id = 'a'", TypeMismatch, 1, 4},
		{Problem, "id = '1'", TypeMismatch, 1, 4},
		{Problem, "watching = 2", TypeMismatch, 1, 10},
		{Problem, "watching = 1.0", TypeMismatch, 1, 10},
		{Problem, "watching = -1", TypeMismatch, 1, 10},
		{Problem, "watching = 1 + 0", TypeMismatch, 1, 10},
		{Problem, "watching = 'YES'", TypeMismatch, 1, 10},
		{Problem, "id = YES", TypeMismatch, 1, 4},
		{Problem, "creationDate > '2024-05-01'", TypeMismatch, 1, 14},
		{Problem, "creationDate = 0", TypeMismatch, 1, 14},
		{Problem, "assignee = $ApiUser", TypeMismatch, 1, 10},
		{Problem, "assignee = '" + otherUUID + "'", TypeMismatch, 1, 10},
		{Problem, "assignee = state", TypeMismatch, 1, 10},
		{Problem, "assignee.identifier = 'abc'", TypeMismatch, 1, 23},
		{Problem, "assignee.identifier = '" + otherUUID[:35] + "'", TypeMismatch, 1, 23},
		{Problem, "assignee.identifier = '{" + otherUUID + "}'", TypeMismatch, 1, 23},
		{Problem, "assignee.identifier = title", TypeMismatch, 1, 21},
		{Problem, "assignee.identifier = lowercase('" + otherUUID + "')", TypeMismatch, 1, 21},
		{Problem, "watchers = nil", TypeMismatch, 1, 10},
		{Problem, "nil != watchers", TypeMismatch, 1, 5},
		{Problem, "watchers = watchers", TypeMismatch, 1, 10},
		{Problem, "watchers.name = 'a'", TypeMismatch, 1, 15},
		{Problem, "SUBQUERY(watchers, $w, TRUEPREDICATE) = nil", TypeMismatch, 1, 39},
		{Problem, "id = {1}", TypeMismatch, 1, 4},
		{Problem, "{1} = {1}", TypeMismatch, 1, 5},
		{Problem, "ANY relationships.type = 'blockedBy'", TypeMismatch, 1, 26},
		{Problem, "ANY relationships.type = 'Blocks'", TypeMismatch, 1, 26},
		{Problem, "id = 'BlockedBy'", TypeMismatch, 1, 4},
		{Problem, "relationships.@max.type = 'BlockedBy'", TypeMismatch, 1, 25},
		// Orders.
		{Problem, "watching < YES", TypeMismatch, 1, 10},
		{Problem, "state < state", TypeMismatch, 1, 7},
		{Problem, "assignee.identifier < $ApiUser", TypeMismatch, 1, 21},
		{Problem, "watchers > 3", TypeMismatch, 1, 10},
		{Problem, "nil < YES", TypeMismatch, 1, 5},
		{Problem, "id BETWEEN 3", TypeMismatch, 1, 12},
		{Problem, "id BETWEEN watchers", TypeMismatch, 1, 12},
		{Problem, "id BETWEEN {3}", TypeMismatch, 1, 12},
		{Problem, "id BETWEEN {1, 2, 3}", TypeMismatch, 1, 12},
		{Problem, "id BETWEEN {1, 'b'}", TypeMismatch, 1, 16},
		{Problem, "id BETWEEN {1, {2}}", TypeMismatch, 1, 16},
		{Problem, "watching BETWEEN {0, 1}", TypeMismatch, 1, 10},
		{Problem, "watchers BETWEEN {0, 1}", TypeMismatch, 1, 10},
		{Problem, "{1} BETWEEN {0, 1}", TypeMismatch, 1, 5},
		// Modifiers.
		{Problem, "id =[c] 3", TypeMismatch, 1, 4},
		{Problem, "id <[d] 3", TypeMismatch, 1, 4},
		{Problem, "id IN[c] {3}", TypeMismatch, 1, 4},
		{Problem, "assignee IN[c] watchers", TypeMismatch, 1, 10},
		{Problem, "assignee.identifier =[c] '" + otherUUID + "'", TypeMismatch, 1, 21},
		// Membership.
		{Problem, "id IN 3", TypeMismatch, 1, 4},
		{Problem, "id IN title", TypeMismatch, 1, 4},
		{Problem, "'a' IN id", TypeMismatch, 1, 5},
		{Problem, "id IN {1, 'a'}", TypeMismatch, 1, 11},
		{Problem, "title IN {'a', 1}", TypeMismatch, 1, 16},
		{Problem, "title IN {1}", TypeMismatch, 1, 11},
		{Problem, "1 IN {title}", TypeMismatch, 1, 3},
		{Problem, "nil IN {1, 'a'}", TypeMismatch, 1, 12},
		{Problem, "id IN {1, {2}}", TypeMismatch, 1, 11},
		{Problem, "id IN {1, watchers}", TypeMismatch, 1, 11},
		{Problem, "id IN {watchers}", TypeMismatch, 1, 8},
		{Problem, "watchers IN {1}", TypeMismatch, 1, 10},
		{Problem, "watchers IN {}", TypeMismatch, 1, 10},
		{Problem, "{1} IN {1}", TypeMismatch, 1, 5},
		{Problem, "watching IN {0, 2}", TypeMismatch, 1, 17},
		{Problem, "assignee.identifier IN {$ApiUser, 'a'}", TypeMismatch, 1, 35},
		{Problem, "id IN watchers", TypeMismatch, 1, 4},
		{Problem, "watchers IN watchers", TypeMismatch, 1, 10},
		{Problem, "watchers CONTAINS $ApiUser", TypeMismatch, 1, 10},
		{Problem, "watchers CONTAINS watchers", TypeMismatch, 1, 10},
		{Problem, "watchers CONTAINS {assignee}", TypeMismatch, 1, 10},
		{Problem, "{1, 'a'} CONTAINS id", TypeMismatch, 1, 5},
		{Problem, "id CONTAINS 1", TypeMismatch, 1, 4},
		{Problem, "$ApiUser CONTAINS '0'", TypeMismatch, 1, 10},
		// Strings.
		{Problem, "id BEGINSWITH '1'", TypeMismatch, 1, 4},
		{Problem, "title ENDSWITH 1", TypeMismatch, 1, 7},
		{Problem, "watchers.name BEGINSWITH 'a'", TypeMismatch, 1, 15},
		{Problem, "id LIKE '1'", TypeMismatch, 1, 4},
		{Problem, "title LIKE title", TypeMismatch, 1, 12},
		{Problem, "title LIKE nil", TypeMismatch, 1, 12},
		{Problem, "title LIKE lowercase('A')", TypeMismatch, 1, 12},
		{Problem, "title MATCHES 1", TypeMismatch, 1, 15},
		{Problem, "title MATCHES title", TypeMismatch, 1, 15},
		{Problem, "creationDate MATCHES 'a'", TypeMismatch, 1, 14},
		{Problem, `title LIKE '\\a'`, InvalidPattern, 1, 12},
		{Problem, `title LIKE 'a\\'`, InvalidPattern, 1, 12},
		{Problem, "title MATCHES '('", InvalidPattern, 1, 15},
		{Problem, "title MATCHES 'a)|(b'", InvalidPattern, 1, 15},
		{Problem, "title MATCHES 'a{1001}'", InvalidPattern, 1, 15},
		{Problem, "title MATCHES '(a{100}){100}'", InvalidPattern, 1, 15},
		{Problem, "title MATCHES '(?=a)'", InvalidPattern, 1, 15},
		{Problem, `title MATCHES '\\1'`, InvalidPattern, 1, 15},
		// Qualifiers.
		{Problem, "ANY title = 'a'", TypeMismatch, 1, 1},
		{Problem, "id = 1 AND ALL id = 1", TypeMismatch, 1, 12},
		{Problem, "NONE {1} = 1", TypeMismatch, 1, 1},
		{Problem, "ANY nil = 1", TypeMismatch, 1, 1},
		{Problem, "ANY watchers.@count = 1", TypeMismatch, 1, 1},
		{Problem, "ANY watchers.name = 1", TypeMismatch, 1, 19},
		{Problem, "ANY watchers = watchers", TypeMismatch, 1, 14},
		{Problem, "ANY watchers.identifier = 'a'", TypeMismatch, 1, 27},
		{Problem, "ANY watchers = nil AND ANY foo = 1", UnknownKey, 1, 28},
		// Aggregates and SUBQUERY.
		{Problem, "title.@count = 1", TypeMismatch, 1, 8},
		{Problem, "title[SIZE] = 1", TypeMismatch, 1, 7},
		{Problem, "watchers.@count[SIZE] = 1", TypeMismatch, 1, 17},
		{Problem, "{1}.@count = 1", TypeMismatch, 1, 6},
		{Problem, "watchers.@sum.name = 1", TypeMismatch, 1, 11},
		{Problem, "watchers.@sum = 1", TypeMismatch, 1, 11},
		{Problem, "watchers.@sum.foo = 1", UnknownKey, 1, 15},
		{Problem, "comments.@sum.creationDate = 1", TypeMismatch, 1, 11},
		{Problem, "comments.@avg.creationDate = 1", TypeMismatch, 1, 11},
		{Problem, "watchers.@max.name = 'a'", TypeMismatch, 1, 11},
		{Problem, "watchers.@min.inactive = YES", TypeMismatch, 1, 11},
		{Problem, "SUBQUERY(title, $t, $t = 'a').@count > 0", TypeMismatch, 1, 10},
		{Problem, "SUBQUERY({1}, $t, $t = 1).@count > 0", TypeMismatch, 1, 10},
		{Problem, "SUBQUERY(assignee, $t, TRUEPREDICATE).@count > 0", TypeMismatch, 1, 10},
		{Problem, "SUBQUERY(watchers, $w, $w = 1).@count > 0", TypeMismatch, 1, 27},
		// Arithmetic and functions.
		{Problem, "title + 1 = 2", TypeMismatch, 1, 7},
		{Problem, "1 - 'a' = 2", TypeMismatch, 1, 3},
		{Problem, "creationDate - creationDate = 2", TypeMismatch, 1, 14},
		{Problem, "watching * 1 = 2", TypeMismatch, 1, 10},
		{Problem, "watchers + 1 = 2", TypeMismatch, 1, 10},
		{Problem, "{1} + 1 = 2", TypeMismatch, 1, 5},
		{Problem, "-title = 'a'", TypeMismatch, 1, 1},
		{Problem, "2 * -title = 'a'", TypeMismatch, 1, 5},
		{Problem, "-{1} = 1", TypeMismatch, 1, 1},
		{Problem, "random() = 1", UnknownFunction, 1, 1},
		{Problem, "add(1, 2) = 3", UnknownFunction, 1, 1},
		{Problem, "modulus(1, 2) = 3", UnknownFunction, 1, 1},
		{Problem, "FUNCTION('random') = 1", UnknownFunction, 1, 10},
		{Problem, "FUNCTION(1, 'abs') = 1", UnknownFunction, 1, 13},
		{Problem, "FUNCTION('now:') = NOW()", UnknownFunction, 1, 10},
		{Problem, "FUNCTION('abc', 'lowercase:') = 'a'", UnknownFunction, 1, 10},
		{Problem, "now(1) = NOW()", TypeMismatch, 1, 1},
		{Problem, "abs() = 1", TypeMismatch, 1, 1},
		{Problem, "1 = abs(1, 2)", TypeMismatch, 1, 5},
		{Problem, "FUNCTION('abs:') = 1", TypeMismatch, 1, 1},
		{Problem, "FUNCTION(NOW(), 'dateByAddingDays:') > NOW()", TypeMismatch, 1, 1},
		{Problem, "abs('a') = 1", TypeMismatch, 1, 5},
		{Problem, "abs({1}) = 1", TypeMismatch, 1, 5},
		{Problem, "length(1) = 1", TypeMismatch, 1, 8},
		{Problem, "length(watchers) = 1", TypeMismatch, 1, 8},
		{Problem, "dateByAddingDays(1, NOW()) = 1", TypeMismatch, 1, 18},
		{Problem, "dateByAddingDays(NOW(), 'a') = 1", TypeMismatch, 1, 25},
		{Problem, "dateByAddingDays('2024-05-01', 1) = NOW()", TypeMismatch, 1, 18},
		{Problem, "FUNCTION(title, 'dateByAddingDays:', 1) = NOW()", TypeMismatch, 1, 10},
		{Problem, "count(title) = 1", TypeMismatch, 1, 7},
		{Problem, "count() = 1", TypeMismatch, 1, 1},
		{Problem, "sum({1, 2}) = 3", TypeMismatch, 1, 5},
		{Problem, "max(watchers.name) = 'a'", TypeMismatch, 1, 5},
		// Casts.
		{Problem, "CAST(1, 'NSFoo') = 1", Unsupported, 1, 9},
		{Problem, "CAST(foo, 'NSFoo') = 1", UnknownKey, 1, 6},
		{Problem, "CAST('2024-13-01', 'NSDate') = NOW()", TypeMismatch, 1, 6},
		{Problem, "CAST('yesterday', 'NSDate') = NOW()", TypeMismatch, 1, 6},
		{Problem, "CAST(title, 'NSDate') = NOW()", TypeMismatch, 1, 6},
		{Problem, "CAST(YES, 'NSDate') = NOW()", TypeMismatch, 1, 6},
		{Problem, "CAST('a', 'NSNumber') = 1", TypeMismatch, 1, 6},
		{Problem, "CAST('', 'NSNumber') = 1", TypeMismatch, 1, 6},
		{Problem, "CAST($ApiUser, 'NSNumber') = 1", TypeMismatch, 1, 6},
		{Problem, "CAST(watchers, 'NSNumber') = 1", TypeMismatch, 1, 6},
		{Problem, "CAST(YES, 'NSString') = 'a'", TypeMismatch, 1, 6},
		{Problem, "CAST(NOW(), 'NSString') = 'a'", TypeMismatch, 1, 6},
		{Problem, "CAST(1.5, 'NSString') = 'a'", TypeMismatch, 1, 6},
		{Problem, "CAST({1}, 'NSString') = 'a'", TypeMismatch, 1, 6},
		{Problem, "CAST('7', 'NSNumber') = '7'", TypeMismatch, 1, 23},
		// Places after line breaks and code points of several bytes.
		{Problem, "title = 'é😀'\nAND title = 3", TypeMismatch, 2, 11},
		{Problem, "'é😀' = 3", TypeMismatch, 1, 6},
	} {
		_, err := Compile(c.text, c.root, checkEnv)
		wantError(t, string(c.root)+": "+c.text, err, c.kind, c.line, c.col)
	}
}

// TestErrorsTeach checks that errors name what is near, and what types met.
func TestErrorsTeach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"ttle = 'a'", []string{"Problem", `"ttle"`, "did you mean title?"}},
		{"state.resovled = NO", []string{"State", "did you mean resolved?"}},
		{"creationdat = nil", []string{"did you mean creationDate?"}},
		{"zzz = 1", []string{"known are identifier, title"}},
		{"absolute(1) = 1", []string{`"absolute"`, "known are now"}},
		{"lenght(title) = 1", []string{"did you mean length?"}},
		{"FUNCTION(NOW(), 'dateByAddingDay:', 1) = NOW()", []string{"did you mean dateByAddingDays:?"}},
		{"$apiUser = nil", []string{`"$apiUser"`, "did you mean $ApiUser?"}},
		{"title = 3", []string{"=", "String", "Int"}},
		{"watchers.name =[c] 'a'", []string{"=[c]", "Collection(String)", "ANY"}},
		{"assignee = $ApiUser", []string{"User", "UUID", "identifier"}},
		{"creationDate > '2024-05-01'", []string{"Date", "String", "CAST("}},
		{"ANY relationships.type = 'blockedBy'", []string{"did you mean BlockedBy?"}},
		{"size = 1", []string{"#size"}},
		{"watching", []string{"= YES"}},
		{"id IN (1, 2)", []string{"expected ), not ,"}},
	} {
		_, err := Compile(c.text, Problem, checkEnv)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(e.Message, want) {
				t.Errorf("%s: %q does not say %q", c.text, e.Message, want)
			}
		}
	}
}

// TestErrorsRepeatNoStrings checks that nothing which stands in a string, and no
// name of endless length, comes back in an error (section 5).
func TestErrorsRepeatNoStrings(t *testing.T) {
	t.Parallel()
	const secret = "s3cret"
	long := strings.Repeat("s3cret", 100)
	for _, text := range []string{
		"id = 's3cret'", "title MATCHES '(s3cret'", `title LIKE '\\s3cret'`, "assignee.identifier = 's3cret'",
		"FUNCTION('s3cret') = 1", "CAST(1, 's3cret') = 1", "CAST('s3cret', 'NSDate') = 1", "ANY relationships.type = 's3cret'",
		"'s3cret' 's3cret'", "a =['s3cret'] b", "id = 's3cret", `id = 's3cret\q'`, "FUNCTION(1, 's3cret', 's3cret') = 1",
		long + " = 1", "$" + long + " = 1", long + "() = 1", "state." + long + " = 1", "1 " + long, "a." + "@" + long + " = 1",
		"title MATCHES '[[:s3cret:]]'", `title MATCHES '\\p{s3cret}'`, "title MATCHES 's3cret**'",
	} {
		_, err := Compile(text, Problem, checkEnv)
		var e *Error
		if !errors.As(err, &e) || strings.Contains(e.Error(), secret) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

// TestErrorText checks what an error says in logs.
func TestErrorText(t *testing.T) {
	t.Parallel()
	err := &Error{Kind: UnknownKey, Message: "no such key", Line: 2, Column: 7}
	if got, want := err.Error(), "predicate: line 2, column 7: unknownKey: no such key"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

package check

import (
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// wrong is a predicate with an error. The error is at the wrong operand, or else at the
// operator.
type wrong struct {
	root predicate.Entity
	text string
	kind predicate.ErrorKind
	line int
	col  int
}

// wantErrors checks the errors of predicates, and their positions.
func wantErrors(t *testing.T, all []wrong) {
	t.Helper()
	for _, c := range all {
		_, err := Compile(c.text, c.root, checkEnv)
		predicatetest.WantError(t, string(c.root)+": "+c.text, err, c.kind, c.line, c.col)
	}
}

func TestErrorsOfKeys(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "ttle = 'a'", predicate.UnknownKey, 1, 1},
		{predicate.Problem, "#and = 'a'", predicate.UnknownKey, 1, 1},
		{predicate.Problem, "state.resolve = NO", predicate.UnknownKey, 1, 7},
		{predicate.Problem, "state\n.foo = NO", predicate.UnknownKey, 2, 2},
		{predicate.Problem, "title.length = 3", predicate.UnknownKey, 1, 7},
		{predicate.Problem, "$ApiUser.name = 'a'", predicate.UnknownKey, 1, 10},
		{predicate.Problem, "NOW().year = 3", predicate.UnknownKey, 1, 7},
		{predicate.Problem, "1.foo = 3", predicate.UnknownKey, 1, 3},
		{predicate.Problem, "{1}.foo = 3", predicate.UnknownKey, 1, 5},
		{predicate.Problem, "watchers.@count.foo = 3", predicate.UnknownKey, 1, 17},
		{predicate.Problem, "ANY keywords.name.foo = 3", predicate.UnknownKey, 1, 19},
		{predicate.Problem, "ANY history.id = 3", predicate.UnknownKey, 1, 13},
		{predicate.Problem, "ANY history.watching = YES", predicate.UnknownKey, 1, 13},
		{predicate.Problem, "ANY history.keywords.name = 'a'", predicate.UnknownKey, 1, 13},
		{predicate.Problem, "state.id = 3", predicate.UnknownKey, 1, 7},
		{predicate.Problem, "revision = 3", predicate.UnknownKey, 1, 1},
		{predicate.State, "title = 'a'", predicate.UnknownKey, 1, 1},
		{"Nothing", "identifier = 1", predicate.UnknownKey, 1, 1},
		{predicate.Problem, "SUBQUERY(watchers, $w, name = 'a').@count > 0", predicate.UnknownKey, 1, 24},
	})
}

// TestFirstErrorCounts shows that the first fault counts: left to right, operands before their operator.
func TestFirstErrorCounts(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "a = b", predicate.UnknownKey, 1, 1},
		{predicate.Problem, "title = b", predicate.UnknownKey, 1, 9},
		{predicate.Problem, "title = 1 AND foo = 2", predicate.TypeMismatch, 1, 7},
		{predicate.Problem, "title + foo = 1", predicate.UnknownKey, 1, 9},
		{predicate.Problem, "title + 1 = foo", predicate.TypeMismatch, 1, 7},
		{predicate.Problem, "TRUEPREDICATE OR foo = 1", predicate.UnknownKey, 1, 18},
		{predicate.Problem, "id IN {'a', foo}", predicate.UnknownKey, 1, 13},
		{predicate.Problem, "f(foo) = 1", predicate.UnknownKey, 1, 3},
		{predicate.Problem, "FUNCTION(bar, 'foo:') = 1", predicate.UnknownKey, 1, 10},
		{predicate.Problem, "FUNCTION('foo:', id, title + 1) = 1", predicate.TypeMismatch, 1, 28},
		{predicate.Problem, "f(id) = bar", predicate.UnknownFunction, 1, 1},
		{predicate.Problem, "abs(foo, 1) = 1", predicate.UnknownKey, 1, 5},
	})
}

func TestErrorsOfVariables(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "$x = 1", predicate.UnboundVariable, 1, 1},
		{predicate.Problem, "assignee.identifier = $apiuser", predicate.UnboundVariable, 1, 23},
		{predicate.Problem, "SUBQUERY(watchers, $w, $W.name = 'a').@count > 0", predicate.UnboundVariable, 1, 24},
		{predicate.Problem, "SUBQUERY($w, $w, $w.name = 'a').@count > 0", predicate.UnboundVariable, 1, 10},
		{predicate.Problem, "SUBQUERY(watchers, $w, $w.name = 'a').@count > 0 AND $w.name = 'a'", predicate.UnboundVariable, 1, 54},
	})
}

func TestErrorsOfEquality(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "title = 3", predicate.TypeMismatch, 1, 7},
		{predicate.Problem, "3 != title", predicate.TypeMismatch, 1, 3},
		{predicate.Problem, "id = 'a'", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "id = '1'", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "watching = 2", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watching = 1.0", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watching = -1", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watching = 1 + 0", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watching = 'YES'", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "id = YES", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "creationDate > '2024-05-01'", predicate.TypeMismatch, 1, 14},
		{predicate.Problem, "creationDate = 0", predicate.TypeMismatch, 1, 14},
		{predicate.Problem, "assignee = $ApiUser", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "assignee = '" + otherUUID + "'", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "assignee = state", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "assignee.identifier = 'abc'", predicate.TypeMismatch, 1, 23},
		{predicate.Problem, "assignee.identifier = '" + otherUUID[:35] + "'", predicate.TypeMismatch, 1, 23},
		{predicate.Problem, "assignee.identifier = '{" + otherUUID + "}'", predicate.TypeMismatch, 1, 23},
		{predicate.Problem, "assignee.identifier = title", predicate.TypeMismatch, 1, 21},
		{predicate.Problem, "assignee.identifier = lowercase('" + otherUUID + "')", predicate.TypeMismatch, 1, 21},
		{predicate.Problem, "watchers = nil", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "nil != watchers", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "watchers = watchers", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watchers.name = 'a'", predicate.TypeMismatch, 1, 15},
		{predicate.Problem, "SUBQUERY(watchers, $w, TRUEPREDICATE) = nil", predicate.TypeMismatch, 1, 39},
		{predicate.Problem, "id = {1}", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "{1} = {1}", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "ANY relationships.type = 'blockedBy'", predicate.TypeMismatch, 1, 26},
		{predicate.Problem, "ANY relationships.type = 'Blocks'", predicate.TypeMismatch, 1, 26},
		{predicate.Problem, "id = 'BlockedBy'", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "relationships.@max.type = 'BlockedBy'", predicate.TypeMismatch, 1, 25},
	})
}

func TestErrorsOfOrders(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "watching < YES", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "state < state", predicate.TypeMismatch, 1, 7},
		{predicate.Problem, "assignee.identifier < $ApiUser", predicate.TypeMismatch, 1, 21},
		{predicate.Problem, "watchers > 3", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "nil < YES", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "id BETWEEN 3", predicate.TypeMismatch, 1, 12},
		{predicate.Problem, "id BETWEEN watchers", predicate.TypeMismatch, 1, 12},
		{predicate.Problem, "id BETWEEN {3}", predicate.TypeMismatch, 1, 12},
		{predicate.Problem, "id BETWEEN {1, 2, 3}", predicate.TypeMismatch, 1, 12},
		{predicate.Problem, "id BETWEEN {1, 'b'}", predicate.TypeMismatch, 1, 16},
		{predicate.Problem, "id BETWEEN {1, {2}}", predicate.TypeMismatch, 1, 16},
		{predicate.Problem, "watching BETWEEN {0, 1}", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watchers BETWEEN {0, 1}", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "{1} BETWEEN {0, 1}", predicate.TypeMismatch, 1, 5},
	})
}

func TestErrorsOfModifiers(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "id =[c] 3", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "id <[d] 3", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "id IN[c] {3}", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "assignee IN[c] watchers", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "assignee.identifier =[c] '" + otherUUID + "'", predicate.TypeMismatch, 1, 21},
	})
}

func TestErrorsOfMembership(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "id IN 3", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "id IN title", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "'a' IN id", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "id IN {1, 'a'}", predicate.TypeMismatch, 1, 11},
		{predicate.Problem, "title IN {'a', 1}", predicate.TypeMismatch, 1, 16},
		{predicate.Problem, "title IN {1}", predicate.TypeMismatch, 1, 11},
		{predicate.Problem, "1 IN {title}", predicate.TypeMismatch, 1, 3},
		{predicate.Problem, "nil IN {1, 'a'}", predicate.TypeMismatch, 1, 12},
		{predicate.Problem, "id IN {1, {2}}", predicate.TypeMismatch, 1, 11},
		{predicate.Problem, "id IN {1, watchers}", predicate.TypeMismatch, 1, 11},
		{predicate.Problem, "id IN {watchers}", predicate.TypeMismatch, 1, 8},
		{predicate.Problem, "watchers IN {1}", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watchers IN {}", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "{1} IN {1}", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "watching IN {0, 2}", predicate.TypeMismatch, 1, 17},
		{predicate.Problem, "assignee.identifier IN {$ApiUser, 'a'}", predicate.TypeMismatch, 1, 35},
		{predicate.Problem, "id IN watchers", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "watchers IN watchers", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watchers CONTAINS $ApiUser", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watchers CONTAINS watchers", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watchers CONTAINS {assignee}", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "{1, 'a'} CONTAINS id", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "id CONTAINS 1", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "$ApiUser CONTAINS '0'", predicate.TypeMismatch, 1, 10},
	})
}

func TestErrorsOfStrings(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "id BEGINSWITH '1'", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "title ENDSWITH 1", predicate.TypeMismatch, 1, 7},
		{predicate.Problem, "watchers.name BEGINSWITH 'a'", predicate.TypeMismatch, 1, 15},
		{predicate.Problem, "id LIKE '1'", predicate.TypeMismatch, 1, 4},
		{predicate.Problem, "title LIKE title", predicate.TypeMismatch, 1, 12},
		{predicate.Problem, "title LIKE nil", predicate.TypeMismatch, 1, 12},
		{predicate.Problem, "title LIKE lowercase('A')", predicate.TypeMismatch, 1, 12},
		{predicate.Problem, "title MATCHES 1", predicate.TypeMismatch, 1, 15},
		{predicate.Problem, "title MATCHES title", predicate.TypeMismatch, 1, 15},
		{predicate.Problem, "creationDate MATCHES 'a'", predicate.TypeMismatch, 1, 14},
		{predicate.Problem, `title LIKE '\\a'`, predicate.InvalidPattern, 1, 12},
		{predicate.Problem, `title LIKE 'a\\'`, predicate.InvalidPattern, 1, 12},
		{predicate.Problem, "title MATCHES '('", predicate.InvalidPattern, 1, 15},
		{predicate.Problem, "title MATCHES 'a)|(b'", predicate.InvalidPattern, 1, 15},
		{predicate.Problem, "title MATCHES 'a{1001}'", predicate.InvalidPattern, 1, 15},
		{predicate.Problem, "title MATCHES '(a{100}){100}'", predicate.InvalidPattern, 1, 15},
		{predicate.Problem, "title MATCHES '(?=a)'", predicate.InvalidPattern, 1, 15},
		{predicate.Problem, "title MATCHES 'a{1000}a{1000}a'", predicate.InvalidPattern, 1, 15},
		{predicate.Problem, "title MATCHES '(.*.?){999}'", predicate.InvalidPattern, 1, 15},
		{predicate.Problem, `title MATCHES '\\1'`, predicate.InvalidPattern, 1, 15},
	})
}

func TestErrorsOfQualifiers(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "ANY title = 'a'", predicate.TypeMismatch, 1, 1},
		{predicate.Problem, "id = 1 AND ALL id = 1", predicate.TypeMismatch, 1, 12},
		{predicate.Problem, "NONE {1} = 'a'", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "ANY {1, 'a'} = 1", predicate.TypeMismatch, 1, 9},
		{predicate.Problem, "ANY {assignee.identifier, title} = title", predicate.TypeMismatch, 1, 27},
		{predicate.Problem, "ANY {watchers} = assignee", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "ANY {{1}} = 1", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "ANY {'x'} = assignee.identifier", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "ANY {assignee, state} = nil", predicate.TypeMismatch, 1, 16},
		{predicate.Problem, "ANY {assignee}.nme = 'a'", predicate.UnknownKey, 1, 16},
		{predicate.Problem, "ANY nil = 1", predicate.TypeMismatch, 1, 1},
		{predicate.Problem, "ANY watchers.@count = 1", predicate.TypeMismatch, 1, 1},
		{predicate.Problem, "ANY watchers.name = 1", predicate.TypeMismatch, 1, 19},
		{predicate.Problem, "ANY watchers = watchers", predicate.TypeMismatch, 1, 14},
		{predicate.Problem, "ANY watchers.identifier = 'a'", predicate.TypeMismatch, 1, 27},
		{predicate.Problem, "ANY watchers = nil AND ANY foo = 1", predicate.UnknownKey, 1, 28},
	})
}

// TestErrorsOfAggregates is about SUBQUERY as well.
func TestErrorsOfAggregates(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "title.@count = 1", predicate.TypeMismatch, 1, 8},
		{predicate.Problem, "title[SIZE] = 1", predicate.TypeMismatch, 1, 7},
		{predicate.Problem, "watchers.@count[SIZE] = 1", predicate.TypeMismatch, 1, 17},
		{predicate.Problem, "{1, 'a'}.@count = 1", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "{'a'}.@sum = 1", predicate.TypeMismatch, 1, 8},
		{predicate.Problem, "watchers.@sum.name = 1", predicate.TypeMismatch, 1, 11},
		{predicate.Problem, "watchers.@sum = 1", predicate.TypeMismatch, 1, 11},
		{predicate.Problem, "watchers.@sum.foo = 1", predicate.UnknownKey, 1, 15},
		{predicate.Problem, "comments.@sum.creationDate = 1", predicate.TypeMismatch, 1, 11},
		{predicate.Problem, "comments.@avg.creationDate = 1", predicate.TypeMismatch, 1, 11},
		{predicate.Problem, "watchers.@max.name = 'a'", predicate.TypeMismatch, 1, 11},
		{predicate.Problem, "watchers.@min.inactive = YES", predicate.TypeMismatch, 1, 11},
		{predicate.Problem, "SUBQUERY(title, $t, $t = 'a').@count > 0", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "SUBQUERY({1}, $t, $t = 'a').@count > 0", predicate.TypeMismatch, 1, 22},
		{predicate.Problem, "SUBQUERY({1, 'a'}, $t, $t = 1).@count > 0", predicate.TypeMismatch, 1, 14},
		{predicate.Problem, "SUBQUERY(assignee, $t, TRUEPREDICATE).@count > 0", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "SUBQUERY(watchers, $w, $w = 1).@count > 0", predicate.TypeMismatch, 1, 27},
	})
}

// TestErrorsOfFunctions is about arithmetic as well.
func TestErrorsOfFunctions(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "title + 1 = 2", predicate.TypeMismatch, 1, 7},
		{predicate.Problem, "1 - 'a' = 2", predicate.TypeMismatch, 1, 3},
		{predicate.Problem, "creationDate - creationDate = 2", predicate.TypeMismatch, 1, 14},
		{predicate.Problem, "watching * 1 = 2", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "watchers + 1 = 2", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "{1} + 1 = 2", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "-title = 'a'", predicate.TypeMismatch, 1, 1},
		{predicate.Problem, "2 * -title = 'a'", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "-{1} = 1", predicate.TypeMismatch, 1, 1},
		{predicate.Problem, "random() = 1", predicate.UnknownFunction, 1, 1},
		{predicate.Problem, "add(1, 2) = 3", predicate.UnknownFunction, 1, 1},
		{predicate.Problem, "modulus(1, 2) = 3", predicate.UnknownFunction, 1, 1},
		{predicate.Problem, "FUNCTION('random') = 1", predicate.UnknownFunction, 1, 10},
		{predicate.Problem, "FUNCTION(1, 'abs') = 1", predicate.UnknownFunction, 1, 13},
		{predicate.Problem, "FUNCTION('now:') = NOW()", predicate.UnknownFunction, 1, 10},
		{predicate.Problem, "FUNCTION('abc', 'lowercase:') = 'a'", predicate.UnknownFunction, 1, 10},
		{predicate.Problem, "now(1) = NOW()", predicate.TypeMismatch, 1, 1},
		{predicate.Problem, "abs() = 1", predicate.TypeMismatch, 1, 1},
		{predicate.Problem, "1 = abs(1, 2)", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "FUNCTION('abs:') = 1", predicate.TypeMismatch, 1, 1},
		{predicate.Problem, "FUNCTION(NOW(), 'dateByAddingDays:') > NOW()", predicate.TypeMismatch, 1, 1},
		{predicate.Problem, "abs('a') = 1", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "abs({1}) = 1", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "length(1) = 1", predicate.TypeMismatch, 1, 8},
		{predicate.Problem, "length(watchers) = 1", predicate.TypeMismatch, 1, 8},
		{predicate.Problem, "dateByAddingDays(1, NOW()) = 1", predicate.TypeMismatch, 1, 18},
		{predicate.Problem, "dateByAddingDays(NOW(), 'a') = 1", predicate.TypeMismatch, 1, 25},
		{predicate.Problem, "dateByAddingDays('2024-05-01', 1) = NOW()", predicate.TypeMismatch, 1, 18},
		{predicate.Problem, "FUNCTION(title, 'dateByAddingDays:', 1) = NOW()", predicate.TypeMismatch, 1, 10},
		{predicate.Problem, "count(title) = 1", predicate.TypeMismatch, 1, 7},
		{predicate.Problem, "count() = 1", predicate.TypeMismatch, 1, 1},
		{predicate.Problem, "sum({1, 'a'}) = 3", predicate.TypeMismatch, 1, 9},
		{predicate.Problem, "sum({'a'}) = 3", predicate.TypeMismatch, 1, 5},
		{predicate.Problem, "max(watchers.name) = 'a'", predicate.TypeMismatch, 1, 5},
	})
}

func TestErrorsOfCasts(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "CAST(1, 'NSFoo') = 1", predicate.Unsupported, 1, 9},
		{predicate.Problem, "CAST(foo, 'NSFoo') = 1", predicate.UnknownKey, 1, 6},
		{predicate.Problem, "CAST('2024-13-01', 'NSDate') = NOW()", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST('yesterday', 'NSDate') = NOW()", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST(title, 'NSDate') = NOW()", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST(YES, 'NSDate') = NOW()", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST('a', 'NSNumber') = 1", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST('', 'NSNumber') = 1", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST('1e-400', 'NSNumber') = 1", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST($ApiUser, 'NSNumber') = 1", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST(watchers, 'NSNumber') = 1", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST(YES, 'NSString') = 'a'", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST(NOW(), 'NSString') = 'a'", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST(1.5, 'NSString') = 'a'", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST({1}, 'NSString') = 'a'", predicate.TypeMismatch, 1, 6},
		{predicate.Problem, "CAST('7', 'NSNumber') = '7'", predicate.TypeMismatch, 1, 23},
	})
}

// TestPositionsOfErrors is about positions after line breaks and code points of several bytes.
func TestPositionsOfErrors(t *testing.T) {
	t.Parallel()
	wantErrors(t, []wrong{
		{predicate.Problem, "title = 'é😀'\nAND title = 3", predicate.TypeMismatch, 2, 11},
		{predicate.Problem, "'é😀' = 3", predicate.TypeMismatch, 1, 6},
	})
}

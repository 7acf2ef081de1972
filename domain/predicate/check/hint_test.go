package check

import (
	"errors"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
)

// TestErrorsTeach checks that errors name similar keys, and the types of operands.
func TestErrorsTeach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"CAST('x', 'NSNumber') = 1", []string{"'NSNumber'", "numbers are written"}},
		{"CAST('x', 'NSDate') = NOW()", []string{"'NSDate'", "2006-01-02"}},
		{"title =! 'a'", []string{"not !"}},
		{"title = && 'a'", []string{"not &&"}},
		{"id < 1 => 2", []string{"no value for =>"}},
		{"title is null", []string{"= nil", "!= nil"}},
		{"title IS NOT nil AND id = 1", []string{"= nil", "!= nil"}},
		{"id BETWEEN 1 AND 2", []string{"BETWEEN {1, 2}"}},
		{"title = 'a' AND id BETWEEN 1 AND 2 AND id = 3", []string{"BETWEEN {1, 2}"}},
		{"creationDate > NOW() - 7", []string{"Date and Int", "FUNCTION(NOW(), 'dateByAddingDays:', -7)"}},
		{"history = nil", []string{"Collection(Savepoint)", ".@count = 0"}},
		{"watchers IN {nil}", []string{"Collection(User) with a list", "ANY"}},
		{"nil != history", []string{".@count = 0"}},
		{"watchers.name LIKE 'Ann'", []string{"Collection(String)", "ANY"}},
		{"watchers.name BEGINSWITH 'Ann'", []string{"Collection(String)", "ANY"}},
		{"watchers.name MATCHES 'Ann'", []string{"Collection(String)", "ANY"}},
		{"$ApiUser IN watchers", []string{"UUID with User", "identifier"}},
		{"watchers CONTAINS $ApiUser", []string{"User with UUID", "identifier"}},
		{"abs() = 1", []string{"abs takes 1 argument, not 0"}},
		{"now(1) = NOW()", []string{"now takes 0 arguments, not 1"}},
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
		{"id IN (1, 2)", []string{"expected ), not ,", "{1, 2}"}},
		{"id IN [1, 2]", []string{"braces", "{1, 2}"}},
		{"id IN[c] [1, 2]", []string{"braces", "{1, 2}"}},
		{"id IN (1)", []string{"braces", "{1, 2}"}},
		{"id BETWEEN (1, 2)", []string{"braces", "{1, 2}"}},
		{"id BETWEEN [1, 2]", []string{"BETWEEN {1, 2}"}},
		{"state = 'Open'", []string{"State with String", "state.name"}},
		{"'Open' != state", []string{"state.name"}},
		{"state IN {'Open', 'Closed'}", []string{"state.name"}},
		{"assignee = 'ann@example.org'", []string{"assignee.email"}},
		{"assignee = '0197c3f2-89ab-7cde-8f01-23456789abcd'", []string{"assignee.identifier"}},
		{"ANY watchers = 'ann@example.org'", []string{"watchers.email"}},
		{"watchers CONTAINS 'ann@example.org'", []string{"watchers.email"}},
		{"component.parent = 'API'", []string{"component.parent.name"}},
		{"ANY keywords = 'flaky'", []string{"keywords.name"}},
		{"keywords = 'flaky'", []string{"ANY", "keywords.name"}},
		{"keywords CONTAINS 'flaky'", []string{"keywords.name"}},
		{"'flaky' IN keywords", []string{"keywords.name"}},
		{"SUBQUERY(keywords, $k, $k = 'flaky').@count > 0", []string{"$k.name"}},
		{"ANY comments CONTAINS 'flaky'", []string{"comments.text"}},
		{"ANY relationships.child = 5", []string{"relationships.child.identifier"}},
		{"ANY relationships = 'BlockedBy'", []string{"relationships.type"}},
		{"state CONTAINS 'Open'", []string{"state.name"}},
		{"state LIKE 'Open*'", []string{"state.name"}},
		{"milestone < 'Next'", []string{"milestone.name"}},
		{"watchers.count > 0", []string{"watchers.@count"}},
		{"watchers.size = 0", []string{"watchers.@count"}},
		{"keywords.name.count > 0", []string{".@count"}},
		{"relationships.type.sum > 0", []string{".@sum"}},
		{"creationDate < NOW", []string{"NOW()"}},
		{"title.length > 3", []string{"length(…)"}},
		{"length > 3", []string{"length(…)"}},
		{"SUBQUERY(keywords, $k, $k.name = 'a')", []string{".@count > 0"}},
		{"NOT SUBQUERY(keywords, $k, $k.name = 'a') AND id = 1", []string{".@count > 0"}},
		{"(SUBQUERY(keywords, $k, $k.name = 'a')) OR id = 1", []string{".@count > 0"}},
		{"keywords.@count", []string{"> 0"}},
		{"FUNCTION(NOW(), 'dateByAddingWeeks:', -1) < creationDate", []string{"'dateByAddingDays:'", "7"}},
		{"dateByAddingWeeks(NOW(), -1) < creationDate", []string{"dateByAddingDays", "7"}},
		{"CAST(title, 'NSDate') < NOW()", []string{"String", "literal string"}},
		{"CAST(title, NSNumber) = 1", []string{"'NSDate', 'NSNumber' or 'NSString'"}},
		{"CAST(title, 'NSInteger') = 1", []string{"'NSNumber'"}},
	} {
		_, err := Compile(c.text, predicate.Problem, checkEnv)
		var e *predicate.Error
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

// TestErrorsMendLists checks that errors about lists lead to a predicate without an
// error, and not from IN to CONTAINS and back.
func TestErrorsMendLists(t *testing.T) {
	t.Parallel()
	const (
		every = "; write ANY, ALL or NONE before it"
		turn  = "; it looks for one value, so turn it round, as in ANY {'a', 'b'} IN title"
		each  = "; look at each member, as in SUBQUERY({'a', 'b'}, $s, title ENDSWITH $s).@count > 0"
		first = "; write the collection first, with ANY, ALL or NONE before it"
	)
	for _, c := range []struct{ text, hint, mended string }{
		{"{1, 2} = id", "; use IN for a list", "id IN {1, 2}"},
		{"{1, 2} != id", "; use IN for a list", "NOT id IN {1, 2}"},
		{"id = {1, 2}", "; use IN for a list", "id IN {1, 2}"},
		{"{1, 2} IN {1}", every, "ANY {1, 2} IN {1}"},
		{"{1, id} IN relationships.childId", every, "ALL {1, id} IN relationships.childId"},
		{"{'a', 'b'} IN title", every, "NONE {'a', 'b'} IN title"},
		{"{} IN {}", every, "ANY {} IN {}"},
		{"keywords.name IN {'a', 'b'}", every, "ANY keywords.name IN {'a', 'b'}"},
		{"keywords.name IN title", every, "ANY keywords.name IN title"},
		{"keywords IN {'a', 'b'}", every + ", and compare keywords.name", "ANY keywords.name IN {'a', 'b'}"},
		{"keywords IN {'a', 1}", every + ", and compare keywords.name", "ANY keywords.name IN {'a'}"},
		{"watchers IN watchers", every, "ANY watchers IN watchers"},
		{"title CONTAINS {'a', 'b'}", turn, "ANY {'a', 'b'} IN title"},
		{"keywords.name CONTAINS {'a', 'b'}", turn, "ANY {'a', 'b'} IN keywords.name"},
		{"{'a', 'b'} CONTAINS keywords.name", turn, "ANY keywords.name IN {'a', 'b'}"},
		{"{1} CONTAINS {2}", turn, "ANY {2} IN {1}"},
		{"{1, 2} BETWEEN {1, 3}", every, "ALL {1, 2} BETWEEN {1, 3}"},
		{"{1, 2} < id", every, "ANY {1, 2} < id"},
		{"id > {1, 2}", first, "ANY {1, 2} < id"},
		{"id > relationships.childId", first, "ANY relationships.childId < id"},
		{"keywords.name < 'a'", every, "ANY keywords.name < 'a'"},
		{"{'a'} LIKE 'a*'", every, "ANY {'a'} LIKE 'a*'"},
		{"{title} MATCHES 'a.*'", every, "ANY {title} MATCHES 'a.*'"},
		{"{title} BEGINSWITH 'a'", every, "ANY {title} BEGINSWITH 'a'"},
		{"title ENDSWITH[c] {'a', 'b'}", each, "SUBQUERY({'a', 'b'}, $s, title ENDSWITH[c] $s).@count > 0"},
		{"title ENDSWITH keywords.name", each, "SUBQUERY(keywords, $s, title ENDSWITH $s.name).@count > 0"},
		{"id IN {1, {2}}", "a list has single values as members, not a list", "id IN {1, 2}"},
		{"id IN {1, relationships.childId}", "a list has single values as members, not Collection(Int)", "id = 1 OR id IN relationships.childId"},
		{"CAST({'1'}, 'NSNumber') = 1", "CAST takes a single value, not a list", "CAST('1', 'NSNumber') = 1"},
		{"CAST(keywords.name, 'NSNumber') = 1", "CAST takes a single value, not Collection(String)",
			"SUBQUERY(keywords, $k, CAST($k.name, 'NSNumber') = 1).@count > 0"},
	} {
		_, err := Compile(c.text, predicate.Problem, checkEnv)
		var e *predicate.Error
		if !errors.As(err, &e) || e.Kind != predicate.TypeMismatch || !strings.HasSuffix(e.Message, c.hint) {
			t.Errorf("%s: %v, and the hint should be %q", c.text, err, c.hint)
		}
		if _, err := Compile(c.mended, predicate.Problem, checkEnv); err != nil {
			t.Errorf("%s is mended to %s: %v", c.text, c.mended, err)
		}
	}
}

// TestErrorsSuggestNoKeys checks that no error suggests a key for a word in another
// position than a key's.
func TestErrorsSuggestNoKeys(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"AND id = 1", "ANY NOT id = 1", "id = TRUEPREDICATE", "id = || 2", "id IN IN", "id = ANY 1"} {
		_, err := Compile(text, predicate.Problem, checkEnv)
		var e *predicate.Error
		if !errors.As(err, &e) || e.Kind != predicate.InvalidSyntax || strings.Contains(e.Message, "#") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestErrorsRepeatNoStrings checks that errors repeat nothing from inside a string,
// and no name of endless length (section 5).
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
		_, err := Compile(text, predicate.Problem, checkEnv)
		var e *predicate.Error
		if !errors.As(err, &e) || strings.Contains(e.Error(), secret) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

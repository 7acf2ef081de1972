package check

import (
	"errors"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
)

// TestErrorsKnowOtherLanguages checks the errors for words and signs of SQL, JQL, other
// forms of NSPredicate and the search of GitHub. Each error is at the wrong token and
// names the right form, and the mended predicate has no error.
func TestErrorsKnowOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		column int
		want   string
		mended string
	}{
		// NOT belongs before the comparison.
		{"title NOT IN {'a'}", 7, "there is no operator NOT IN; write NOT x IN y", "NOT title IN {'a'}"},
		{"title not like 'a'", 7, "there is no operator NOT LIKE; write NOT x LIKE y", "NOT title LIKE 'a'"},
		{"id NOT BETWEEN {1, 2}", 4, "write NOT x BETWEEN y", "NOT id BETWEEN {1, 2}"},
		{"(title NOT CONTAINS 'a')", 8, "write NOT x CONTAINS y", "(NOT title CONTAINS 'a')"},
		{"ANY keywords.name NOT IN {'a'}", 19, "write NOT x IN y", "NOT ANY keywords.name IN {'a'}"},
		{"title NOT ILIKE 'a'", 7, "write NOT x LIKE[c] y", "NOT title LIKE[c] 'a'"},
		{"title !~ 'a'", 7, "write NOT x MATCHES y", "NOT title MATCHES 'a'"},
		{"title NOT", 7, "NOT stands before a condition, as in NOT x = y", "NOT title = 'a'"},
		// Operators by another name.
		{"title STARTSWITH 'a'", 7, "there is no operator STARTSWITH; write BEGINSWITH", "title BEGINSWITH 'a'"},
		{"title startswith[c] 'a'", 7, "write BEGINSWITH", "title BEGINSWITH[c] 'a'"},
		{"ANY keywords.name STARTSWITH 'a'", 19, "write BEGINSWITH", "ANY keywords.name BEGINSWITH 'a'"},
		{"(title STARTSWITH 'a')", 8, "write BEGINSWITH", "(title BEGINSWITH 'a')"},
		{"id = 1 AND title STARTS WITH 'a'", 18, "write BEGINSWITH", "id = 1 AND title BEGINSWITH 'a'"},
		{"title ENDS WITH 'a'", 7, "write ENDSWITH", "title ENDSWITH 'a'"},
		{"title ILIKE 'a'", 7, "there is no operator ILIKE; write LIKE[c]", "title LIKE[c] 'a'"},
		{"title REGEXP 'a'", 7, "write MATCHES", "title MATCHES 'a'"},
		{"title REGEX 'a'", 7, "write MATCHES", "title MATCHES 'a'"},
		{"title MATCH 'a'", 7, "write MATCHES", "title MATCHES 'a'"},
		{"title GLOB 'a*'", 7, "write LIKE", "title LIKE 'a*'"},
		{"title INCLUDES 'a'", 7, "write CONTAINS", "title CONTAINS 'a'"},
		{"title EQUALS 'a'", 7, "write =", "title = 'a'"},
		{"id GTE 1", 4, "write >=", "id >= 1"},
		{"title IS NULL", 7, "write = nil or != nil", "title = nil"},
		{"title IS NOT NULL", 7, "write = nil or != nil", "title != nil"},
		{"title ISNULL", 7, "write = nil", "title = nil"},
		{"id MOD 2 = 0", 4, "write FUNCTION(x, 'modulus:by:', y)", "FUNCTION(id, 'modulus:by:', 2) = 0"},
		{"title UNLIKE 'a'", 7, `expected an operator, not "UNLIKE"; there are = != < <= > >= IN BETWEEN CONTAINS BEGINSWITH ENDSWITH LIKE MATCHES`, "NOT title LIKE 'a'"},
		{"state.name WAS 'Open'", 12, "there is no operator WAS; write ANY history.key = …", "ANY history.state.name = 'Open'"},
		{"EXISTS keywords", 1, "there is no operator EXISTS; write .@count > 0 behind a collection", "keywords.@count > 0"},
		{"NOT EXISTS(keywords)", 5, "write .@count > 0", "NOT keywords.@count > 0"},
		{"keywords EXISTS", 10, "write .@count > 0", "keywords.@count > 0"},
		{"WHERE id = 1", 1, "a predicate is the condition alone, without WHERE", "id = 1"},
		{"id = 1 ORDER BY title", 8, "a predicate is the condition alone, without ORDER", "id = 1"},
		{"id = 1 LIMIT 5", 8, "a predicate is the condition alone, without LIMIT", "id = 1"},
		{"id = 1 XOR id = 2", 8, "there is no operator XOR; write (x AND NOT y) OR (y AND NOT x)", "(id = 1 AND NOT id = 2) OR (id = 2 AND NOT id = 1)"},
		{"LOWER(title) = 'a'", 1, "did you mean lowercase?", "lowercase(title) = 'a'"},
		{"LEN(title) = 1", 1, "did you mean length?", "length(title) = 1"},
		{"assignee.identifier = currentUser()", 23, "the caller is $ApiUser", "assignee.identifier = $ApiUser"},
		{"creationDate > TODAY()", 16, "the time of the request is NOW()", "creationDate > NOW()"},
		// Signs.
		{"title ~ 'a'", 7, "there is no operator ~; write CONTAINS, LIKE or MATCHES", "title CONTAINS 'a'"},
		{"title =~ 'a'", 8, "write CONTAINS, LIKE or MATCHES", "title MATCHES 'a'"},
		{"id = 1 & id = 2", 8, "there is no operator &; write AND or &&", "id = 1 && id = 2"},
		{"id = 1 | id = 2", 8, "there is no operator |; write OR or ||", "id = 1 || id = 2"},
		{"id ^ 2 = 1", 4, "there is no operator ^; a power is written **", "id ** 2 = 1"},
		{"title === 'a'", 9, "there is no operator ===; there are = != < <= > >=", "title == 'a'"},
		{"title !== 'a'", 9, "there is no operator !==; there are", "title != 'a'"},
		{"title <=> 'a'", 9, "there is no operator <=>; there are", "title = 'a'"},
		{"id % 2 = 0", 4, "there is no operator %; write FUNCTION(x, 'modulus:by:', y)", "FUNCTION(id, 'modulus:by:', 2) = 0"},
		{"id = %d", 6, "there are no arguments to put in place of %; write the values themselves", "id = 1"},
		{"id = ?", 6, "there are no arguments to put in place of ?; write the values themselves", "id = 1"},
		{"state:open", 6, "there is no operator :; write =, as in state.name = 'Open'", "state.name = 'Open'"},
		{"id = 1;", 7, "a predicate is one condition and ends without ;", "id = 1"},
		{"`title` = 'a'", 1, "strings stand in ' or \", and keys stand without quotes", "title = 'a'"},
		{"title = ‘a’", 9, "strings stand in straight quotes, ' or \", not ‘", "title = 'a'"},
		{"id ≤ 3", 4, "there is no operator ≤; write <=", "id <= 3"},
		{"id ≠ 3", 4, "there is no operator ≠; write !=", "id != 3"},
		{"id\u00a0= 3", 3, "outside of strings there are ASCII characters only, not U+00A0; white space is space, tab, CR and LF", "id = 3"},
		{"id ¬ 3", 4, "outside of strings there are ASCII characters only, not U+00AC", "id != 3"},
		{`id \ 3`, 4, `a backslash stands in strings alone`, "id / 3 = 1"},
		{"assignee.identifier = @me", 23, "the caller is $ApiUser", "assignee.identifier = $ApiUser"},
		{"id = +1", 6, "a number has no sign +", "id = 1"},
		{"sqrt(id) = .5", 12, "a number begins with a digit, as in 0.5", "sqrt(id) = 0.5"},
		// Comments.
		{"id = 1 -- comment", 11, "there are no comments", "id = 1"},
		{"id = 1 -- two words", 15, "there are no comments", "id = 1"},
		{"id = 1 // comment", 9, "there are no comments", "id = 1"},
		{"id = 1 /* comment */", 9, "there are no comments", "id = 1"},
		{"id = 1 # comment", 8, "there are no comments", "id = 1"},
		// Quotes and brackets without a partner.
		{"title = 'it's'", 13, `a quote within a string is written \'`, `title = 'it\'s'`},
		{"title = 'it''s'", 13, `a quote within a string is written \'`, `title = 'it\'s'`},
		{`title = "a"b"`, 12, `a quote within a string is written \"`, `title = "a\"b"`},
		{"title = 'a\"", 9, "the string is not closed: it lacks its second '", "title = 'a'"},
		{"(id = 1", 8, "expected ), not the end: the ( at 1:1 is not closed", "(id = 1)"},
		{"id = 1 AND\n(abs(id) = 1", 13, "the ( at 2:1 is not closed", "id = 1 AND (abs(id) = 1)"},
		{"abs(id", 7, "the ( at 1:4 is not closed", "abs(id) = 1"},
		{"id IN {1, 2", 12, "expected }, not the end: the { at 1:7 is not closed", "id IN {1, 2}"},
		{"keywords[SIZE", 14, "expected ], not the end: the [ at 1:9 is not closed", "keywords[SIZE] = 1"},
		{"id = 1)", 7, "this ) closes nothing: no ( is open", "id = 1"},
		{"id IN {1}}", 10, "this } closes nothing: no { is open", "id IN {1}"},
		// Numbers and dates.
		{"id = -9223372036854775808", 7, "an Int ends at 9223372036854775807; write -9223372036854775807 - 1", "id = -9223372036854775807 - 1"},
		{"id = 9223372036854775808", 6, "the number is out of range: an Int ends at 9223372036854775807, and 9223372036854775808.0 is a Float", "id = 9223372036854775808.0"},
		{"id = 1e999", 6, "the number is out of range: a Float is of double precision", "id = 1e99"},
		{"creationDate > -7d", 17, "a span of time is no number; dates move as in FUNCTION(NOW(), 'dateByAddingDays:', -7)", "creationDate > FUNCTION(NOW(), 'dateByAddingDays:', -7)"},
		{"creationDate < CAST('2026-02-30', 'NSDate')", 21, "the date 2026-02-30 does not exist", "creationDate < CAST('2026-02-28', 'NSDate')"},
		{"creationDate < CAST('2025-02-29T10:00:00Z', 'NSDate')", 21, "the date 2025-02-29 does not exist", "creationDate < CAST('2024-02-29T10:00:00Z', 'NSDate')"},
		{"creationDate < CAST('2026-13-01', 'NSDate')", 21, "the date 2026-13-01 does not exist", "creationDate < CAST('2026-12-01', 'NSDate')"},
		{"creationDate < CAST('0000-01-01', 'NSDate')", 21, "the years are 0001 to 9999", "creationDate < CAST('0001-01-01', 'NSDate')"},
		{"creationDate < CAST('2026-01-01T25:00:00Z', 'NSDate')", 21, "the time 25:00:00 does not exist", "creationDate < CAST('2026-01-01T23:00:00Z', 'NSDate')"},
		{"creationDate < 2026-01-01", 14, "write CAST('2006-01-02T15:04:05Z', 'NSDate')", "creationDate < CAST('2026-01-01', 'NSDate')"},
	} {
		_, err := Compile(c.text, predicate.Problem, checkEnv)
		var e *predicate.Error
		switch {
		case !errors.As(err, &e):
			t.Errorf("%s: %v", c.text, err)
		case e.Column != c.column || !strings.Contains(e.Message, c.want):
			t.Errorf("%s: %q at column %d; want %q at %d", c.text, e.Message, e.Column, c.want, c.column)
		}
		if _, err := Compile(c.mended, predicate.Problem, checkEnv); err != nil {
			t.Errorf("%s, mended to %s: %v", c.text, c.mended, err)
		}
	}
}

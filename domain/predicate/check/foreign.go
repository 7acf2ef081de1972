package check

import (
	"regexp"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
)

// foreignNames are names that functions have in SQL, JQL and other languages, in small letters.
var foreignNames = map[string]string{
	"lower": "lowercase", "lcase": "lowercase", "upper": "uppercase", "ucase": "uppercase",
	"len": "length", "char_length": "length", "strlen": "length",
	"avg": "average", "ceil": "ceiling", "truncate": "trunc",
}

// foreignFunctions are functions of these languages, by their names in small letters, with advice.
var foreignFunctions = map[string]string{
	"mod":          didYouMean("FUNCTION(x, 'modulus:by:', y)"),
	"power":        "a power is written **",
	"pow":          "a power is written **",
	"currentuser":  syntax.Caller,
	"current_user": syntax.Caller,
	"me":           syntax.Caller,
	"today":        requestTime, "getdate": requestTime, "current_timestamp": requestTime,
	"startofday": requestTime, "startofweek": requestTime, "startofmonth": requestTime, "startofyear": requestTime,
	"date_sub": dateMoves, "date_add": dateMoves, "dateadd": dateMoves,
	"date": dateIsCast, "to_date": dateIsCast,
}

const (
	requestTime = "the time of the request is NOW(), and " + dateMoves
	dateMoves   = "dates move as in FUNCTION(NOW(), 'dateByAddingDays:', -7)"
	dateIsCast  = "a date is written CAST('2006-01-02T15:04:05Z', 'NSDate')"
)

// behindDashes reports whether -- stands before the offset, as before a comment in SQL.
func behindDashes(text string, offset int) bool {
	return strings.HasSuffix(strings.TrimRight(text[:offset], " \t"), "--")
}

// dateForm divides a date with an optional time.
var dateForm = regexp.MustCompile(`^([0-9]{4})-[0-9]{2}-[0-9]{2}(?:[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2}).*)?$`)

// castHint describes the fault of a string for CAST to a type.
func castHint(target, s string) string {
	if target != "NSDate" {
		return castHints[target]
	}
	m := dateForm.FindStringSubmatch(s)
	if m == nil {
		return castHints[target]
	}
	if m[1] == "0000" {
		return "the years are 0001 to 9999"
	}
	if day := s[:len(time.DateOnly)]; !parses(time.DateOnly, day) {
		return "the date " + day + " does not exist"
	}
	if m[2] != "" && !parses(time.TimeOnly, m[2]) {
		return "the time " + m[2] + " does not exist"
	}
	return castHints[target]
}

func parses(layout, s string) bool {
	_, err := time.Parse(layout, s)
	return err == nil
}

// looksLikeDate reports whether two literals with a minus between them were meant as a
// date, such as 2026-01-01.
func looksLikeDate(n syntax.Operand) bool {
	a, ok := n.(*syntax.Arithmetic)
	if !ok || a.Op != "-" {
		return false
	}
	day, ok := a.Right.(*syntax.Literal)
	if !ok || day.Kind != predicate.Int {
		return false
	}
	if month, ok := a.Left.(*syntax.Arithmetic); ok && month.Op == "-" {
		_, ok := month.Left.(*syntax.Literal)
		return ok
	}
	return false
}

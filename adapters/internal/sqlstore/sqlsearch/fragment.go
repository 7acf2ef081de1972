package sqlsearch

import "regexp"

// fragment is a piece of a statement with its arguments, one for each placeholder. Input
// from a request is always an argument.
type fragment struct {
	sql  string
	args []any
	// keyed is true for a condition with an index for its rows. few is also true when
	// that index is on the table of problems.
	keyed, few bool
	// rows are those at which a search begins by such a condition, as a FROM clause has them; nil
	// where they are not counted.
	rows *fragment
	// late is true for rows that come last in an ascending order: the latest problems and changes.
	late bool
	// choice is the condition's limit on a reference of the problem; nil for other
	// conditions.
	choice *choice
}

// text returns a fragment of texts and of fragments, one after the other.
func text(parts ...any) (f fragment) {
	n := 0
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			n += len(part)
		case fragment:
			n += len(part.sql)
		}
	}
	b := make([]byte, 0, n)
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			b = append(b, part...)
		case fragment:
			b = append(b, part.sql...)
			f.args = append(f.args, part.args...)
		}
	}
	f.sql = string(b)
	return f
}

// templateField matches the name of a fragment in the templates of Syntax.
var templateField = regexp.MustCompile(`\{[a-z]+\}`)

// fill returns a template with fragments instead of their names.
func fill(form string, by map[string]fragment) fragment {
	var parts []any
	end := 0
	for _, at := range templateField.FindAllStringIndex(form, -1) {
		parts = append(parts, form[end:at[0]], by[form[at[0]:at[1]]])
		end = at[1]
	}
	return text(append(parts, form[end:])...)
}

// argument returns the placeholder of a value.
func argument(value any) fragment { return fragment{sql: "?", args: []any{value}} }

// constant returns a condition that is always true, or always false.
func constant(holds bool) fragment {
	if holds {
		return fragment{sql: "TRUE"}
	}
	return fragment{sql: "FALSE"}
}

// not returns the complement of a condition. The condition may be NULL where it does not
// hold (section 7).
func not(condition fragment) fragment { return text("(", condition, ") IS NOT TRUE") }

// and and or join conditions to a balanced tree, as SQLite limits its depth.

func and(conditions ...fragment) fragment {
	joined := balanced(" AND ", true, conditions)
	for _, c := range conditions {
		joined.keyed = joined.keyed || c.keyed
		joined.few = joined.few || c.few
	}
	return joined
}

func or(conditions ...fragment) fragment { return balanced(" OR ", false, conditions) }

func balanced(operator string, empty bool, conditions []fragment) fragment {
	switch n := len(conditions); n {
	case 0:
		return constant(empty)
	case 1:
		return conditions[0]
	default:
		return text("(", balanced(operator, empty, conditions[:n/2]), operator, balanced(operator, empty, conditions[n/2:]), ")")
	}
}

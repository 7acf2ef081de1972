package everyday

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/domain/text"
)

// number reads the identifier of a problem, such as 12 or #12.
func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64)
	return n, err == nil && n > 0
}

// numbers divides arguments into the identifiers at their start and the rest.
func numbers(args []string) (all []int64, rest []string) {
	for i, arg := range args {
		n, ok := number(arg)
		if !ok {
			return all, args[i:]
		}
		all = append(all, n)
	}
	return all, nil
}

// assignment reads an argument such as priority=High.
func assignment(arg string) (field, value string, ok bool) {
	field, value, ok = strings.Cut(arg, "=")
	return field, value, ok && slices.Contains(client.FieldNames(), field)
}

// mistyped returns the field that a word such as priorty=high seems to mean; "" for a word of
// a text.
func mistyped(word string) string {
	name, _, valued := strings.Cut(word, "=")
	for _, field := range client.FieldNames() {
		if valued && text.EditDistance(name, field) <= max(1, len(field)/4) {
			return field
		}
	}
	return ""
}

// patch returns the change of some assignments. An empty value clears a field.
func patch(ctx context.Context, server *client.Client, assignments []string) (client.Patch, error) {
	values := make(map[string]string)
	for _, arg := range assignments {
		field, value, ok := assignment(arg)
		if !ok {
			return client.Patch{}, misused("%q is no assignment: write FIELD=VALUE, with one of the fields %s", arg, strings.Join(client.FieldNames(), ", "))
		}
		if _, twice := values[field]; twice {
			return client.Patch{}, misused("%s is set twice", field)
		}
		values[field] = value
	}
	return server.Named(ctx, values)
}

package everyday

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/client"
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

// patch returns the change of some assignments. An empty value clears a field.
func patch(ctx context.Context, server *client.Client, assignments []string) (client.Patch, error) {
	values := make(map[string]string)
	for _, arg := range assignments {
		field, value, ok := assignment(arg)
		if !ok {
			return client.Patch{}, fmt.Errorf("%q is no assignment: write FIELD=VALUE, with one of the fields %s", arg, strings.Join(client.FieldNames(), ", "))
		}
		values[field] = value
	}
	return server.Named(ctx, values)
}

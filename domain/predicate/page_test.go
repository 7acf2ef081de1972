package predicate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate/internal/pagetest"
)

// The tests below find all parts of the language in its page. Another test asks the
// examples and the errors of the page, in every kind of store.

func TestPageHasKeys(t *testing.T) {
	t.Parallel()
	p := pagetest.Read(t)
	seen := map[Entity]bool{}
	for _, row := range p.Table("| of | keys |") {
		entity := Entity(row[0])
		seen[entity] = true
		var want []string
		for spelling, key := range schema[entity].byName {
			name := key.Name
			switch {
			case spelling != strings.ToLower(name): // an alias
				name = map[string]string{"id": "id", "childid": "childId"}[spelling]
			case key.Type.Many:
				name += "*"
			case key.Nullable:
				name += "?"
			}
			want = append(want, name)
		}
		p.Has(row[0], pagetest.Codes(row[1]), want)
		for _, part := range regexp.MustCompile("[,;] ").Split(row[1], -1) {
			words := strings.Fields(part)
			key, ok := Lookup(entity, strings.Trim(words[0], "`?*"))
			if !ok {
				continue // reported above
			}
			typed := words[len(words)-1]
			switch {
			case len(words) > 1:
			case strings.HasSuffix(key.Name, "Date"):
				typed = string(Date)
			default:
				typed = string(String)
			}
			if want := key.Type.Member().String(); typed != want {
				p.Errorf("%s: the page says that %s is of type %s, not %s", entity, key.Name, typed, want)
			}
		}
	}
	for entity := range schema {
		if !seen[entity] {
			p.Errorf("the page has no keys of %s", entity)
		}
	}
}

func TestPageHasErrors(t *testing.T) {
	t.Parallel()
	p := pagetest.Read(t)
	var got []string
	for _, row := range p.Table("| kind | meaning |") {
		got = append(got, pagetest.Codes(row[0])...)
	}
	p.Has("kinds", got, []string{
		string(InvalidSyntax), string(Unsupported), string(UnknownKey), string(UnknownFunction),
		string(UnboundVariable), string(TypeMismatch), string(InvalidPattern), string(LimitExceeded),
	})
}

func TestPageHasLimits(t *testing.T) {
	t.Parallel()
	p := pagetest.Read(t)
	rows := append(p.Table("| limit | |"), p.Table("| limit of a search | |")...)
	for _, limit := range []struct {
		value int
		of    string
	}{
		{MaxBytes, "of the predicate"},
		{MaxNesting, "levels of `(`"},
		{MaxNodes, "operands and operators"},
		{MaxListMembers, "members of a list"},
		{MaxPathSegments, "keys in a path"},
		{MaxSubqueryNesting, "levels of SUBQUERY"},
		{MaxMatches, "uses of MATCHES"},
		{MaxPatternLength, "of a regular expression"},
		{MaxLikeRuns, "runs of `*`"},
		{MaxSortKeys, "keys of a `sort`"},
		{MaxJoins, "objects by to-one keys"},
	} {
		value := fmt.Sprint(limit.value)
		if limit.value >= 1000 {
			value = fmt.Sprintf("%d,%03d", limit.value/1000, limit.value%1000)
		}
		if !slices.ContainsFunc(rows, func(row []string) bool {
			number, _, _ := strings.Cut(row[0], " ")
			return number == value && strings.HasPrefix(row[1], limit.of)
		}) {
			p.Errorf("the page lacks the limit of %s %s", value, limit.of)
		}
	}
}

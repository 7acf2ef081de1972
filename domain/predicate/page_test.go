package predicate

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/relationship"
	pages "github.com/problemtracking/problems/domain/rules"
)

// The tests below find all parts of the language in its page. Another test asks the
// examples and the errors of the page, in every kind of store.

// page is the page of the query language.
type page struct {
	*testing.T
	text string
}

func readPage(t *testing.T) page {
	t.Helper()
	text, err := fs.ReadFile(pages.Pages(), "predicates.md")
	if err != nil {
		t.Fatal(err)
	}
	return page{t, string(text)}
}

// table returns the rows of the table with this header, with trimmed cells.
func (p page) table(header string) (rows [][]string) {
	p.Helper()
	_, rest, found := strings.Cut(p.text, "\n"+header+"\n")
	if !found {
		p.Fatalf("the page has no table %q", header)
	}
	for _, line := range strings.Split(rest, "\n")[1:] { // without the line below the header
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

var code = regexp.MustCompile("`([^`]+)`")

var fences = regexp.MustCompile("(?s)```.*?```")

// codes returns the texts between backticks, without examples.
func codes(text string) (all []string) {
	for _, match := range code.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
		all = append(all, match[1])
	}
	return all
}

// has reports an error for each wanted name missing from the names of a part of the
// page, and for each other name there.
func (p page) has(part string, got, want []string) {
	p.Helper()
	for _, name := range want {
		if !slices.Contains(got, name) {
			p.Errorf("%s: the page lacks %s", part, name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			p.Errorf("%s: the page has %s, unknown to the code", part, name)
		}
	}
}

func TestPageHasKeys(t *testing.T) {
	t.Parallel()
	p := readPage(t)
	seen := map[Entity]bool{}
	for _, row := range p.table("| of | keys |") {
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
		p.has(row[0], codes(row[1]), want)
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

func TestPageHasFunctions(t *testing.T) {
	t.Parallel()
	p := readPage(t)
	var named, selected, want, alone []string
	for _, row := range p.table("| function | result |") {
		for _, call := range codes(row[0]) {
			name, _, _ := strings.Cut(call, "(")
			named = append(named, name)
		}
	}
	for _, row := range p.table("| selector | result of `FUNCTION(a, 'selector', b)` |") {
		selected = append(selected, codes(row[0])...)
	}
	for _, f := range functions {
		if f.selectorOnly {
			alone = append(alone, f.selector)
		} else {
			want = append(want, f.name())
		}
	}
	p.has("functions", named, want)
	p.has("selectors", selected, alone)
	for f := range aggregates {
		if !slices.ContainsFunc(codes(p.text), func(c string) bool { return strings.HasPrefix(c, "."+string(f)) }) {
			p.Errorf("the page lacks the aggregate %s", f)
		}
	}
	for _, row := range p.table("| cast | takes | result |") {
		call := strings.ReplaceAll(strings.Trim(row[0], "`"), "x", "nil")
		if _, err := Compile(call+" = nil", Problem, checkEnv); err != nil {
			p.Errorf("the page has %s: %v", row[0], err)
		}
	}
	for _, target := range []string{"NSDate", "NSNumber", "NSString"} {
		if !strings.Contains(p.text, "`CAST(x, '"+target+"')`") {
			p.Errorf("the page lacks the cast to %s", target)
		}
	}
}

func TestPageHasOperators(t *testing.T) {
	t.Parallel()
	p := readPage(t)
	var got []string
	for _, row := range p.table("| operator | operands | true if |") {
		for _, operator := range codes(row[0]) {
			operator, _, _ = strings.Cut(operator, " ")
			got = append(got, operator)
		}
	}
	var want []string
	others := strings.Join(codes(p.text), " ")
	for kind, binds := range infix {
		spellings := []string{string(kind)}
		for _, s := range signs {
			if s.kind == kind && s.text != string(kind) {
				spellings = append(spellings, s.text)
			}
		}
		if binds == comparing {
			want = append(want, spellings...)
			continue
		}
		for _, spelling := range spellings {
			if !slices.Contains(strings.Fields(others), spelling) {
				p.Errorf("the page lacks the operator %s", spelling)
			}
		}
	}
	p.has("operators", got, want)
	for modifier := range modifiers {
		if modifier != Exact && !strings.Contains(p.text, "`"+modifiers[modifier]+"`") {
			p.Errorf("the page lacks the modifier %s", modifiers[modifier])
		}
	}
}

func TestPageHasWords(t *testing.T) {
	t.Parallel()
	p := readPage(t)
	list := regexp.MustCompile("(?s)words are reserved, in any case: `([^`]+)`").FindStringSubmatch(p.text)
	if list == nil {
		t.Fatal("the page has no list of reserved words")
	}
	var want []string
	for w := range reserved {
		want = append(want, w)
	}
	p.has("reserved words", strings.Fields(list[1]), want)

	list = regexp.MustCompile("(?s)A backslash begins an escape: `([^`]+)`").FindStringSubmatch(p.text)
	if list == nil {
		t.Fatal("the page has no list of escapes")
	}
	want = []string{`\uXXXX`}
	for letter := range escapes {
		want = append(want, `\`+string(letter))
	}
	p.has("escapes", strings.Fields(list[1]), want)

	for _, kind := range relationship.Types() {
		if !regexp.MustCompile(fmt.Sprintf(`\b%s\s+%d\b`, kind, kind.Code())).MatchString(p.text) {
			p.Errorf("the page lacks the type %s with its code %d", kind, kind.Code())
		}
	}
}

func TestPageHasErrors(t *testing.T) {
	t.Parallel()
	p := readPage(t)
	var got []string
	for _, row := range p.table("| kind | meaning |") {
		got = append(got, codes(row[0])...)
	}
	p.has("kinds", got, []string{
		string(InvalidSyntax), string(Unsupported), string(UnknownKey), string(UnknownFunction),
		string(UnboundVariable), string(TypeMismatch), string(InvalidPattern), string(LimitExceeded),
	})
}

func TestPageHasLimits(t *testing.T) {
	t.Parallel()
	p := readPage(t)
	rows := append(p.table("| limit | |"), p.table("| limit of a search | |")...)
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

package syntax

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/pagetest"
	"github.com/problemtracking/problems/domain/relationship"
)

func TestPageHasOperators(t *testing.T) {
	t.Parallel()
	p := pagetest.Read(t)
	var got []string
	for _, row := range p.Table("| operator | operands | true if |") {
		for _, operator := range pagetest.Codes(row[0]) {
			operator, _, _ = strings.Cut(operator, " ")
			got = append(got, operator)
		}
	}
	var want []string
	others := strings.Join(pagetest.Codes(p.Text), " ")
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
	p.Has("operators", got, want)
	for _, f := range []predicate.Folding{predicate.Case, predicate.Marks, predicate.Both} {
		if !strings.Contains(p.Text, "`"+f.Modifier()+"`") {
			p.Errorf("the page lacks the modifier %s", f.Modifier())
		}
	}
}

func TestPageHasWords(t *testing.T) {
	t.Parallel()
	p := pagetest.Read(t)
	list := regexp.MustCompile("(?s)words are reserved, in any case: `([^`]+)`").FindStringSubmatch(p.Text)
	if list == nil {
		t.Fatal("the page has no list of reserved words")
	}
	var want []string
	for w := range reserved {
		want = append(want, w)
	}
	p.Has("reserved words", strings.Fields(list[1]), want)

	list = regexp.MustCompile("(?s)A backslash begins an escape: `([^`]+)`").FindStringSubmatch(p.Text)
	if list == nil {
		t.Fatal("the page has no list of escapes")
	}
	want = []string{`\uXXXX`}
	for letter := range escapes {
		want = append(want, `\`+string(letter))
	}
	p.Has("escapes", strings.Fields(list[1]), want)

	for _, kind := range relationship.Types() {
		if !regexp.MustCompile(fmt.Sprintf(`\b%s\s+%d\b`, kind, kind.Code())).MatchString(p.Text) {
			p.Errorf("the page lacks the type %s with its code %d", kind, kind.Code())
		}
	}
}

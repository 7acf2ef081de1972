package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/pagetest"
)

func TestPageHasFunctions(t *testing.T) {
	t.Parallel()
	p := pagetest.Read(t)
	var named, selected, want, alone []string
	for _, row := range p.Table("| function | result |") {
		for _, call := range pagetest.Codes(row[0]) {
			name, _, _ := strings.Cut(call, "(")
			named = append(named, name)
		}
	}
	for _, row := range p.Table("| selector | result of `FUNCTION(a, 'selector', b)` |") {
		selected = append(selected, pagetest.Codes(row[0])...)
	}
	for _, f := range functions {
		if f.selectorOnly {
			alone = append(alone, f.selector)
		} else {
			want = append(want, f.name())
		}
	}
	p.Has("functions", named, want)
	p.Has("selectors", selected, alone)
	for _, f := range predicate.Aggregates() {
		if !slices.ContainsFunc(pagetest.Codes(p.Text), func(c string) bool { return strings.HasPrefix(c, "."+string(f)) }) {
			p.Errorf("the page lacks the aggregate %s", f)
		}
	}
	for _, row := range p.Table("| cast | takes | result |") {
		call := strings.ReplaceAll(strings.Trim(row[0], "`"), "x", "nil")
		if _, err := Compile(call+" = nil", predicate.Problem, checkEnv); err != nil {
			p.Errorf("the page has %s: %v", row[0], err)
		}
	}
	for _, target := range []string{"NSDate", "NSNumber", "NSString"} {
		if !strings.Contains(p.Text, "`CAST(x, '"+target+"')`") {
			p.Errorf("the page lacks the cast to %s", target)
		}
	}
}

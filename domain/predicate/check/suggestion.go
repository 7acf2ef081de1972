package check

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
	"github.com/problemtracking/problems/domain/text"
)

// counted returns a number of things in the wording of errors.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// suggestion returns the end of an error about a name: the nearest of the known names,
// or else all of them.
func suggestion(name string, known []string) string {
	best, distance := "", syntax.MaxQuoted
	if len(name) <= syntax.MaxQuoted {
		for _, k := range known {
			if d := text.EditDistance(strings.ToLower(name), strings.ToLower(k)); d < distance {
				best, distance = k, d
			}
		}
	}
	if distance <= max(1, len(name)/3) {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "known are " + strings.Join(known, ", ")
}

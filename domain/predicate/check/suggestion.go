package check

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
	"github.com/problemtracking/problems/domain/text"
)

// didYouMean asks for a name in place of a wrong one.
func didYouMean(name string) string { return fmt.Sprintf("did you mean %s?", name) }

// counted returns a number of things in the wording of errors.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// suggestion returns the end of an error about a name: the nearest of the known names, or else
// all of them. meant is the nearest name, if it is near.
func suggestion(name string, known []string) (words, meant string) {
	best, distance := "", syntax.MaxQuoted
	if len(name) <= syntax.MaxQuoted {
		for _, k := range known {
			if d := text.EditDistance(strings.ToLower(name), strings.ToLower(k)); d < distance {
				best, distance = k, d
			}
		}
	}
	if distance <= max(1, len(name)/3) {
		return didYouMean(best), best
	}
	return "known are " + strings.Join(known, ", "), ""
}

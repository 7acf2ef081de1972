package report

import (
	"fmt"
	"strings"
)

// named is how many cases are named in a line.
const named = 8

// Text returns the report in a few lines for a terminal: the verdict with its figures,
// and below it the cases in the way.
func (r *Report) Text() string {
	core, extended := r.Count(Core), r.Count(Extended)
	var out strings.Builder
	fmt.Fprintf(&out, "conformance: %s: %s: %s (core %s, extended %s)",
		line(r.Implementation.title()), r.Result.words(), line(r.Reason),
		core.ratio(), extended.ratio())
	if r.Durability != nil {
		fmt.Fprintf(&out, ", durability %s", line(r.Durability.words()))
	}
	if r.Seed != "" {
		fmt.Fprintf(&out, ", seed %s", line(r.Seed))
	}
	fmt.Fprintf(&out, ", %s\n", r.Duration)
	for _, status := range []Status{Failed, Broken} {
		if those := r.ended(status); len(those) > 0 {
			fmt.Fprintf(&out, "  %s: %s\n", status, line(few(ids(those), named)))
		}
	}
	for _, g := range r.gaps() {
		if !g.waived && (r.Suite.Only == "" || g.reason != "not chosen by "+r.Suite.Only) {
			fmt.Fprintf(&out, "  not run: %s: %s\n", line(few(g.ids, named)), line(g.reason))
		}
	}
	return out.String()
}

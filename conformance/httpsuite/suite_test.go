package httpsuite

import (
	"regexp"
	"testing"

	"github.com/problemtracking/problems/conformance/report"
)

func TestCasesAreNamedAndExplained(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^HTTP-[A-Z]+[0-9]?-[0-9]{3}$`)
	seen := map[string]bool{}
	profiles := map[string]int{}
	for _, c := range Cases() {
		if !form.MatchString(c.ID) || seen[c.ID] {
			t.Errorf("%q is no ID or not unique", c.ID)
		}
		seen[c.ID] = true
		if c.Rule == "" || c.Source == "" || c.run == nil {
			t.Errorf("%s lacks its rule, its source or its test", c.ID)
		}
		if c.Profile == "" || c.Level != report.Core && c.Level != report.Extended {
			t.Errorf("%s has the profile %q and the level %q", c.ID, c.Profile, c.Level)
		}
		if c.Level == report.Core {
			profiles[c.Profile]++
		}
	}
	// What the specification itself is about.
	for _, profile := range []string{"problems", "metadata", "log", "comments", "keywords", "relationships", "watchers", "search", "access"} {
		if profiles[profile] == 0 {
			t.Errorf("the profile %s has no core case", profile)
		}
	}
}

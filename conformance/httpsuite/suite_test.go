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

func TestPointers(t *testing.T) {
	t.Parallel()
	value := normal(raw(`{"a/b":[1,{"c~d":"x"}]}`))
	for pointer, want := range map[string]any{
		"/a~1b/1/c~0d": "x", "/a~1b/last/c~0d": "x", "/a~1b/2": nil, "/nope/1": nil,
	} {
		if got := at(value, pointer); got != want {
			t.Errorf("at %s is %v, want %v", pointer, got, want)
		}
	}
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	// CRC-32 of "123456789" is 0xCBF43926 = 3421780262.
	if got := checksum("123456789"); got != "3jZRME" {
		t.Errorf("checksum is %s", got)
	}
}

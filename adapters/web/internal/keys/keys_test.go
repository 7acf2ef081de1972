package keys

import (
	"slices"
	"strings"
	"testing"
)

// No two keys of a page are the same, and none hides the beginning of two others.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, place := range Places[1:] {
		all := slices.Concat(Of("all"), Of(place))
		for i, k := range all {
			for _, other := range all[i+1:] {
				if k.Keys == other.Keys || k.Name == other.Name || strings.HasPrefix(other.Keys, k.Keys+" ") || strings.HasPrefix(k.Keys, other.Keys+" ") {
					t.Errorf("%s: %v and %v are in the way of each other", place, k, other)
				}
			}
		}
	}
	for _, name := range moves {
		if Named(name) == "" {
			t.Errorf("no key is named %s", name)
		}
	}
	if got := (Key{Keys: "X"}).Caps(); !slices.Equal(got, []string{"Shift", "x"}) {
		t.Errorf("X is %q", got)
	}
}

package remote

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

func TestLocation(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string]fault.Location{
		"":                 {},
		"/name":            fault.At("name"),
		"/user/identifier": fault.At("user").Member("identifier"),
		"/keywords/2/name": fault.At("keywords").Element(2).Member("name"),
		"/a~1b~0c":         fault.At("a/b~c"),
	} {
		if got := location(pointer); !got.Equal(want) {
			t.Errorf("%q leads to %q, want %q", pointer, got, want)
		}
	}
}

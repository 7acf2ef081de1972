package wire

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

func TestPointerTo(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]fault.Location{
		"":                 {},
		"/":                fault.At(""),
		"/title":           fault.At("title"),
		"/keywords/0/name": fault.At("keywords").Element(0).Member("name"),
		"/a~1b~0c/~01":     fault.At("a/b~c").Member("~1"),
		"/ é~1~0":          fault.At(" é/~"),
	} {
		if got := pointer(at); got != want {
			t.Errorf("the pointer to %v is %q, want %q", at, got, want)
		}
	}
}

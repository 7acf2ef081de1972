package httpframe

import (
	"strings"
	"testing"
)

// D48, RFC 9110: a range outside of the file stays so, one of another form is ignored.
func TestRangeWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked string
		size  int64
		want  string
	}{
		{"bytes=0-4", 10, "bytes=0-4"},
		{"bytes=2-", 10, "bytes=2-"},
		{"bytes=-3", 10, "bytes=-3"},
		{"bytes=0-99999999999999999999", 10, "bytes=0-9"},
		{"bytes=-99999999999999999999", 10, "bytes=-9223372036854775807"},
		{"bytes=0-1, 99999999999999999999-, 4-5", 10, "bytes=0-1,4-5"},
		{"bytes=10-", 10, "bytes=10-"},
		{"bytes=-0", 10, "bytes=10-"},
		{"bytes=-1", 0, "bytes=0-"}, // ServeContent answers with the whole empty file
		{"bytes=abc", 10, ""},
		{"bytes=5-4", 10, ""},
		{"bytes=-", 10, ""},
		{"bytes=0-1,x-2", 10, ""},
		{"lines=0-4", 10, ""},
		{"bytes=" + strings.Repeat("0-0,", 15) + "1-1", 10, "bytes=" + strings.Repeat("0-0,", 15) + "1-1"},
		{"bytes=" + strings.Repeat("0-0,", 16) + "1-1", 10, ""},
	} {
		if got := rangeWithin(c.asked, c.size); got != c.want {
			t.Errorf("%q of %d bytes: %q, want %q", c.asked, c.size, got, c.want)
		}
	}
}

package problem

import (
	"testing"

	"github.com/problemtracking/problems/domain/ident"
)

// Values are read as written, and no other value passes for them.
func TestLogValueReads(t *testing.T) {
	t.Parallel()
	id := ident.ID{6: 0x70, 8: 0x80, 15: 1}
	for _, c := range []struct {
		value           LogValue
		text, ref, link bool
		wantText        string
		wantRef         ident.ID
		wantLink        ID
	}{
		{value: LogText(""), text: true},
		{value: LogText("a \"<&>\" \u2028\U0001F600"), text: true, wantText: "a \"<&>\" \u2028\U0001F600"},
		{value: LogText("null"), text: true, wantText: "null"},
		{value: LogRef(id, "Ann"), ref: true, wantRef: id},
		{value: LogRef(ident.None, ""), ref: true},
		{value: LogLink(1<<53 + 1), link: true, wantLink: 1<<53 + 1},
		{value: LogNoValue},
		{value: LogObject()},
		{value: `{"problemIdentifier":0}`},
		{value: `{"identifier":"1"}`},
		{value: `7`},
	} {
		if s, ok := c.value.Text(); ok != c.text || s != c.wantText {
			t.Errorf("%s as text: %q, %t", c.value.JSON(), s, ok)
		}
		if got, ok := c.value.Ref(); ok != c.ref || got != c.wantRef {
			t.Errorf("%s as a reference: %v, %t", c.value.JSON(), got, ok)
		}
		if got, ok := c.value.Link(); ok != c.link || got != c.wantLink {
			t.Errorf("%s as a link: %d, %t", c.value.JSON(), got, ok)
		}
	}
}

func TestLogValueSame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b LogValue
		same bool
	}{
		{"", "null", true},
		{`"x"`, `"x"`, true},
		{`"<"`, `"\u003c"`, true},
		{`{"a":1,"b":[2]}`, `{"b":[2],"a":1}`, true},
		{`{"a":1}`, `{"a":1.0}`, false},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{"", `""`, false},
		{"no JSON", "no JSON", false},
	} {
		if c.a.Same(c.b) != c.same || c.b.Same(c.a) != c.same {
			t.Errorf("%s is the same as %s: want %t", c.a, c.b, c.same)
		}
	}
}

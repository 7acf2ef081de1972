package problem

import (
	"testing"
	"time"

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

// A comment is read as it was written, with null for what it did not have.
func TestLogValueComment(t *testing.T) {
	t.Parallel()
	ann, bob := ident.ID{6: 0x70, 8: 0x80, 15: 1}, ident.ID{6: 0x70, 8: 0x80, 15: 2}
	noon := time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC)
	plain := Comment{ID: ident.ID{6: 0x70, 8: 0x80, 15: 9}, Author: ann, Created: noon, Text: "a <b>"}
	edited := plain
	edited.HTML, edited.Edited, edited.Editor = Text(""), noon.Add(time.Minute), bob
	const id = `{"identifier":"00000000-0000-7000-8000-000000000009","text":"a <b>",`
	const byBob = `"html":"","editDate":"2015-11-05T12:01:00.000Z","editor":{"identifier":"00000000-0000-7000-8000-000000000002","name":"Bob"}`
	const byAnn = `"author":{"identifier":"00000000-0000-7000-8000-000000000001","name":"Ann"},"creationDate":"2015-11-05T12:00:00.000Z"`
	for _, c := range []struct {
		value   LogValue
		json    string
		want    Comment
		created bool
	}{
		{LogComment(plain, ""), id + `"html":null,"editDate":null,"editor":null}`, plain, false},
		{LogComment(edited, LogRef(bob, "Bob")), id + byBob + `}`, edited, false},
		{LogDeletedComment(edited, LogRef(ann, "Ann"), LogRef(bob, "Bob")), id + byBob + `,` + byAnn + `}`, edited, true},
	} {
		if string(c.value) != c.json {
			t.Errorf("the value is %s, want %s", c.value, c.json)
		}
		if !c.created {
			c.want.Author, c.want.Created = ident.None, time.Time{}
		}
		if got, ok := c.value.Comment(); !ok || got != c.want {
			t.Errorf("%s as a comment: %+v, %t; want %+v", c.value, got, ok, c.want)
		}
	}
	for _, other := range []LogValue{"", LogText("a"), LogObject(), id + `"editor":7}`, `{"identifier":"9","text":"a"}`, `{"identifier":"00000000-0000-7000-8000-000000000009"}`} {
		if got, ok := other.Comment(); ok {
			t.Errorf("%s as a comment: %+v", other.JSON(), got)
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

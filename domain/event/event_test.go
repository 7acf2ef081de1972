package event

import (
	"cmp"
	"math"
	"testing"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
)

func TestCursorText(t *testing.T) {
	batch := ident.ID{1, 2, 3, 15: 16}
	for _, c := range []Cursor{
		Start,
		{Number: 1, Index: 1, Batch: batch},
		{Number: 1, Index: 1000, Batch: batch},
		{Number: math.MaxInt64, Index: math.MaxInt32, Batch: ident.ID{15: 255}},
		{Number: 7, Index: 1},
	} {
		text := c.String()
		if len(text) > 50 {
			t.Errorf("%+v has %d characters: %s", c, len(text), text)
		}
		if got, err := ParseCursor(text); err != nil || got != c {
			t.Errorf("ParseCursor(%q) = %+v, %v, want %+v", text, got, err, c)
		}
		for cut := range text {
			if got, err := ParseCursor(text[:cut]); err == nil {
				t.Errorf("the first %d characters of %q are a cursor, too: %+v", cut, text, got)
			}
		}
		if got, err := ParseCursor(text + "AA"); err == nil {
			t.Errorf("%q with more behind it is a cursor, too: %+v", text, got)
		}
	}
}

func TestCursorRefuses(t *testing.T) {
	for _, text := range []string{"", "0", "now", "1", "12345", "AAAA", "4QAA=", "4Q", "4Q==", " 4QAA", "4Q AA", "ä", "4gAA", "4YAAAA"} {
		if c, err := ParseCursor(text); err == nil {
			t.Errorf("ParseCursor(%q) = %+v, want an error", text, c)
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(Start.String())
	f.Add(Cursor{Number: 300, Index: 2, Batch: ident.ID{9}}.String())
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseCursor(text); err == nil && c.String() != text {
			t.Errorf("%q is read as %+v, whose text is %q", text, c, c)
		}
	})
}

func TestCursorCompare(t *testing.T) {
	t.Parallel()
	ordered := []Cursor{Start, {Number: 1, Index: 1}, {Number: 1, Index: 2}, {Number: 2}, {Number: 2, Index: 1}, {Number: 10}}
	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := a.Compare(b), cmp.Compare(i, j); got != want {
				t.Errorf("%+v to %+v is %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestCursorOf(t *testing.T) {
	e := Entry{Number: 5, Batch: ident.ID{5}, Events: make([]Event, 3)}
	for index := range e.Events {
		if c := e.Cursor(index); !c.Of(e) || c.Index != index+1 || !c.Before().Of(e) || c.Before().Index != index {
			t.Errorf("the cursor of event %d is %+v", index, c)
		}
	}
	if e.End() != e.Cursor(2) {
		t.Errorf("End() = %+v, want the cursor of the last event", e.End())
	}
	for name, c := range map[string]Cursor{
		"the start":       Start,
		"before":          {Number: 5, Index: -1, Batch: e.Batch},
		"behind":          {Number: 5, Index: 4, Batch: e.Batch},
		"another number":  {Number: 4, Index: 1, Batch: e.Batch},
		"another history": {Number: 5, Index: 1, Batch: ident.ID{6}},
	} {
		if c.Of(e) {
			t.Errorf("%s: %+v counts as a cursor of the entry", name, c)
		}
	}
}

func TestTypes(t *testing.T) {
	seen := map[Type]bool{}
	for _, of := range Types() {
		if seen[of] {
			t.Errorf("%s is there twice", of)
		}
		seen[of] = true
	}
	for _, want := range []Type{ProblemCreated, ProblemChanged, "component.changed", "user.created", "token.changed"} {
		if !seen[want] {
			t.Errorf("%s is missing", want)
		}
	}
	if got, want := len(seen), 2+2*len(audit.Kinds()); got != want {
		t.Errorf("there are %d types, want %d", got, want)
	}
}

package relationship

import (
	"strconv"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/rules"
)

// TestTypes holds the types against the table of D7.
func TestTypes(t *testing.T) {
	t.Parallel()
	want := []struct {
		typ, mirror Type
		code        int
	}{
		{"RelatedTo", "RelatedTo", 100},
		{"ParentOf", "ChildOf", 200},
		{"ChildOf", "ParentOf", 201},
		{"OriginalOf", "DuplicateOf", 300},
		{"DuplicateOf", "OriginalOf", 301},
		{"CauseOf", "CausedBy", 400},
		{"CausedBy", "CauseOf", 401},
		{"BlockerOf", "BlockedBy", 500},
		{"BlockedBy", "BlockerOf", 501},
		{"ClonedTo", "ClonedFrom", 600},
		{"ClonedFrom", "ClonedTo", 601},
	}
	d7, _ := rules.Find("D7")
	types := Types()
	if len(types) != len(want) {
		t.Fatalf("Types() = %v, want %d of them", types, len(want))
	}
	for i, w := range want {
		if got := types[i]; got != w.typ {
			t.Errorf("Types()[%d] = %s, want %s", i, got, w.typ)
		}
		if got := w.typ.Mirror(); got != w.mirror {
			t.Errorf("%s.Mirror() = %s, want %s", w.typ, got, w.mirror)
		}
		if got := w.typ.Mirror().Mirror(); got != w.typ {
			t.Errorf("the mirror of the mirror of %s is %s", w.typ, got)
		}
		if got := w.typ.Code(); got != w.code {
			t.Errorf("%s.Code() = %d, want %d", w.typ, got, w.code)
		}
		if !strings.Contains(d7.Text, string(w.typ)) || !strings.Contains(d7.Text, strconv.Itoa(w.code)) {
			t.Errorf("%s does not have %s with the code %d", d7.Path(), w.typ, w.code)
		}
		family, ok := w.typ.Family()
		if !ok || !w.typ.Valid() || family.Forward.Code() != w.code-w.code%100 {
			t.Errorf("%s.Family() = %+v, %t", w.typ, family, ok)
		}
		if got, want := family.Directed(), w.typ != w.mirror; got != want {
			t.Errorf("the family of %s: Directed() = %t, want %t", w.typ, got, want)
		}
	}
	for _, typ := range []Type{"", "parentOf", "PARENTOF", "ParentOf ", "Parent"} {
		if typ.Valid() || typ.Code() != 0 || typ.Mirror() != "" {
			t.Errorf("%q counts as a type: Valid() = %t, Code() = %d, Mirror() = %q", typ, typ.Valid(), typ.Code(), typ.Mirror())
		}
	}
}

func TestFamiliesCannotBeChanged(t *testing.T) {
	t.Parallel()
	Families()[0].Forward = "Other"
	if got := Families()[0].Forward; got != RelatedTo {
		t.Errorf("Families()[0].Forward = %s, want %s", got, RelatedTo)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, known := range Types() {
		if err := known.Check(); err != nil {
			t.Errorf("%s: %v", known, err)
		}
	}
	for _, unknown := range []Type{"", "SiblingOf", "relatedTo"} {
		if err := unknown.Check(); err == nil || !strings.HasPrefix(err.Error(), "must be one of: RelatedTo, ParentOf, ") {
			t.Errorf("%q: %v", unknown, err)
		}
	}
	if err := CheckEnds(1, 2); err != nil {
		t.Error(err)
	}
	if CheckEnds(2, 2) == nil {
		t.Error("a problem has a relationship to itself")
	}
}

package problem

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
)

// D52, for each field with every choice of three values. What one field does is independent of
// the others.
func TestMerge(t *testing.T) {
	t.Parallel()
	values := []Fields{
		{Title: "a", State: ident.ID{1}, Priority: ident.ID{1}, Classification: ident.ID{1}, Component: ident.ID{1}, Milestone: ident.ID{1}, Assignee: ident.ID{1}, Due: date.Of(time.Unix(0, 0))},
		{Title: "b", State: ident.ID{2}, Priority: ident.ID{2}, Classification: ident.ID{2}, Component: ident.ID{2}, Milestone: ident.ID{2}, Assignee: ident.ID{2}, Due: date.Of(time.Unix(86400, 0))},
		{Title: "c", State: ident.ID{3}},
	}
	of := func(f *Field, i int) (fields Fields) {
		f.codec.(clientCodec).copy(&fields, &values[i])
		return fields
	}
	others := ClientFields()
	for i, f := range others {
		other := others[(i+1)%len(others)] // changed since by others, always
		for _, c := range []struct {
			rule              string
			base, change, now int
			want              int
			clash             bool
		}{
			{"nobody changed it", 0, 0, 0, 0, false},
			{"the change did", 0, 1, 0, 1, false},
			{"others did", 0, 0, 1, 1, false},
			{"both did, to the same value", 0, 1, 1, 1, false},
			{"both did", 0, 1, 2, 2, true},
			{"others changed it back to no value", 1, 0, 2, 2, true},
		} {
			base, change, now, want := of(f, c.base), of(f, c.change), of(f, c.now), of(f, c.want)
			other.codec.(clientCodec).copy(&now, &values[1])
			other.codec.(clientCodec).copy(&want, &values[1])
			merged, clashes := Merge(base, change, now)
			if merged != want || (len(clashes) == 1 && clashes[0] == f) != c.clash || len(clashes) > 1 {
				t.Errorf("%s: %s: %+v with the clashes %v, want %+v", f.Name, c.rule, merged, clashes, want)
			}
		}
	}
}

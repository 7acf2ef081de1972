package changes

import (
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Members without a value are found, wherever they are.
func TestLackingMembers(t *testing.T) {
	t.Parallel()
	change := store.Change{Batch: ident.ID{1}, Author: ident.ID{1}, Effects: []store.Effect{
		store.MarkRead{Problem: 1, User: ident.ID{1}},
		store.MarkRead{Read: true},
		store.PutKeyword{Problem: 1, Keyword: problem.Keyword{Name: "x", Value: problem.Text("")}},
		store.DropQuery{},
	}}
	want := []string{"Change.At", "Change.Log", "Change.Via", "DropQuery.ID", "PutKeyword.Keyword.Value.String"}
	if got := lackingMembers(change, emptyInChanges); !slices.Equal(got, want) {
		t.Errorf("%v lack a value, want %v", got, want)
	}
}

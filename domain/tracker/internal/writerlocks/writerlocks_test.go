package writerlocks

import (
	"testing"
	"testing/synctest"

	"github.com/problemtracking/problems/domain/ident"
)

var ann, bob = ident.ID{15: 1}, ident.ID{15: 2}

// Keys differ by every part of them.
func TestKeysDiffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // fails when all are waiting
		locks := New()
		for _, k := range []Key{
			Problem(1), Problem(2),
			Reply(ann, "k"), Reply(bob, "k"), Reply(ann, "l"),
			Reports("report-00"), Reports("report-01"),
			Catalogue(), Queries(ann), Queries(bob), Sessions(ann), Sessions(bob), Webhooks(),
		} {
			if _, err := locks.Lock(t.Context(), k); err != nil {
				t.Fatal(err)
			}
		}
		if locks.Len() != 13 {
			t.Errorf("there are %d locks, want 13", locks.Len())
		}
	})
}

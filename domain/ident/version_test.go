package ident_test

import (
	"testing"

	"github.com/problemtracking/problems/domain/ident"
)

// The same count differs between histories.
func TestVersion(t *testing.T) {
	t.Parallel()
	a, b := ident.ID{15: 1}, ident.ID{15: 2}
	first := ident.Version{}.Next(a)
	if first != (ident.Version{Number: 1, Batch: a}) {
		t.Errorf("the first version is %+v", first)
	}
	here, there := first.Next(a), first.Next(b)
	if here.Number != 2 || here.Number != there.Number || here == there {
		t.Errorf("two histories have the versions %+v and %+v", here, there)
	}
}

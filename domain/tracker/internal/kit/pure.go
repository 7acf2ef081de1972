package kit

import (
	"reflect"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
)

// Pure checks that a decision is a pure function of what input returns: from the same inputs it
// comes out the same, and it leaves them as they were.
func Pure[I any](t *testing.T, name string, input func() I, decide func(I, changes.Moment) (store.Change, any, error)) {
	t.Helper()
	given, m := input(), At(Now)
	change, answer, err := decide(given, m)
	unaltered := reflect.DeepEqual(given, input()) && reflect.DeepEqual(m, At(Now)) &&
		reflect.DeepEqual(Catalogue.Content(), metadata.NewCatalogue(ident.Version{}, NewContent()).Content())
	if !unaltered {
		t.Errorf("%s: the decision altered what it was made from", name)
	}
	change2, answer2, err2 := decide(given, m)
	if !reflect.DeepEqual([]any{change, answer, err}, []any{change2, answer2, err2}) {
		t.Errorf("%s: decided anew, it comes out otherwise:\n%+v %+v %v\n%+v %+v %v", name, change, answer, err, change2, answer2, err2)
	}
	if change.Empty() == (err == nil) {
		t.Errorf("%s: the decision is not worth the test: %+v, error %v", name, change, err)
	}
}

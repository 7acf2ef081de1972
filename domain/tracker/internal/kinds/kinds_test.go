package kinds

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
)

var noon = time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC)

// A new object of each kind is in the next catalogue. So is a changed one, in its place.
func TestKinds(t *testing.T) {
	t.Parallel()
	name := patch.Set(" First ")
	check(t, &States, metadata.StatePatch{Name: name, Initial: patch.Set(true)}, metadata.StatePatch{Name: patch.Set("Second")})
	check(t, &Priorities, metadata.PriorityPatch{Name: name}, metadata.PriorityPatch{Name: patch.Set("Second")})
	check(t, &Classifications, metadata.ClassificationPatch{Name: name}, metadata.ClassificationPatch{Name: patch.Set("Second")})
	check(t, &Milestones, metadata.MilestonePatch{Name: name}, metadata.MilestonePatch{Name: patch.Set("Second")})
	check(t, &Components, metadata.ComponentPatch{Name: name}, metadata.ComponentPatch{Name: patch.Set("Second")})
	check(t, &Users, metadata.UserPatch{Name: name, Email: patch.Set("first@example.org")}, metadata.UserPatch{Name: patch.Set("Second")})
}

func check[T, P any](t *testing.T, r *Rules[T, P], created, changed P) {
	t.Helper()
	id := ident.ID{15: 1}
	c := metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{})
	var faults fault.List
	object := r.Apply(created, r.Blank(c, noon), c, &faults)
	if err := r.Check(c, object); err != nil || len(faults) > 0 {
		t.Errorf("a new %s is refused: %v, %v", r.Kind, err, faults)
	}
	*r.ID(&object) = id
	for _, name := range []string{"First", "Second"} {
		c = r.With(c, object, ident.ID{15: 9})
		content := c.Content()
		found, ok := r.Find(c, id)
		if !ok || r.Name(&found) != name || len(*r.List(&content)) != 1 {
			t.Errorf("the %s %s is not the only one in the catalogue: %+v", r.Kind, name, found)
		}
		if members := r.Members(found, c); members[0].Name != "name" {
			t.Errorf("the log of a %s begins with %+v", r.Kind, members[0])
		}
		if names := r.Compare(expected.Object{Identifier: expected.Of(id)}, found, c).Ignored(); names != nil {
			t.Errorf("of a %s, other than expected: %v", r.Kind, names)
		}
		object = r.Apply(changed, found, c, &faults)
	}
	if v := c.Version.Number; v != 3 {
		t.Errorf("after two changes of a %s the catalogue has the version %d", r.Kind, v)
	}
}

package upgradetest

import (
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/store"
)

// Audit is the statements for an audit log of an older version, with names in the order of the positions.
const Audit = `
	INSERT INTO audit (position, id, created, batch, type, kind, object, name, field, old_value, new_value) VALUES
		(30, '00000000-0000-0000-0000-000000000001', 0, '00000000-0000-0000-0000-000000000004', 'Changed', 'state', '00000000-0000-0000-0000-000000000005', 'c', '', '', ''),
		(10, '00000000-0000-0000-0000-000000000003', 0, '00000000-0000-0000-0000-000000000004', 'Changed', 'state', '00000000-0000-0000-0000-000000000005', 'a', '', '', ''),
		(20, '00000000-0000-0000-0000-000000000002', 0, '00000000-0000-0000-0000-000000000004', 'Changed', 'state', '00000000-0000-0000-0000-000000000005', 'b', '', '', '')`

// Numbered looks for the entries of Audit behind the first one.
func Numbered(t *testing.T, s store.Store) {
	t.Helper()
	var names []string
	err := s.View(t.Context(), func(r store.Reader) error {
		page, err := r.Audit(t.Context(), 1, 10)
		for _, e := range page {
			names = append(names, e.Name)
		}
		return err
	})
	if err != nil || !slices.Equal(names, []string{"b", "c"}) {
		t.Errorf("behind the first entry there are %q, %v; want b and c", names, err)
	}
}

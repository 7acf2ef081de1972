package archive

import (
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/transfer"
)

// An archive of an earlier version has no members that came later, and one of a later version
// has all.
func TestMembersSinceAVersion(t *testing.T) {
	t.Parallel()
	var since [transfer.KindEnd]map[string]version
	since[transfer.KindProblem], since[transfer.KindUser] = map[string]version{"milestone": 2}, map[string]version{"mail": 3}
	for kind, members := range since {
		all := len(newCodec().objects[kind])
		for v := version(1); v <= 3; v++ {
			want := all
			for _, came := range members {
				if came > v {
					want--
				}
			}
			c := newCodec()
			c.limit(v, since)
			if got := c.objects[kind]; len(got) != want {
				t.Errorf("version %d of the %v has the members %v; want %d", v, transfer.Kind(kind), got, want)
			}
			for _, m := range c.objects[kind] {
				if members[m.name] > v {
					t.Errorf("version %d of the %v has %s", v, transfer.Kind(kind), m.name)
				}
			}
		}
	}
}

// The oldest version had these fields. All fields beside them belong to a later version, so that
// archives of today can still be read.
func TestFieldsOfTheOldestVersion(t *testing.T) {
	t.Parallel()
	const known = "title state priority classification component milestone assignee originator " +
		"modifier modificationDate resolver resolveDate creationDate due"
	first := strings.Fields(known)
	for _, name := range first {
		if problem.FieldNamed(name) == nil {
			t.Errorf("the oldest version has the field %s, which is no field of problems", name)
		}
	}
	for _, f := range problem.AllFields() {
		if v := version(f.Since); v > Version || (v > oldest) == slices.Contains(first, f.Name) {
			t.Errorf("the field %s came with version %d of the format; Since has to name the version, and Version to be at least that", f.Name, max(oldest, v))
		}
	}
}

package archive

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/transfer"
)

// An archive of an earlier version has no members for the fields that came later, and one
// of a later version has all.
func TestFieldsSinceAVersion(t *testing.T) {
	t.Parallel()
	since := map[string]version{"milestone": 2}
	for _, kind := range []transfer.Kind{transfer.KindProblem, transfer.KindSavepoint} {
		all := newCodec().objects[kind]
		for v, want := range map[version]int{1: len(all) - 1, 2: len(all), 3: len(all)} {
			c := newCodec()
			c.limit(v, since)
			milestone := false
			for _, m := range c.objects[kind] {
				milestone = milestone || m.name == "milestone"
			}
			if got := len(c.objects[kind]); got != want || milestone != (v >= 2) {
				t.Errorf("version %d of the %v: %d members, want %d; a milestone: %t", v, kind, got, want, milestone)
			}
		}
	}
}

// Version 2 had these fields, in this order of their names. All fields beside them belong
// to a later version, so that archives of today can still be read.
func TestFieldsOfVersion2(t *testing.T) {
	t.Parallel()
	const version2 = "title state priority classification component milestone assignee originator " +
		"modifier modificationDate resolver resolveDate creationDate"
	known := map[string]bool{}
	for _, name := range strings.Fields(version2) {
		known[name] = true
		if problem.FieldNamed(name) == nil {
			t.Errorf("version 2 has the field %s, which is no field of problems", name)
		}
	}
	for _, f := range problem.AllFields() {
		if v := fieldSince[f.Name]; v > Version || (v > 2) == known[f.Name] {
			t.Errorf("the field %s came with version %d of the format; Since has to name the version, and Version to be at least that", f.Name, max(1, v))
		}
		if fieldSince[f.Name] > 0 && f.Required {
			t.Errorf("the field %s is required, and earlier archives do not have it", f.Name)
		}
	}
}

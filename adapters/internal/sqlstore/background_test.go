package sqlstore

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestBackgroundStep divides the steps of a database into those to do before it is used, and
// those to do beside the service.
func TestBackgroundStep(t *testing.T) {
	t.Parallel()
	s := Steps{Files: fstest.MapFS{
		"migrations/0001_a.up.sql": {Data: []byte("CREATE TABLE a (id bigint);\n")},
		"migrations/0002_b.up.sql": {Data: []byte("-- More.\n-- Background: it is only slower.\n\nCREATE UNIQUE INDEX a_b ON a (id)\n    INCLUDE (b);\nDROP INDEX a_a;\n")},
		"migrations/0003_c.up.sql": {Data: []byte("ALTER TABLE a ADD c bigint;\n")},
	}, Table: "list", Concurrently: true}
	for _, c := range []struct {
		applied []string
		pending bool
		behind  string
	}{
		{nil, true, ""}, // in an empty database, nobody waits
		{[]string{"0001"}, true, "0002_b"},
		{[]string{"0001", "0003"}, false, "0002_b"},
		{[]string{"0001", "0002"}, true, ""},
		{[]string{"0001", "0002", "0003"}, false, ""},
	} {
		all, err := s.Compare(c.applied, 0)
		var behind []string
		for _, m := range Behind(all) {
			behind = append(behind, m.Name)
		}
		if err != nil || Pending(all) != c.pending || strings.Join(behind, " ") != c.behind {
			t.Errorf("after %v: %v, pending %t, behind %v; want %t, %q", c.applied, err, Pending(all), behind, c.pending, c.behind)
		}
	}
	indexes, err := s.Indexes(Migration{Name: "0002_b"})
	want := []Index{
		{"a_b", false, "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a_b ON a (id)\n    INCLUDE (b)"},
		{"a_a", true, "DROP INDEX CONCURRENTLY IF EXISTS a_a"},
	}
	if err != nil || !slices.Equal(indexes, want) {
		t.Errorf("the indexes are %+v, %v; want %+v", indexes, err, want)
	}
	if _, err := s.Indexes(Migration{Name: "0003_c"}); err == nil || !strings.Contains(err.Error(), "ALTER TABLE") {
		t.Errorf("a step with another statement: %v", err)
	}
	s.Concurrently = false
	if all, err := s.Compare([]string{"0001", "0003"}, 0); err != nil || !Pending(all) || Behind(all) != nil {
		t.Errorf("in a database that makes no index beside writes: %v, %v", all, err)
	}
}

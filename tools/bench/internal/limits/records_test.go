package limits

import (
	"slices"
	"testing"
)

// TestRowSets shows that the rows of a load are known, whether they come as they are or
// as arrays of records.
func TestRowSets(t *testing.T) {
	t.Parallel()
	p := newTestPort(t, 2)
	conn, err := p.db.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, c := range []struct {
		sql  string
		want []rowKind // nil: it cannot be known
	}{
		{"SELECT name, value FROM keywords WHERE problem = $1", []rowKind{keywordRows}},
		{"SELECT ARRAY(SELECT found FROM (SELECT title, revision FROM problems WHERE id = $1) found LIMIT 9), " +
			"ARRAY(SELECT found FROM (SELECT id, old_value FROM log WHERE problem = $2) found LIMIT 9)", []rowKind{problemRows, logRows}},
		{"SELECT ARRAY(SELECT ROW(name, value) FROM keywords)", nil},
	} {
		described, err := conn.Conn().Prepare(t.Context(), "", c.sql)
		if err != nil {
			t.Fatal(err)
		}
		sets, err := rowSets(t.Context(), conn.Conn(), c.sql, described.Fields)
		var kinds []rowKind
		for _, set := range sets {
			kinds = append(kinds, set.kind)
		}
		if !slices.Equal(kinds, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%s\nhas %v, %v; want %v", c.sql, kinds, err, c.want)
		}
	}
}

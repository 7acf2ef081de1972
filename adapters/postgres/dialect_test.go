package postgres

import "testing"

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sql, plain, guarded string }{
		{
			"SELECT 1 FROM problems WHERE id = ? AND revision = ? FOR UPDATE",
			"SELECT 1 FROM problems WHERE id = $1 AND revision = $2 FOR UPDATE",
			"WITH touched AS (SELECT 1 FROM problems WHERE id = $1 AND revision = $2 FOR UPDATE) SELECT 1 / count(*) FROM touched",
		},
		{
			"INSERT INTO log (position, problem) VALUES (nextval('positions'), ?)",
			"INSERT INTO log (position, problem) VALUES (nextval('positions'), $1)",
			"WITH touched AS (INSERT INTO log (position, problem) VALUES (nextval('positions'), $1) RETURNING 1) SELECT 1 / count(*) FROM touched",
		},
		{
			"UPDATE versions SET access = access + 1",
			"UPDATE versions SET access = access + 1",
			"WITH touched AS (UPDATE versions SET access = access + 1 RETURNING 1) SELECT 1 / count(*) FROM touched",
		},
	} {
		var texts texts
		for range 2 { // the second time they are remembered
			if got := texts.plainOf(c.sql); got != c.plain {
				t.Errorf("%s\nis sent as %s\nwant       %s", c.sql, got, c.plain)
			}
			if got := texts.guardedOf(c.sql); got != c.guarded {
				t.Errorf("%s\nis guarded as %s\nwant          %s", c.sql, got, c.guarded)
			}
		}
	}
}

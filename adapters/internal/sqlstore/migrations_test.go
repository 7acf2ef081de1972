package sqlstore

import (
	"slices"
	"testing"
)

func TestStatementsOfAStep(t *testing.T) {
	t.Parallel()
	const step = `-- Why; with a semicolon at the end of a line;
-- and another line.

CREATE TABLE a (
    -- not at the beginning of a line
    id bigint, -- one; two
    name text
);

INSERT INTO a (id) VALUES (1); -- a remark
INSERT INTO a (id) VALUES (2);
CREATE INDEX a_name ON a (name)
`
	want := []string{
		"CREATE TABLE a (\n    -- not at the beginning of a line\n    id bigint, -- one; two\n    name text\n);\n",
		"INSERT INTO a (id) VALUES (1); -- a remark\nINSERT INTO a (id) VALUES (2);\n",
		"CREATE INDEX a_name ON a (name)\n",
	}
	if got := statements(step); !slices.Equal(got, want) {
		t.Errorf("the statements are %q; want %q", got, want)
	}
	if got := statements("-- nothing\n"); len(got) > 0 {
		t.Errorf("a comment has the statements %q", got)
	}
}

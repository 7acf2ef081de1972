package sqlstore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
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

// TestCompare compares the steps of a version with those of a database of the same, of an
// older and of a newer version.
func TestCompare(t *testing.T) {
	t.Parallel()
	s := Steps{Files: fstest.MapFS{
		"migrations/0001_a.up.sql": {Data: []byte("-- The first.\nCREATE TABLE a (id bigint);\n")},
		"migrations/0002_b.up.sql": {Data: []byte("-- More.\n-- Final: older servers would lose it.\n\nALTER TABLE a ADD b bigint;\n")},
		"migrations/0003_c.up.sql": {Data: []byte("ALTER TABLE a ADD c bigint; -- Final: not at the beginning of a line\n")},
	}, Table: "list"}
	for _, c := range []struct {
		applied []string
		oldest  int
		want    string // name, with + when it is applied, ! when it is final, and > when it is newer
		refused string
	}{
		{nil, 0, "0001_a 0002_b! 0003_c", ""},
		{[]string{"0001"}, 0, "0001_a+ 0002_b! 0003_c", ""},
		{[]string{"0003", "0002", "0001"}, 0, "0001_a+ 0002_b+! 0003_c+", ""},
		{[]string{"0001", "0002", "0003", "0005", "0004"}, 2, "0001_a+ 0002_b+! 0003_c+ 0004+> 0005+>", ""},
		{[]string{"0001", "0002", "0003", "0004"}, 3, "0001_a+ 0002_b+! 0003_c+ 0004+>", ""},
		{[]string{"0001", "0002", "0003", "0004", "0005"}, 4, "", "is at step 0005, and this version knows those up to 0003_c: a version that knows 0004 is needed"},
	} {
		all, err := s.Compare(c.applied, c.oldest)
		var got []string
		for _, m := range all {
			got = append(got, m.Name+mark(m.Applied, "+")+mark(m.Final, "!")+mark(m.Newer, ">"))
		}
		switch {
		case c.refused != "":
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%v, %d: got %v; want %q", c.applied, c.oldest, err, c.refused)
			}
		case err != nil || strings.Join(got, " ") != c.want:
			t.Errorf("%v, %d: got %v, %v; want %s", c.applied, c.oldest, got, err, c.want)
		}
	}
}

// TestUnknown looks for steps of a newer version, and refuses those of one before the first step.
func TestUnknown(t *testing.T) {
	t.Parallel()
	s := Steps{Files: fstest.MapFS{
		"migrations/0100_a.up.sql": {Data: []byte("CREATE TABLE a (id bigint);\n")},
		"migrations/0101_b.up.sql": {Data: []byte("ALTER TABLE a ADD b bigint;\n")},
	}}
	for _, c := range []struct {
		applied          []string
		unknown, refused bool
	}{
		{nil, false, false},
		{[]string{"0100"}, false, false},
		{[]string{"0101", "0100"}, false, false},
		{[]string{"0100", "0102"}, true, false},
		{[]string{"0001"}, false, true},
		{[]string{"0100", "0099"}, false, true},
	} {
		if unknown, err := s.Unknown(c.applied); unknown != c.unknown || (err != nil) != c.refused {
			t.Errorf("%v: got %t, %v; want %t, refused: %t", c.applied, unknown, err, c.unknown, c.refused)
		}
	}
}

// TestOutdated finds the steps of servers that a final step would leave behind.
func TestOutdated(t *testing.T) {
	t.Parallel()
	const applied, final = 1, 2
	steps := func(kinds ...int) (all []Migration) {
		for i, kind := range kinds {
			all = append(all, Migration{Name: fmt.Sprintf("%04d_a", i+1), Applied: kind&applied != 0, Final: kind&final != 0})
		}
		return all
	}
	for _, c := range []struct {
		all  []Migration
		want []int
	}{
		{steps(0, 0), nil},
		{steps(applied, applied, 0), nil},
		{steps(applied, applied|final, 0), nil},
		{steps(applied, final, 0), []int{1}},
		{steps(applied, applied|final, 0, final, 0), []int{1, 2, 3}},
		{steps(applied, final, final), []int{1, 2}},
		{steps(final), nil},
	} {
		if got := Outdated(c.all); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %v; want %v", c.all, got, c.want)
		}
	}
}

func mark(is bool, with string) string {
	if is {
		return with
	}
	return ""
}

// TestPositioned finds the tables with positions, whatever the types of their columns.
func TestPositioned(t *testing.T) {
	t.Parallel()
	s := Steps{Files: fstest.MapFS{
		"migrations/0001_a.up.sql": {Data: []byte("CREATE TABLE versions (\n    position bigint\n);\nCREATE TABLE log (\n    problem bigint,\n    position  bigint NOT NULL,\n    PRIMARY KEY (problem, position)\n);\n" +
			"CREATE TABLE feed (\n    -- in the order of position\n    number bigint\n);\nCREATE TABLE gone (\n    position bigint\n);\n")},
		"migrations/0002_b.up.sql": {Data: []byte("CREATE TABLE batches (\n    position INTEGER NOT NULL\n);\n\nDROP TABLE gone;\n")},
	}}
	if got, err := s.Positioned(); err != nil || !slices.Equal(got, []string{"batches", "log"}) {
		t.Errorf("the tables with positions are %q, %v", got, err)
	}
	const want = "SELECT coalesce(max(position), 0) FROM (SELECT max(position) AS position FROM batches UNION ALL SELECT max(position) AS position FROM log) AS used"
	if got, err := s.HighestPosition(); err != nil || got != want {
		t.Errorf("the query is %q, %v; want %q", got, err, want)
	}
}

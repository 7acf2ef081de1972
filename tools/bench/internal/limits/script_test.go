package limits

import (
	"context"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

// one returns what was sent in one round trip with one statement.
func one(sql string, args ...argument) captured {
	return captured{Trips: []trip{{Statements: []statement{{SQL: sql, Args: args}}}}}
}

func number(value string) argument { return argument{Type: pgtype.Int8OID, Value: value} }

func text(value string) argument { return argument{Type: pgtype.TextOID, Value: value} }

func TestMerge(t *testing.T) {
	t.Parallel()
	null := argument{Type: pgtype.Int8OID, Null: true}
	const sql = "SELECT $1, $2, $3"
	for _, c := range []struct {
		name    string
		samples []sample
		want    captured
		refused string // part of the error
	}{
		{"constants and a variable", []sample{
			{one(sql, number("1"), number("7"), null), map[string]string{"problem": "7"}},
			{one(sql, number("1"), number("8"), null), map[string]string{"problem": "8"}},
		}, one(sql, number("1"), argument{Type: pgtype.Int8OID, Variable: "problem"}, null), ""},
		{"a text with a variable", []sample{
			{one("SELECT $1", text(`{"p":7,"n":12}`)), map[string]string{"problem": "7"}},
			{one("SELECT $1", text(`{"p":81,"n":12}`)), map[string]string{"problem": "81"}},
		}, one("SELECT $1", argument{Type: pgtype.TextOID, Parts: []argument{text(`{"p":`), {Variable: "problem"}, text(`,"n":12}`)}}), ""},
		{"a text that varies otherwise, too", []sample{
			{one("SELECT $1", text(`{"p":7,"n":12}`)), map[string]string{"problem": "7"}},
			{one("SELECT $1", text(`{"p":8,"n":13}`)), map[string]string{"problem": "8"}},
		}, captured{}, "argument 1 varies as 0"},
		{"a text of another form", []sample{
			{one("SELECT $1", text(`{"p":7}`)), map[string]string{"problem": "7"}},
			{one("SELECT $1", text(`{"q":8}`)), map[string]string{"problem": "8"}},
		}, captured{}, "argument 1 varies as 0"},
		{"one sample", []sample{{one(sql, number("1")), nil}}, captured{}, "one sample"},
		{"nothing explains it", []sample{
			{one("SELECT $1", number("1")), map[string]string{"problem": "7"}},
			{one("SELECT $1", number("2")), map[string]string{"problem": "8"}},
		}, captured{}, "argument 1 varies as 0"},
		{"two variables explain it", []sample{
			{one("SELECT $1", number("7")), map[string]string{"problem": "7", "old": "7"}},
			{one("SELECT $1", number("8")), map[string]string{"problem": "8", "old": "8"}},
		}, captured{}, "argument 1 varies as 2"},
		{"sometimes NULL", []sample{
			{one("SELECT $1", null), map[string]string{"problem": "7"}},
			{one("SELECT $1", number("8")), map[string]string{"problem": "8"}},
		}, captured{}, "argument 1 varies as 0"},
		{"a variable that does not vary", []sample{
			{one("SELECT $1", number("7")), map[string]string{"problem": "7"}},
			{one("SELECT $1", number("7")), map[string]string{"problem": "7"}},
		}, captured{}, "same in all samples"},
		{"another statement", []sample{{sent: one("SELECT 1")}, {sent: one("SELECT 2")}}, captured{}, "SELECT 2"},
		{"a statement more", []sample{
			{sent: one("SELECT 1")},
			{sent: captured{Trips: []trip{{Statements: []statement{{SQL: "SELECT 1"}, {SQL: "SELECT 1"}}}}}},
		}, captured{}, "not always"},
		{"a statement less", []sample{
			{sent: captured{Trips: []trip{{Statements: []statement{{SQL: "SELECT 1"}, {SQL: "SELECT 1"}}}}}},
			{sent: one("SELECT 1")},
		}, captured{}, "not always"},
		{"only prepared", []sample{{sent: captured{Trips: []trip{{}}}}, {sent: captured{Trips: []trip{{}}}}}, captured{}, "only prepared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := merge(c.samples...)
			switch {
			case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("the error is %v; want one with %q", err, c.refused)
			case c.refused == "" && err != nil:
				t.Error(err)
			case c.refused == "" && !reflect.DeepEqual(got, c.want):
				t.Errorf("merged into\n%+v\nwant\n%+v", got, c.want)
			}
		})
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	problem := argument{Type: pgtype.Int8OID, Variable: "problem"}
	batch := argument{Type: pgtype.UUIDOID, Variable: "batch"}
	for _, c := range []struct {
		name      string
		sent      captured
		want      string
		constants map[string]string
	}{
		{"one statement", one("SELECT a FROM t WHERE id = $1 AND b = $2", problem, text("x'y")),
			"SELECT a FROM t WHERE id = :problem AND b = :c0;\n", map[string]string{"c0": "x'y"}},
		{"the order of numbers does not matter", one("SELECT $2, $1, $2", text("a"), text("b")),
			"SELECT :c0, :c1, :c0;\n", map[string]string{"c0": "b", "c1": "a"}},
		{"more than nine arguments", one("SELECT $10, $1", problem, text(""), text(""), text(""), text(""), text(""), text(""), text(""), text(""), text("z")),
			"SELECT :c0, :problem;\n", map[string]string{"c0": "z"}},
		{"NULL", one("SELECT $1", argument{Type: pgtype.UUIDOID, Null: true}), "SELECT NULL::uuid;\n", map[string]string{}},
		{"a form", one("SELECT $1", batch), "SELECT made(:number);\n", map[string]string{}},
		{"a text with a form and a variable", one("SELECT $1", argument{Type: pgtype.TextOID, Parts: []argument{text("a"), batch, text("b"), problem}}),
			"SELECT (:c0::text || made(:number)::text || :c1::text || :problem::text);\n", map[string]string{"c0": "a", "c1": "b"}},
		{"text in quotes", one("SELECT '$1 it''s', $1", problem), "SELECT '$1 it''s', :problem;\n", map[string]string{}},
		{"a pipeline and what follows", captured{Trips: []trip{
			{Statements: []statement{{SQL: "BEGIN"}, {SQL: "SELECT $1", Args: []argument{problem}}}},
			{Statements: []statement{{SQL: "ROLLBACK", Simple: true}}},
		}}, "\\startpipeline\nBEGIN;\nSELECT :problem;\n\\endpipeline\nROLLBACK;\n", map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScript(map[string]string{"batch": "made(:number)"})
			if err := s.send(c.sent); err != nil {
				t.Fatal(err)
			}
			if s.text.String() != c.want || !maps.Equal(s.constants, c.constants) {
				t.Errorf("the script is\n%swith %v; want\n%swith %v", s.text.String(), s.constants, c.want, c.constants)
			}
		})
	}
}

func TestScriptRefuses(t *testing.T) {
	t.Parallel()
	for _, sent := range []captured{
		one("SELECT 1; SELECT 2"),
		one("SELECT $1"),
		one("SELECT $1", argument{Type: 1 << 30, Null: true}),
	} {
		if err := newScript(nil).send(sent); err == nil {
			t.Errorf("%q became a script", sent.Trips[0].Statements[0].SQL)
		}
	}
	if _, err := loadScript(one("SELECT 1"), nil); err == nil {
		t.Error("no problem became a script")
	}
}

// TestChoice shows that every place has its problem, found in few steps.
func TestChoice(t *testing.T) {
	t.Parallel()
	problems := []int64{4, 8, 15, 16, 23}
	got := choice(problems, 0)
	want := "CASE WHEN :place < 2 THEN CASE WHEN :place < 1 THEN 4 ELSE 8 END ELSE " +
		"CASE WHEN :place < 3 THEN 15 ELSE CASE WHEN :place < 4 THEN 16 ELSE 23 END END END"
	if got != want {
		t.Errorf("the expression is\n%s; want\n%s", got, want)
	}
}

func TestLibpqURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, want string }{
		{"postgres://u:p@h:1/d", "postgres://u:p@h:1/d"},
		{"postgres://u@h/d?sslmode=disable", "postgres://u@h/d?sslmode=disable"},
		{"postgres://u@h/d?search_path=t&sslmode=disable", "postgres://u@h/d?options=-c%20search_path%3Dt&sslmode=disable"},
		{"postgres://u@h/d?b=1&a=x+y&options=-c+z%3D1", "postgres://u@h/d?options=-c%20z%3D1%20-c%20a%3Dx%5C%20y%20-c%20b%3D1"},
	} {
		if got, err := libpqURL(c.url); err != nil || got != c.want {
			t.Errorf("%s becomes %s, %v; want %s", c.url, got, err, c.want)
		}
	}
}

func TestParsePgbench(t *testing.T) {
	t.Parallel()
	const out = "number of clients: 8\nnumber of transactions actually processed: 1234\nnumber of failed transactions: %s (0.0%%)\n" +
		"latency average = 1 ms\ntps = 617.25 (without initial connection time)\n"
	if got, err := parsePgbench(strings.Replace(out, "%s", "0", 1)); err != nil || got != (pgbenchResult{1234, 617.25}) {
		t.Errorf("read %+v, %v", got, err)
	}
	if _, err := parsePgbench(strings.Replace(out, "%s", "2", 1)); err == nil {
		t.Error("failed transactions are no error")
	}
	if _, err := parsePgbench("tps = 617.25 (without initial connection time)"); err == nil {
		t.Error("what is missing is no error")
	}
}

// TestPgbenchFails shows that a statement that fails is an error.
func TestPgbenchFails(t *testing.T) {
	t.Parallel()
	p := newTestPort(t, 1)
	script := newScript(nil)
	script.line("SELECT 1 / 0;")
	if result, err := pgbench(context.Background(), p.url, script, 1, 0); err == nil {
		t.Errorf("a division by zero gave %+v", result)
	}
}

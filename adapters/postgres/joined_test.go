package postgres

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// openHere opens a store in a schema of its own.
func openHere(t *testing.T, options Options) *Store {
	t.Helper()
	options.URL, options.AutoMigrate = postgrestest.Schema(t), true
	if options.Pooler {
		options.Direct = options.URL
	}
	s, err := Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// read runs queries in a View, which says before that it reads only once if it is last.
func read(t *testing.T, s *Store, last bool, queries ...sqlstore.Query) error {
	t.Helper()
	return s.View(t.Context(), func(r store.Reader) error {
		if last {
			store.Last(r)
		}
		return r.(reader).Read(t.Context(), queries...)
	})
}

// A View that reads only once reads the same as others do, whatever it reads.
func TestLastReadsWhatOthersRead(t *testing.T) {
	t.Parallel()
	type row struct {
		Position int64
		ID, None ident.ID
		Text     string
		Is       bool
		Bytes    []byte
		Number   int32
		At       time.Time
	}
	for _, options := range []Options{{}, {Pooler: true}} {
		s := openHere(t, options)
		seen := func(last bool) (all [3][]row) {
			var queries []sqlstore.Query
			for i := range all {
				queries = append(queries, sqlstore.Query{
					SQL: `SELECT n, ` + uuidOf("n") + `, NULL::uuid, 'say "(a,b)" \ {' || chr(127820) || ?::text, n % 2 = 0, '\x00ff'::bytea, n::int, '2026-01-01Z'::timestamptz
						FROM generate_series(1::bigint, ?::bigint) n ORDER BY -n`,
					Args: []any{fmt.Sprint(i), int64(i) * 3},
					Row: func(scan func(...any) error) error {
						var r row
						err := scan(&r.Position, s.dialect.IDInto(&r.ID), s.dialect.IDInto(&r.None), &r.Text, &r.Is, &r.Bytes, &r.Number, &r.At)
						all[i] = append(all[i], r)
						return err
					},
				})
			}
			if err := read(t, s, last, queries...); err != nil {
				t.Fatal(err)
			}
			return all
		}
		want := seen(false)
		if len(want[0]) != 0 || len(want[2]) != 6 || want[2][0].ID != number(6) || !want[2][0].Is {
			t.Fatalf("the rows are %+v", want)
		}
		if got := seen(true); !reflect.DeepEqual(got, want) {
			t.Errorf("with %+v one reads\n%+v\nwant\n%+v", options, got, want)
		}
	}
}

// However many rows there are, a View that reads only once reads all of them, once and
// in their order.
func TestLastReadsAllRows(t *testing.T) {
	t.Parallel()
	s := openHere(t, Options{})
	for _, n := range []int64{0, 1, mostJoined, mostJoined + 1, 5 * mostJoined} {
		got := [2][]int64{}
		var room []int
		var queries []sqlstore.Query
		for i := range got {
			queries = append(queries, sqlstore.Query{
				SQL: "SELECT n FROM generate_series(1::bigint, ?::bigint) n ORDER BY n DESC", Args: []any{1 + n*int64(i)},
				Row: func(scan func(...any) error) error {
					var one int64
					err := scan(&one)
					got[i] = append(got[i], one)
					return err
				},
				Grow: func(rows int) { room = append(room, rows) },
			})
		}
		if err := read(t, s, true, queries...); err != nil {
			t.Fatal(err)
		}
		var want []int64
		for i := 1 + n; i > 0; i-- {
			want = append(want, i)
		}
		if !slices.Equal(got[0], []int64{1}) || !slices.Equal(got[1], want) {
			t.Errorf("one of 1 and one of %d rows: read %d and %d", 1+n, len(got[0]), len(got[1]))
		}
		if joined := 1+n <= mostJoined; joined != slices.Equal(room, []int{1, int(1 + n)}) {
			t.Errorf("%d rows are announced as %v", 1+n, room)
		}
	}
}

// Only a View that reads more than once begins a transaction.
func TestLastReadIsNoTransaction(t *testing.T) {
	t.Parallel()
	s := openHere(t, Options{})
	for _, c := range []struct {
		last bool
		n    int // how many queries
		want string
	}{
		{false, 1, "repeatable read"}, {false, 2, "repeatable read"}, {true, 1, "read committed"}, {true, 2, "read committed"},
	} {
		isolation := ""
		query := sqlstore.Query{SQL: "SELECT current_setting('transaction_isolation')", Row: func(scan func(...any) error) error { return scan(&isolation) }}
		if err := read(t, s, c.last, slices.Repeat([]sqlstore.Query{query}, c.n)...); err != nil {
			t.Fatal(err)
		}
		if isolation != c.want {
			t.Errorf("%+v: it is %s", c, isolation)
		}
	}
}

// Rows that can be long are not gathered: they are read one after the other, with others.
func TestLongRowsAreNotJoined(t *testing.T) {
	t.Parallel()
	s := openHere(t, Options{})
	for _, long := range []bool{false, true} {
		var sent []string
		one := sqlstore.Query{SQL: "SELECT current_query()", Row: func(scan func(...any) error) error {
			var sql string
			err := scan(&sql)
			sent = append(sent, sql)
			return err
		}}
		other := one
		other.Long = long
		if err := read(t, s, true, one, other); err != nil {
			t.Fatal(err)
		}
		if len(sent) != 2 || strings.HasPrefix(sent[0], "SELECT ARRAY(") == long {
			t.Errorf("with rows that can be long (%t) they are read by %q", long, sent)
		}
	}
}

package postgrestest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// things fills a schema with two tables, of which the first refers to the other, and a
// sequence.
func things(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `CREATE TABLE things (id int PRIMARY KEY, name text);
		CREATE TABLE parts (thing int REFERENCES things (id));
		CREATE SEQUENCE numbers;
		INSERT INTO things VALUES (1, 'it''s here');
		INSERT INTO parts VALUES (1);
		SELECT nextval('numbers')`)
	return err
}

// lend calls fn with what a test takes, and returns its URL.
func lend(t *testing.T, pool *postgrestest.Pool, fn func(t *testing.T, url string)) (url string) {
	t.Run("loan", func(t *testing.T) {
		url = pool.Take(t)
		fn(t, url)
	})
	return url
}

func TestPoolLendsOneAsItWasFilled(t *testing.T) {
	t.Parallel()
	for name, pool := range map[string]*postgrestest.Pool{"schemas": postgrestest.Schemas(things), "databases": postgrestest.Databases(things)} {
		t.Run(name, func(t *testing.T) {
			first := lend(t, pool, func(t *testing.T, url string) {
				conn := connect(t, url)
				run(t, conn, "UPDATE things SET name = 'other'")
				run(t, conn, "INSERT INTO things SELECT n, repeat('x', 1000) FROM generate_series(2, 500) n") // more than is deleted row by row
				run(t, conn, "INSERT INTO parts VALUES (2), (3)")
				run(t, conn, "SELECT nextval('numbers')")
			})
			for range 2 {
				again := lend(t, pool, func(t *testing.T, url string) {
					conn := connect(t, url)
					if got := ask[string](t, conn, "SELECT string_agg(id || ' ' || name, ',') FROM things"); got != "1 it's here" {
						t.Errorf("the table has %q; want what fill left", got)
					}
					if got := ask[int](t, conn, "SELECT count(*) FROM parts"); got != 1 {
						t.Errorf("the other table has %d rows; want what fill left", got)
					}
					if got := ask[int](t, conn, "SELECT nextval('numbers')"); got != 2 {
						t.Errorf("the next number is %d; want 2", got)
					}
					run(t, conn, "INSERT INTO parts VALUES (1)")
				})
				if again != first {
					t.Error("the second test has another one; want the one that was given back")
				}
			}
		})
	}
}

func TestPoolLendsNoneTwiceAtATime(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Schemas(things)
	if one, other := pool.Take(t), pool.Take(t); one == other {
		t.Error("two takers have the same schema")
	}
}

func TestPoolKeepsNoneThatIsChanged(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{
		"CREATE TABLE more ()", "CREATE INDEX ON things (name)", "ALTER TABLE things ADD more int",
		"ALTER TABLE parts ALTER thing SET NOT NULL", "DROP TABLE parts", "CREATE SEQUENCE more",
	} {
		t.Run(statement, func(t *testing.T) {
			pool := postgrestest.Schemas(things)
			first := lend(t, pool, func(t *testing.T, url string) { run(t, connect(t, url), statement) })
			if again := lend(t, pool, func(*testing.T, string) {}); again == first {
				t.Error("the changed schema is lent again")
			}
		})
	}
}

func TestPoolEndsWhatIsLeft(t *testing.T) {
	t.Parallel()
	pool := postgrestest.Schemas(things)
	var left *pgx.Conn
	lend(t, pool, func(_ *testing.T, url string) {
		left = connect(t, url) // closed after the loan
		run(t, left, "BEGIN")
		run(t, left, "INSERT INTO parts VALUES (1)")
	})
	if _, err := left.Exec(t.Context(), "COMMIT"); err == nil {
		t.Error("a connection outlives its loan")
	}
	lend(t, pool, func(t *testing.T, url string) {
		if got := ask[int](t, connect(t, url), "SELECT count(*) FROM parts"); got != 1 {
			t.Errorf("the table has %d rows; want what fill left", got)
		}
	})
}

package limits

import (
	"context"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// TestCapture shows that round trips are told apart, that arguments are read whatever
// their form, and that a transaction which nobody waits for is seen to its end.
func TestCapture(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	proxy, err := capture(postgrestest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	conn, err := pgx.Connect(ctx, proxy.through)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	const id = "0190a5e0-0000-7000-8000-00000000000a"
	const typed = "SELECT $1::bigint, $2::text, $3::uuid, $4::boolean, $5::bytea"
	ended := make(chan error, 1)
	do := func() error {
		batch := &pgx.Batch{}
		batch.Queue("BEGIN READ ONLY")
		batch.Queue(typed, int64(-7), "it's", id, nil, []byte{1, 255})
		batch.Queue("SELECT $1::bigint[]", []int64{3, 4})
		if err := conn.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		go func() {
			_, err := conn.Exec(ctx, "ROLLBACK")
			ended <- err
		}()
		return nil
	}
	var trips []rawTrip
	for range 2 { // the first time, statements are prepared
		if trips, err = proxy.record(ctx, do); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	got, err := readable(ctx, conn, trips)
	if err != nil {
		t.Fatal(err)
	}
	want := captured{Trips: []trip{
		{Statements: []statement{
			{SQL: "BEGIN READ ONLY", Args: []argument{}},
			{SQL: typed, Args: []argument{
				{Type: pgtype.Int8OID, Value: "-7"}, {Type: pgtype.TextOID, Value: "it's"}, {Type: pgtype.UUIDOID, Value: id},
				{Type: pgtype.BoolOID, Null: true}, {Type: pgtype.ByteaOID, Value: `\x01ff`},
			}},
			{SQL: "SELECT $1::bigint[]", Args: []argument{{Type: pgtype.Int8ArrayOID, Value: "{3,4}"}}},
		}},
		{Statements: []statement{{SQL: "ROLLBACK", Simple: true}}},
	}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("captured\n%+v\nwant\n%+v", got, want)
	}
	if trips, err := proxy.record(ctx, func() error { return nil }); err != nil || len(trips) > 0 {
		t.Errorf("of nothing, this was captured: %v, %v", trips, err)
	}
}

func TestCaptureNeedsAHost(t *testing.T) {
	t.Parallel()
	if _, err := capture("postgres:///database?host=/run/postgresql"); err == nil {
		t.Error("a socket was taken for a host")
	}
}

package postgrestest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// TestPairLosesWhatNoStandbyHas shows what a Pair is for: a commit whose wait was
// cancelled can be seen, and is lost with the primary.
func TestPairLosesWhatNoStandbyHas(t *testing.T) {
	t.Parallel()
	pair := postgrestest.NewPair(t)
	conn := connect(t, pair.ClusterURL())
	run(t, conn, "CREATE TABLE things (name text)")
	run(t, conn, "INSERT INTO things VALUES ('confirmed')")
	pair.FreezeStandby()
	for name, end := range map[string]func() int{"cancelled": pair.CancelWaits, "terminated": pair.TerminateWaits} {
		waiting := make(chan struct{})
		go func() {
			defer close(waiting)
			if writer, err := pgx.Connect(context.Background(), pair.URL()); err == nil {
				_, _ = writer.Exec(context.Background(), "INSERT INTO things VALUES ('"+name+"')") // a warning, or the end of the session
				writer.PgConn().Conn().Close()
			}
		}()
		until(t, "the commit waits", func() bool { return end() == 1 })
		<-waiting
	}
	if got := ask[int](t, conn, "SELECT count(*) FROM things"); got != 3 {
		t.Errorf("%d things are to be seen; want 3", got)
	}
	pair.TakeOver()
	conn = connect(t, pair.ClusterURL())
	run(t, conn, "INSERT INTO things VALUES ('of the new primary')")
	if got := ask[string](t, conn, "SELECT string_agg(name, ', ') FROM things"); got != "confirmed, of the new primary" {
		t.Errorf("after the primary is lost there are: %s", got)
	}
}

// A standby that was frozen catches up, and commits that waited for it go on.
func TestPairThaws(t *testing.T) {
	t.Parallel()
	pair := postgrestest.NewPair(t)
	run(t, connect(t, pair.URL()), "CREATE TABLE things (name text)")
	pair.FreezeStandby()
	done := make(chan error, 1)
	writer := connect(t, pair.URL())
	go func() {
		_, err := writer.Exec(context.Background(), "INSERT INTO things VALUES ('waited')")
		done <- err
	}()
	admin := connect(t, pair.URL())
	until(t, "the commit waits", func() bool {
		return ask[int](t, admin, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == 1
	})
	pair.ThawStandby()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("the commit still waits")
	}
	pair.TakeOver()
	if got := ask[int](t, connect(t, pair.ClusterURL()), "SELECT count(*) FROM things"); got != 1 {
		t.Errorf("%d things are there after the primary is lost; want 1", got)
	}
}

// until returns when something that nobody announces is so.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for !is() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("%s: not so after %s", what, patience)
		}
	}
}

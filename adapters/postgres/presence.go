package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
)

// Each connection of a Store shows its version by a shared advisory lock, until its session
// ends. The number of the lock comes from the schema and the version's last migration. A
// final migration takes the locks of all versions that cannot work after it. So no such
// version runs during the migration, and none starts before its end. A pooler shares
// sessions between servers: servers behind it show nothing.

// presence returns the number of the lock, as SQL. step is a number or a placeholder.
func presence(step string) string {
	return "hashtextextended('problems: servers of ' || current_schema() || ' at step ' || " + step + ", 0)"
}

// show takes the lock of this version on a new connection. It fails when a newer version
// has changed the schema since Open, and this version cannot work with it.
func (s *Store) show(ctx context.Context, conn *pgx.Conn) error {
	if s.options.Pooler {
		return nil
	}
	_, err := conn.Exec(ctx, "SELECT pg_advisory_lock_shared("+presence(strconv.Itoa(s.step))+")", pgx.QueryExecModeSimpleProtocol)
	switch {
	case lacksLock(err):
		return passing("a newer version migrates the database, and this one is too old to go on beside it")
	case err != nil:
		return err
	case !s.opened.Load():
		return nil // prepare compares the steps
	}
	oldest := 0
	err = conn.QueryRow(ctx, "SELECT step FROM "+sqlstore.OldestTable, pgx.QueryExecModeSimpleProtocol).Scan(&oldest)
	if err == nil && oldest > s.step {
		return fmt.Errorf("a newer version has changed the schema: a version that knows step %04d is needed, and this one knows those up to %04d", oldest, s.step)
	}
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok && answer.Code == noSuchTable || errors.Is(err, pgx.ErrNoRows) {
		return nil // an older version has made the schema, and no final step came after it
	}
	return err
}

// excludeOlder takes the locks of all versions that cannot work after the pending
// migrations. The locks last as long as the session. It fails when such versions are at
// work, and names their servers.
func (o Options) excludeOlder(ctx context.Context, db bun.IDB, all []sqlstore.Migration) error {
	outdated := sqlstore.Outdated(all)
	if len(outdated) == 0 {
		return nil
	}
	var busy []int
	err := db.NewRaw("SELECT step FROM unnest(ARRAY[?]::int[]) step WHERE NOT pg_try_advisory_lock("+presence("step")+")", bun.List(outdated)).Scan(ctx, &busy)
	if err != nil {
		return fmt.Errorf("servers of older versions cannot be looked for: %w", err)
	}
	if len(busy) == 0 {
		return nil
	}
	var servers []struct {
		Step, Connections   int
		Application, Client string
	}
	err = db.NewRaw(`SELECT n.step, count(*) AS connections, coalesce(a.application_name, '') AS application, coalesce(host(a.client_addr), 'the same machine') AS client
		FROM `+holders+`, (SELECT step, `+presence("step")+` AS number FROM unnest(ARRAY[?]::int[]) step) n
		WHERE `+holds+` GROUP BY 1, 3, 4 ORDER BY 1, 4, 3`, bun.List(busy)).Scan(ctx, &servers)
	if err != nil {
		return fmt.Errorf("servers of older versions are at work, and cannot be named: %w", err)
	}
	named := make([]string, len(servers))
	for i, s := range servers {
		named[i] = fmt.Sprintf("%q from %s, which knows the steps up to %04d (connections: %d)", s.Application, s.Client, s.Step, s.Connections)
	}
	if len(named) == 0 {
		return passing("servers of older versions cannot live on after this step, and the last of them has just ended: try again")
	}
	return passing("servers of older versions are at work, and cannot live on after a step that is to do; stop them first, and nothing has changed until then: %s", strings.Join(named, "; "))
}

package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

// compacted are the tables with texts and files that people can replace or delete. The last one
// has samples of them.
var compacted = []string{
	"problems", "savepoints", "log", "comments", "keywords", "attachments", "file_chunks", "replies", "feed", "pending", "audit", "users",
	"sessions", "tokens", "leases", "queries", "webhooks", "parts", "part_blocks", "parts_due", "states", "priorities", "classifications", "components", "milestones",
	"pg_catalog.pg_statistic",
}

// compactWait bounds the wait of Compact for one lock, and for readers. Everybody else waits
// behind it for the lock.
const compactWait = 10 * time.Second

// Compact writes tables anew, one after the other, so that they have no bytes of replaced and
// deleted texts, and gathers their statistics anew. Meanwhile nobody can read or write the
// table. It needs the owner of the tables, and for the statistics the owner of the database.
// begun is called with each table and its size, in bytes.
func Compact(ctx context.Context, o Options, begun func(part string, bytes int64)) error {
	_, err := o.directly(ctx, true, func(_ Options, db *bun.DB) ([]Migration, error) {
		if _, err := db.ExecContext(ctx, "SET statement_timeout = 0; SET lock_timeout = "+milliseconds(compactWait)); err != nil {
			return nil, err
		}
		if err := dropFormerParts(ctx, db); err != nil {
			return nil, err
		}
		if err := awaitReaders(ctx, db); err != nil {
			return nil, err
		}
		for _, table := range compacted {
			if err := compact(ctx, db, table, begun); err != nil {
				return nil, fmt.Errorf("the table %s cannot be written anew: %w", table, err)
			}
		}
		return nil, nil
	})
	return err
}

// dropFormerParts takes away the blocks of the index of parts with former texts. A service makes them anew.
func dropFormerParts(ctx context.Context, db *bun.DB) error {
	_, err := db.ExecContext(ctx, "BEGIN; SELECT pg_advisory_xact_lock("+partsNumber+"); "+
		"UPDATE part_blocks b SET rows = NULL WHERE EXISTS (SELECT FROM parts_due d WHERE d.kind = b.kind AND d.key BETWEEN b.low AND b.high); "+
		"DELETE FROM parts p USING part_blocks b WHERE p.kind = b.kind AND p.block = b.low AND b.rows IS NULL; COMMIT")
	return err
}

// compact writes a table anew. Without the rights, the server only warns, and leaves the file
// of the table as it is.
func compact(ctx context.Context, db *bun.DB, table string, begun func(part string, bytes int64)) error {
	var size int64
	var before, after string
	if err := db.NewRaw("SELECT pg_total_relation_size(?0), pg_relation_filepath(?0)", table).Scan(ctx, &size, &before); err != nil {
		return err
	}
	begun(table, size)
	_, err := db.ExecContext(ctx, "VACUUM (FULL, ANALYZE) "+table)
	switch {
	case lacksLock(err):
		return fmt.Errorf("others have used it for %v without a pause: run the command again: %w", compactWait, err)
	case err != nil:
		return err
	}
	if err := db.NewRaw("SELECT pg_relation_filepath(?)", table).Scan(ctx, &after); err != nil {
		return err
	}
	if before == after {
		return errors.New("the role needs the rights of its owner, and for statistics those of the owner of the database")
	}
	return nil
}

// awaitReaders waits for transactions that began earlier: for them, the server keeps the rows
// from before.
func awaitReaders(ctx context.Context, db *bun.DB) error {
	var now string
	if err := db.NewRaw("SELECT pg_current_xact_id()::xid::text").Scan(ctx, &now); err != nil {
		return err
	}
	const pause = 100 * time.Millisecond
	for range compactWait / pause {
		var earlier int
		err := db.NewRaw(`SELECT count(*) FROM (
				SELECT backend_xmin AS oldest FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND (datname = current_database() OR datname IS NULL)
				UNION ALL SELECT transaction FROM pg_prepared_xacts WHERE database = current_database()
				UNION ALL SELECT xmin FROM pg_replication_slots
			) AS holders WHERE age(oldest) > age(?::text::xid)`, now).Scan(ctx, &earlier)
		if err != nil || earlier == 0 {
			return err
		}
		if _, err := db.ExecContext(ctx, "SELECT pg_sleep(?)", pause.Seconds()); err != nil {
			return err
		}
	}
	return errors.New("a transaction that began earlier still sees former texts, such as an export or one on a standby: run the command again when it has ended")
}

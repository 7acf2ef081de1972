package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// portion is how many bytes of rows are copied at a time, roughly.
const portion = 4 << 20

// Restore implements store.Store. It locks the versions: all other ways to fill the store
// wait for that lock.
func (s *Store) Restore(ctx context.Context, archive store.Archive) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	w, err := s.writer(ctx)
	if err != nil {
		return err
	}
	tx, err := w.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		w.release()
		return interrupted(ctx, classify(err))
	}
	r := restoration{store: s, tx: tx}
	if err := r.fill(ctx, archive); err != nil {
		defer w.release() // closes the connection, if it is still in the transaction
		rollback, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		_ = tx.Rollback(rollback)
		return interrupted(ctx, err)
	}
	commit := start(w, func(ctx context.Context) (struct{}, error) { return struct{}{}, tx.Commit(ctx) })
	if !s.await(ctx, commit.done) { // for a standby, too, that lags behind a large import
		return classifyCommit(errUndecided)
	}
	return classifyCommit(commit.err)
}

// restoration is a Restore under way.
type restoration struct {
	store *Store
	tx    pgx.Tx
	rows  map[*sqlstore.Table][][]any // still to copy
	size  int                         // of rows, in bytes
}

// size returns about how many bytes the values take.
func size(values []any) int {
	n := 0
	for _, value := range values {
		n += 32
		if text, ok := value.(string); ok {
			n += len(text)
		}
	}
	return n
}

func (r *restoration) fill(ctx context.Context, archive store.Archive) error {
	head := archive.Head()
	head.Expect = []store.Expectation{store.StoreEmpty{}}
	if err := r.begin(ctx, head, archive); err != nil {
		return err
	}
	r.rows = make(map[*sqlstore.Table][][]any)
	for dossier, err := range archive.Problems {
		if err != nil {
			return err
		}
		for _, row := range r.store.dialect.DossierRows(dossier, archive.BatchOf(dossier)) {
			r.rows[row.Table] = append(r.rows[row.Table], row.Values)
			r.size += size(row.Values)
		}
		if r.size >= portion {
			if err := r.copy(ctx); err != nil {
				return err
			}
		}
		if err := store.Ended(ctx); err != nil {
			return err
		}
	}
	if err := r.copy(ctx); err != nil {
		return err
	}
	if err := r.fillFeed(ctx, archive); err != nil {
		return err
	}
	if err := r.count(ctx); err != nil {
		return err
	}
	return store.Ended(ctx)
}

// count has the server count what was copied. Until it does so by itself, minutes after a large
// import, it takes the tables for small, and a search begins at the wrong index. A table is left
// uncounted where that is refused, or takes long: CREATE INDEX CONCURRENTLY holds the table, and
// waits for this transaction itself.
func (r *restoration) count(ctx context.Context) error {
	for table := range r.rows {
		err := pgx.BeginFunc(ctx, r.tx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '1s'")
			if err == nil {
				_, err = tx.Exec(ctx, "ANALYZE "+pgx.Identifier{table.Name}.Sanitize())
			}
			return err
		})
		answer, refused := errors.AsType[*pgconn.PgError](err)
		if err != nil && !(refused && slices.Contains([]string{notSupported, deadlock, notAllowed, lockNotAvailable, queryCanceled}, answer.Code)) {
			return classify(err)
		}
	}
	return nil
}

// fillFeed copies the feed, and sets the head to its last number.
func (r *restoration) fillFeed(ctx context.Context, archive store.Archive) error {
	if archive.Feed == nil {
		return nil
	}
	for entry, err := range archive.Feed {
		if err != nil {
			return err
		}
		row, err := r.store.dialect.FeedRow(entry)
		if err != nil {
			return err
		}
		r.rows[row.Table] = append(r.rows[row.Table], row.Values)
		r.size += size(row.Values)
		if r.size >= portion {
			if err := r.copy(ctx); err != nil {
				return err
			}
		}
		if err := store.Ended(ctx); err != nil {
			return err
		}
	}
	if err := r.copy(ctx); err != nil {
		return err
	}
	_, err := r.tx.Exec(ctx, "UPDATE feed_head SET number = coalesce((SELECT max(number) FROM feed), 0)")
	return classify(err)
}

// begin stores everything outside of problems. The sequence of numbers stays: the next
// Reserve moves it, as always when it is behind.
func (r *restoration) begin(ctx context.Context, head store.Change, archive store.Archive) error {
	statements, err := r.store.locks(head)
	if err != nil {
		return err
	}
	effects, err := r.store.dialect.Effects(head, nil)
	if err != nil {
		return err
	}
	statements = append(statements, effects...)
	statements = append(statements, sqlstore.Statement{
		SQL:  "UPDATE versions SET (" + sqlstore.VersionColumns + ") = (?, ?, ?, ?)",
		Args: r.store.dialect.VersionValues(archive.Versions()),
	})
	batch := r.store.batch(statements)
	err = r.tx.SendBatch(ctx, batch).Close()
	if failure := classify(err); fault.Is(failure, fault.Conflict) {
		return fault.Wrap(fault.Conflict, err, "the store is not empty")
	} else if failure != nil {
		return failure
	}
	return nil
}

// copy copies the collected rows, in their order.
func (r *restoration) copy(ctx context.Context) error {
	for table, rows := range r.rows {
		_, err := r.tx.CopyFrom(ctx, pgx.Identifier{table.Name}, table.Columns, pgx.CopyFromRows(rows))
		if err != nil {
			return classify(err)
		}
		clear(rows) // frees their contents
		r.rows[table] = rows[:0]
	}
	r.size = 0
	return nil
}

package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return store.Receipt{}, err
	}
	defer leave()
	statements, err := s.statements(change)
	if err != nil {
		return store.Receipt{}, err
	}
	if err := s.numberBefore(ctx, change); err != nil {
		return store.Receipt{}, err
	}
	rewrites, err := s.rewrites(ctx, change)
	if fault.Is(err, fault.Conflict) { // the batch may be known
		statements = append(statements, sqlstore.Statement{SQL: "SELECT 1 WHERE false", Conflict: sqlstore.Rewritten})
	} else if err != nil {
		return store.Receipt{}, err
	}
	statements = append(statements, rewrites...)
	for {
		receipt, err := s.attempt(ctx, change.Batch, statements)
		if !retryable(err) {
			if err == nil && slices.ContainsFunc(change.Effects, publishes) {
				s.published.Store(true)
			}
			return receipt, err
		}
		if err := store.Ended(ctx); err != nil {
			return store.Receipt{}, err
		}
	}
}

// rewrites returns the statements that rewrite texts. The entries of the feed with these texts
// have been shown, so numberBefore has given numbers to all of them.
func (s *Store) rewrites(ctx context.Context, change store.Change) (statements []sqlstore.Statement, err error) {
	if !sqlstore.Rewriting(change) {
		return nil, nil
	}
	err = s.View(ctx, func(r store.Reader) error {
		return r.(reader).Rewrites(ctx, change, func(some ...sqlstore.Statement) error {
			statements = append(statements, some...)
			return nil
		})
	})
	return statements, err
}

func publishes(e store.Effect) bool { _, event := e.(store.Publish); return event }

// attempt sends the statements of a Change: either all of them happen or none.
func (s *Store) attempt(ctx context.Context, batch ident.ID, statements []sqlstore.Statement) (store.Receipt, error) {
	w, err := s.writer(ctx)
	if err != nil {
		return store.Receipt{}, classifyCommit(err)
	}
	w.batch = batch
	receipt, err := perform(ctx, w, func(ctx context.Context) (store.Receipt, error) {
		conn, receipt := w.Conn, store.Receipt{Batch: batch}
		refusal, err := s.send(ctx, conn, statements, &receipt.Position)
		if err == nil {
			return receipt, nil
		}
		failure := classifyCommit(err)
		if lacksLock(err) && standbyWaits(ctx, conn) {
			return store.Receipt{}, fault.Wrap(fault.Unavailable, store.Busy(err),
				"an earlier write waits for a standby of the database to confirm it; nothing was changed")
		}
		if fault.Is(failure, fault.Conflict) {
			if refusal != "" {
				failure = fault.Wrap(fault.Conflict, err, "%s", refusal)
			}
			return s.recall(ctx, conn, batch, failure)
		}
		return store.Receipt{}, failure
	})
	if err == nil {
		return receipt, nil
	}
	if readOnly(err) {
		s.lookAgain()
	}
	return store.Receipt{}, classifyCommit(err)
}

// send sends all statements at once and reads the answers. One statement returns a row,
// with the position. When the server refuses a statement, refusal is its Conflict.
func (s *Store) send(ctx context.Context, conn *pgxpool.Conn, statements []sqlstore.Statement, position *int64) (refusal string, err error) {
	results := conn.SendBatch(ctx, s.batch(statements))
	if _, err := results.Exec(); err != nil { // of the promise
		_ = results.Close()
		return "", err
	}
	for _, statement := range statements {
		if statement.SQL == putBatch {
			err = results.QueryRow().Scan(position)
		} else {
			_, err = results.Exec()
		}
		if err != nil {
			_ = results.Close()
			return statement.Conflict, err
		}
	}
	// Only the answer after the last statement confirms the storage.
	return "", results.Close()
}

// batch returns the statements in the form for sending, after those of promising.
func (s *Store) batch(statements []sqlstore.Statement) *pgx.Batch {
	batch := s.promising()
	for _, statement := range statements {
		text := s.texts.plainOf(statement.SQL)
		if statement.Conflict != "" {
			text = s.texts.guardedOf(statement.SQL)
		}
		batch.Queue(text, statement.Args...)
	}
	return batch
}

// standbyWaits reports whether a write of this user waits for the confirmation of a standby.
// It keeps its locks meanwhile.
func standbyWaits(ctx context.Context, conn *pgxpool.Conn) (waits bool) {
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database())").Scan(&waits)
	return err == nil && waits
}

// recall looks for an earlier outcome of a refused Change: it may not fit because it was
// committed or ruled out before.
func (s *Store) recall(ctx context.Context, conn *pgxpool.Conn, batch ident.ID, refusal error) (store.Receipt, error) {
	var position int64
	err := s.writeRow(ctx, conn, s.texts.plainOf(findBatch), []any{s.dialect.ID(batch)}, &position)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return store.Receipt{}, refusal
	case err != nil:
		return store.Receipt{}, fault.Wrap(fault.UnknownOutcome, err, "the change was refused, and whether it was stored before is not known")
	case position == ruledOut:
		return store.Receipt{}, fault.New(fault.Abandoned, "this batch was ruled out")
	}
	return store.Receipt{Batch: batch, Position: position}, nil
}

// ruledOut is the position of a batch after a ruling against it.
const ruledOut = 0

// findBatch and ruleOut write even when they change nothing. Where a standby has to
// confirm commits, reading a batch is not enough. A client may have given up a batch
// during that wait: the batch is visible, but a lost server loses it. A write behind it
// is confirmed only together with it.
const findBatch = "UPDATE batches SET at = at WHERE id = ? RETURNING position"

const ruleOut = "INSERT INTO batches (id, position, at) VALUES (?, 0, ?) ON CONFLICT (id) DO UPDATE SET at = batches.at RETURNING position"

// throughTables deletes nothing. It takes the locks of each write of a problem on its tables.
// So the check of readiness, which expires nothing, fails while a lock of an operator
// stops all writes.
const throughTables = "WITH a AS (DELETE FROM problems WHERE false), b AS (DELETE FROM savepoints WHERE false), " +
	"c AS (DELETE FROM log WHERE false), d AS (DELETE FROM pending WHERE false), e AS (DELETE FROM reads WHERE false) SELECT"

const putBatch = "INSERT INTO batches (id, position, at) VALUES (?, nextval('positions'), ?) RETURNING position"

// statements returns everything that a Commit sends. It first locks all rows that others
// may change, until the end. Each guard after the locks sees the commits before it, so it
// remains true. The Changes of one problem take their positions in the order of their
// commits.
func (s *Store) statements(change store.Change) ([]sqlstore.Statement, error) {
	effects, err := s.effects(change)
	if err != nil {
		return nil, err
	}
	locks, err := s.locks(change)
	if err != nil {
		return nil, err
	}
	batch := sqlstore.Statement{SQL: putBatch, Args: []any{s.dialect.ID(change.Batch), change.At.UnixMicro()}}
	return slices.Concat(locks, []sqlstore.Statement{batch}, effects), nil
}

// effects returns the statements for the effects of the Change and for the versions that
// it raises.
func (s *Store) effects(change store.Change) ([]sqlstore.Statement, error) {
	effects, err := s.dialect.Effects(change, nil)
	if err != nil {
		return nil, err
	}
	if !s.citus && slices.ContainsFunc(change.Effects, func(e store.Effect) bool { _, expires := e.(store.Expire); return expires }) {
		effects = append(effects, sqlstore.Statement{SQL: throughTables})
	}
	catalogue, access := change.Raises()
	if catalogue {
		effects = append(effects, sqlstore.Statement{SQL: "UPDATE versions SET catalogue = catalogue + 1, catalogue_batch = ?", Args: []any{s.dialect.ID(change.Batch)}})
	}
	if access {
		effects = append(effects, sqlstore.Statement{SQL: "UPDATE versions SET access = access + 1, access_batch = ?", Args: []any{s.dialect.ID(change.Batch)}})
	}
	return effects, nil
}

// Outcome implements store.Store. The ruling has the key of the batch. While a Commit of
// the batch is under way, the server makes the ruling wait. So whichever is stored first,
// the other is never stored.
func (s *Store) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return store.Receipt{}, false, err
	}
	defer leave()
	// Unlike a Commit, this is safe to repeat: once for each connection of the pool that
	// may have been lost.
	for attempt := 0; ; attempt++ {
		ruling, err := write(ctx, s, func(ctx context.Context, conn *pgxpool.Conn) (r ruling, err error) {
			ruling := s.promising()
			if s.holds(batch) { // it has waited already
				ruling.Queue("SELECT set_config('lock_timeout', '" + milliseconds(min(grace, s.options.Timeout)) + "', true)")
			}
			ruling.Queue(s.texts.plainOf(ruleOut), s.dialect.ID(batch), at.UnixMicro()).QueryRow(func(row pgx.Row) error { return row.Scan(&r.position) })
			err = conn.SendBatch(ctx, ruling).Close()
			r.lost = conn.Conn().IsClosed()
			return r, err
		})
		switch {
		case err == nil && ruling.position == ruledOut:
			return store.Receipt{}, false, nil
		case err == nil:
			return store.Receipt{Batch: batch, Position: ruling.position}, true, nil
		case ctx.Err() != nil || attempt > s.options.Connections || !ruling.lost && !retryable(err):
			return store.Receipt{}, false, interrupted(ctx, classify(err))
		}
	}
}

// ruling is the outcome of a batch.
type ruling struct {
	position int64 // ruledOut or the position of the Change
	lost     bool  // the connection was lost before the server has said
}

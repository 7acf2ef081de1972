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
	for {
		receipt, err := s.attempt(ctx, change.Batch, statements)
		if !retryable(err) {
			return receipt, err
		}
		if err := store.Ended(ctx); err != nil {
			return store.Receipt{}, err
		}
	}
}

// attempt sends the statements of a Change, which either all happen or none.
func (s *Store) attempt(ctx context.Context, batch ident.ID, statements []sqlstore.Statement) (store.Receipt, error) {
	receipt, err := write(ctx, s, func(ctx context.Context, conn *pgxpool.Conn) (store.Receipt, error) {
		receipt := store.Receipt{Batch: batch}
		refusal, err := s.send(ctx, conn, statements, &receipt.Position)
		if err == nil {
			return receipt, nil
		}
		failure := classifyCommit(err)
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

// send sends all statements at once and reads the answers. The one that returns a
// row returns the position. When a statement is refused, refusal is its
// Conflict.
func (s *Store) send(ctx context.Context, conn *pgxpool.Conn, statements []sqlstore.Statement, position *int64) (refusal string, err error) {
	results := conn.SendBatch(ctx, s.batch(statements))
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
	// Only what comes after the last statement says that it is stored.
	return "", results.Close()
}

// batch returns the statements in the form that is sent.
func (s *Store) batch(statements []sqlstore.Statement) *pgx.Batch {
	batch := &pgx.Batch{}
	for _, statement := range statements {
		text := s.texts.plainOf(statement.SQL)
		if statement.Conflict != "" {
			text = s.texts.guardedOf(statement.SQL)
		}
		batch.Queue(text, statement.Args...)
	}
	return batch
}

// recall looks whether a Change that was refused is one that was committed or
// ruled out before, which is why it no longer fits.
func (s *Store) recall(ctx context.Context, conn *pgxpool.Conn, batch ident.ID, refusal error) (store.Receipt, error) {
	var position int64
	err := conn.QueryRow(ctx, s.texts.plainOf(findBatch), s.dialect.ID(batch)).Scan(&position)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return store.Receipt{}, refusal
	case err != nil:
		return store.Receipt{}, fault.Wrap(fault.UnknownOutcome, err, "the change was refused, and whether it was stored before is not known")
	case position == ruledOut:
		return store.Receipt{}, fault.New(fault.Abandoned, "it was ruled that this batch never happens")
	}
	return store.Receipt{Batch: batch, Position: position}, nil
}

// ruledOut is the position of a batch that never happens.
const ruledOut = 0

// findBatch and ruleOut write even when they change nothing: to see a batch is not
// enough where a standby has to confirm commits. One that was given up while it
// waited for that is to be seen, but may be lost with the server; what is written
// after it is not confirmed without it.
const findBatch = "UPDATE batches SET at = at WHERE id = ? RETURNING position"

const ruleOut = "INSERT INTO batches (id, position, at) VALUES (?, 0, ?) ON CONFLICT (id) DO UPDATE SET at = batches.at RETURNING position"

const putBatch = "INSERT INTO batches (id, position, at) VALUES (?, nextval('positions'), ?) RETURNING position"

// statements returns all that a Commit sends. What others may be changing is
// locked first and stays so until the end: so the guards that follow, each of
// which sees what was committed when it begins, remain true, and the positions of
// Changes of one problem are taken in the order of their commits.
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

// effects returns the statements that do what the Change says and raise the
// versions that it concerns.
func (s *Store) effects(change store.Change) ([]sqlstore.Statement, error) {
	effects, err := s.dialect.Effects(change, nil)
	if err != nil {
		return nil, err
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

// Outcome implements store.Store. The ruling has the key that the batch would
// have: while a Commit of it is under way, the server lets it wait, so that
// whichever of the two is stored first, the other never is.
func (s *Store) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return store.Receipt{}, false, err
	}
	defer leave()
	// Unlike a Commit, this may be done any number of times: once for each
	// connection of the pool that may have been lost.
	for attempt := 0; ; attempt++ {
		ruling, err := write(ctx, s, func(ctx context.Context, conn *pgxpool.Conn) (r ruling, err error) {
			err = conn.QueryRow(ctx, s.texts.plainOf(ruleOut), s.dialect.ID(batch), at.UnixMicro()).Scan(&r.position)
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

// ruling is what has become of a batch.
type ruling struct {
	position int64 // ruledOut or that of the Change
	lost     bool  // the connection was lost before the server has said
}

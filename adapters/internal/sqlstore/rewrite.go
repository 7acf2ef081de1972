package sqlstore

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// The effect that rewrites texts needs to read: rows of a log have no index by identifier, and
// the feed has bodies.

// Rewriting reports whether a Change has an effect for Rewrites.
func Rewriting(change store.Change) bool {
	return slices.ContainsFunc(change.Effects, func(e store.Effect) bool {
		_, rewrites := e.(store.Rewriter)
		return rewrites
	})
}

// Rewrites calls do with the statements of the effects of a Change that rewrite texts, in
// parts. It reads the places of the texts. Between the read and the statements, another
// transaction may rewrite the feed, too: then a statement is refused with its Conflict.
func (r Reader) Rewrites(ctx context.Context, change store.Change, do func(...Statement) error) error {
	for _, effect := range change.Effects {
		var err error
		switch e := effect.(type) {
		case store.Rewrite:
			err = r.rewriteProblem(ctx, e, do)
		case store.RewriteAudit:
			err = r.rewriteAudit(ctx, e, do)
		}
		if e, ok := effect.(store.Rewriter); ok && err == nil {
			err = r.rewriteFeed(ctx, e.Feed(), do)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Rewritten is the reason of a refusal.
const Rewritten = "a text that is to be rewritten is no longer there"

var (
	rewriteLog       = "UPDATE log SET (field, old_value, new_value) = (?, ?, ?) WHERE problem = ? AND position = ?"
	rewriteSavepoint = "UPDATE savepoints SET (" + fieldColumns + ") = (" + placeholders(len(fields)+1) + ") WHERE problem = ? AND position = ?"
	rewriteAudit     = "UPDATE audit SET (name, old_value, new_value) = (?, ?, ?) WHERE position = ?"
	rewriteFeed      = "UPDATE feed SET (size, body) = (?, ?) WHERE number = ? AND body = ?"
)

func (r Reader) rewriteProblem(ctx context.Context, e store.Rewrite, do func(...Statement) error) error {
	of := int64(e.Problem)
	at, err := r.positions(ctx, len(e.Log), "SELECT id, position FROM log WHERE problem = ?", of)
	if err != nil {
		return err
	}
	for _, l := range e.Log {
		if err := put(do, at, l.ID, Statement{SQL: rewriteLog, Args: []any{l.Field, string(l.From), string(l.To), of}}); err != nil {
			return err
		}
	}
	at, err = r.positions(ctx, len(e.Savepoints), "SELECT batch, position FROM savepoints WHERE problem = ?", of)
	if err != nil {
		return err
	}
	for _, s := range e.Savepoints {
		if err := put(do, at, s.Batch, Statement{SQL: rewriteSavepoint, Args: append(r.fieldValues(&s.Problem), of)}); err != nil {
			return err
		}
	}
	return nil
}

func (r Reader) rewriteAudit(ctx context.Context, e store.RewriteAudit, do func(...Statement) error) error {
	at, err := r.positions(ctx, len(e.Entries), "SELECT id, position FROM audit")
	if err != nil {
		return err
	}
	for _, a := range e.Entries {
		if err := put(do, at, a.ID, Statement{SQL: rewriteAudit, Args: []any{a.Name, string(a.From), string(a.To)}}); err != nil {
			return err
		}
	}
	return nil
}

// positions returns the positions of rows, by identifier. Without wanted rows it reads none.
func (r Reader) positions(ctx context.Context, wanted int, sql string, args ...any) (map[ident.ID]int64, error) {
	at := make(map[ident.ID]int64, wanted)
	if wanted == 0 {
		return at, nil
	}
	return at, r.Read(ctx, Query{SQL: sql, Args: args, Row: func(scan func(...any) error) error {
		var id ident.ID
		var position int64
		err := scan(r.IDInto(&id), &position)
		at[id] = position
		return err
	}})
}

// put does a statement at the position of a row. Without the row, the Change is refused.
func put(do func(...Statement) error, at map[ident.ID]int64, id ident.ID, s Statement) error {
	position, ok := at[id]
	if !ok {
		return fault.New(fault.Conflict, Rewritten)
	}
	s.Args, s.Conflict = append(s.Args, position), Rewritten
	return do(s)
}

// mostBodies is the number of entries of the feed in one read.
const mostBodies = 200

func (r Reader) rewriteFeed(ctx context.Context, rewrite store.FeedRewrite, do func(...Statement) error) error {
	for batches := range slices.Chunk(rewrite.Batches, mostBodies) {
		var statements []Statement
		queries := make([]Query, len(batches))
		for i, batch := range batches {
			queries[i] = Query{SQL: "SELECT number, body FROM feed WHERE batch = ?", Args: []any{r.ID(batch)}, Long: true,
				Row: func(scan func(...any) error) error {
					before := event.Entry{Batch: batch}
					var encoded string
					if err := scan(&before.Number, &encoded); err != nil {
						return err
					}
					if err := decode(&before, []byte(encoded)); err != nil {
						return err
					}
					after, changed := rewrite.Entry(before)
					if !changed {
						return nil
					}
					values, err := r.feedRow(after)
					if err == nil {
						statements = append(statements, Statement{SQL: rewriteFeed, Args: append(values[1:], before.Number, encoded), Conflict: Rewritten})
					}
					return err
				}}
		}
		if err := r.Read(ctx, queries...); err != nil {
			return err
		}
		if err := do(statements...); err != nil {
			return err
		}
	}
	return nil
}

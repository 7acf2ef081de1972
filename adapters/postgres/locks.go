package postgres

import (
	"iter"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// locks returns statements. They lock the dependencies of the Change and check its
// expectations. Everybody locks in the same order, so nobody deadlocks: versions, then
// problems in ascending order, each once. A key without a stored reply has no row to
// lock: there the effect guards itself.
func (s *Store) locks(change store.Change) ([]sqlstore.Statement, error) {
	var versions, others []sqlstore.Statement
	problems := map[problem.ID][]store.ProblemAt{}
	lock := versionsLock(change)
	for _, expectation := range change.Expect {
		switch e := expectation.(type) {
		case store.CatalogueAt:
			versions = append(versions, sqlstore.Statement{SQL: "SELECT 1 FROM versions WHERE catalogue = ? AND catalogue_batch IS NOT DISTINCT FROM ?" + lock,
				Args: []any{e.Version.Number, s.dialect.ID(e.Version.Batch)}, Conflict: "the catalogue is not at the expected version"})
		case store.AccessAt:
			versions = append(versions, sqlstore.Statement{SQL: "SELECT 1 FROM versions WHERE access = ? AND access_batch IS NOT DISTINCT FROM ?" + lock,
				Args: []any{e.Version.Number, s.dialect.ID(e.Version.Batch)}, Conflict: "the tokens are not at the expected version"})
		case store.ProblemAt:
			problems[e.ID] = append(problems[e.ID], e)
		default:
			guard, known := s.dialect.Expectation(expectation)
			if !known {
				return nil, sqlstore.Unsupported(expectation)
			}
			others = append(others, guard)
		}
	}
	if len(versions) == 0 && lock != "" {
		versions = []sqlstore.Statement{{SQL: "SELECT 1 FROM versions" + lock}}
	}
	if queue := queueFor[lock]; queue != "" {
		versions = slices.Insert(versions, 0, sqlstore.Statement{SQL: queue})
	}
	return slices.Concat(versions, s.problemLocks(written(change), problems), others), nil
}

// queueFor is the advisory lock in front of each lock of the versions. PostgreSQL lets
// sharers of a row lock pass a waiter for the exclusive lock, who may so wait without
// end. An advisory lock has a queue, in the order of arrival. It is a statement of its
// own, because the next statement has to see the commits before the lock. It ends with
// the transaction, and so suits a pooler. The row's own lock is for servers of an older
// version beside this one.
var queueFor = map[string]string{
	" FOR SHARE":  "SELECT pg_advisory_xact_lock_shared(" + queueNumber + ")",
	" FOR UPDATE": "SELECT pg_advisory_xact_lock(" + queueNumber + ")",
}

const queueNumber = "hashtextextended('problems: versions of ' || current_schema(), 0)"

// problemLocks returns the statements that lock all problems of the Change and check the
// expectations of them. Others may expect a problem at the same time that the Change only
// expects. There may be thousands of these: all up to the next one that is written take one
// statement.
func (s *Store) problemLocks(written map[problem.ID]bool, expected map[problem.ID][]store.ProblemAt) (all []sqlstore.Statement) {
	ids := maps.Clone(written)
	for id := range expected {
		ids[id] = true
	}
	for run := range runs(slices.Sorted(maps.Keys(ids)), written) {
		var expectations []store.ProblemAt
		guarded := true
		for _, id := range run {
			expectations = append(expectations, expected[id]...)
			guarded = guarded && len(expected[id]) > 0
		}
		if !written[run[0]] {
			all = append(all, s.share(expectations))
			continue
		}
		if !guarded {
			all = append(all, sqlstore.Statement{SQL: "SELECT 1 FROM problems WHERE id = ANY(?) ORDER BY id FOR UPDATE", Args: []any{list(run)}})
		}
		for _, e := range expectations {
			guard, _ := s.dialect.Expectation(e)
			all = append(all, guard)
		}
	}
	return all
}

// runs yields the problems in parts that are written as a whole or not at all.
func runs(ids []problem.ID, written map[problem.ID]bool) iter.Seq[[]problem.ID] {
	return func(yield func([]problem.ID) bool) {
		for len(ids) > 0 {
			n := slices.IndexFunc(ids, func(id problem.ID) bool { return written[id] != written[ids[0]] })
			if n < 0 {
				n = len(ids)
			}
			if !yield(ids[:n]) {
				return
			}
			ids = ids[n:]
		}
	}
}

// share returns the statement that locks problems against writers alone. It finds a row if
// all of the expectations hold.
func (s *Store) share(expectations []store.ProblemAt) sqlstore.Statement {
	var ids, revisions []int64
	var batches []pgtype.UUID
	for _, e := range expectations {
		ids, revisions = append(ids, int64(e.ID)), append(revisions, e.Revision)
		batches = append(batches, pgtype.UUID{Bytes: e.Batch, Valid: e.Batch != ident.None})
	}
	return sqlstore.Statement{SQL: "SELECT 1 FROM (SELECT 1 FROM problems p JOIN unnest(?::bigint[], ?::bigint[], ?::uuid[]) AS e (id, revision, batch) " +
		"ON p.id = e.id AND p.revision = e.revision AND p.batch IS NOT DISTINCT FROM e.batch ORDER BY p.id FOR SHARE OF p) AS held HAVING count(*) = ?",
		Args: []any{ids, revisions, batches, len(expectations)}, Conflict: "a problem is not at the expected revision"}
}

// versionsLock returns the lock of the Change on the versions. It is exclusive when the
// Change raises them, wants the store to be empty, a state to be unused or a lease to be missing, or
// adds to an order without a problem to lock. It is shared when the Change depends on the versions,
// fills the store, or expires something.
func versionsLock(change store.Change) string {
	catalogue, access := change.Raises()
	shared := false
	for _, expectation := range change.Expect {
		switch e := expectation.(type) {
		case store.StoreEmpty, store.StateUnused:
			return " FOR UPDATE"
		case store.CatalogueAt, store.AccessAt:
			shared = true
		case store.LeaseAt: // without a lease, there is no row to lock
			if e.Version.IsNone() {
				return " FOR UPDATE"
			}
		}
	}
	for _, effect := range change.Effects {
		switch effect.(type) {
		case store.AppendAudit, store.PutQuery, store.PutSession, store.PutWebhook:
			return " FOR UPDATE"
		case store.CreateProblem, store.Expire: // Expire asks whether writes get through: see throughTables
			shared = true
		case store.Publish: // the lock of a problem does as well
			shared = shared || len(written(change)) == 0
		}
	}
	switch {
	case catalogue || access:
		return " FOR UPDATE"
	case shared:
		return " FOR SHARE"
	default:
		return ""
	}
}

// written returns the problems that the Change writes and that can exist already. One with an
// expected claim counts, because that expectation locks it in the same way.
func written(change store.Change) map[problem.ID]bool {
	ids := make(map[problem.ID]bool)
	for _, expectation := range change.Expect {
		if e, ok := expectation.(store.ClaimAt); ok {
			ids[e.Problem] = true
		}
	}
	for _, effect := range change.Effects {
		if id := about(effect); id != 0 {
			ids[id] = true
		}
	}
	for _, entry := range change.Log {
		ids[entry.Problem] = true
	}
	for _, effect := range change.Effects {
		if e, ok := effect.(store.CreateProblem); ok {
			delete(ids, e.Problem.ID)
		}
	}
	return ids
}

// about returns the problem of an effect, or 0.
func about(effect store.Effect) problem.ID {
	switch e := effect.(type) {
	case store.UpdateProblem:
		return e.Problem.ID
	case store.PutSavepoint:
		return e.Problem.ID
	case store.AddComment:
		return e.Problem
	case store.PutComment:
		return e.Problem
	case store.PutAttachment:
		return e.Problem
	case store.PutClaim:
		return e.Problem
	case store.Rewrite:
		return e.Problem
	case store.PutKeyword:
		return e.Problem
	case store.DropKeyword:
		return e.Problem
	case store.PutRelationship:
		return e.Relationship.Owner
	case store.DropRelationship:
		return e.Owner
	case store.Watch:
		return e.Problem
	case store.Unwatch:
		return e.Problem
	case store.MarkRead:
		return e.Problem
	case store.ForgetReads:
		return e.Problem
	}
	return 0
}

package postgres

import (
	"cmp"
	"maps"
	"slices"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// locks returns statements. They lock the dependencies of the Change and check its
// expectations. Everybody locks in the same order, so nobody deadlocks: versions,
// families, problems, each in ascending order. A key without a stored reply has no row to
// lock: there the effect guards itself.
func (s *Store) locks(change store.Change) ([]sqlstore.Statement, error) {
	var versions, others []sqlstore.Statement
	var families []store.FamilyAt
	var problems []store.ProblemAt
	lock := versionsLock(change)
	for _, expectation := range change.Expect {
		switch e := expectation.(type) {
		case store.CatalogueAt:
			versions = append(versions, sqlstore.Statement{SQL: "SELECT 1 FROM versions WHERE catalogue = ? AND catalogue_batch IS NOT DISTINCT FROM ?" + lock,
				Args: []any{e.Version.Number, s.dialect.ID(e.Version.Batch)}, Conflict: "the catalogue is not at the expected version"})
		case store.AccessAt:
			versions = append(versions, sqlstore.Statement{SQL: "SELECT 1 FROM versions WHERE access = ? AND access_batch IS NOT DISTINCT FROM ?" + lock,
				Args: []any{e.Version.Number, s.dialect.ID(e.Version.Batch)}, Conflict: "the tokens are not at the expected version"})
		case store.FamilyAt:
			families = append(families, e)
		case store.ProblemAt:
			problems = append(problems, e)
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
	slices.SortFunc(families, func(a, b store.FamilyAt) int { return cmp.Compare(a.Family.Code(), b.Family.Code()) })
	slices.SortFunc(problems, func(a, b store.ProblemAt) int { return cmp.Compare(a.ID, b.ID) })
	return slices.Concat(versions, guards(s.dialect, families), unguarded(change, problems), guards(s.dialect, problems), others), nil
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

// guards returns the statements that lock the subjects of the expectations and guard the
// Change by them.
func guards[E store.Expectation](d *sqlstore.Dialect, expectations []E) []sqlstore.Statement {
	var all []sqlstore.Statement
	for _, e := range expectations {
		guard, _ := d.Expectation(e)
		all = append(all, guard)
	}
	return all
}

// unguarded returns the statement that locks all problems of the Change, if one is locked
// by no expectation.
func unguarded(change store.Change, guarded []store.ProblemAt) []sqlstore.Statement {
	ids := involved(change)
	for _, id := range ids {
		if !slices.ContainsFunc(guarded, func(e store.ProblemAt) bool { return e.ID == id }) {
			return []sqlstore.Statement{{SQL: "SELECT 1 FROM problems WHERE id = ANY(?) ORDER BY id FOR UPDATE", Args: []any{list(ids)}}}
		}
	}
	return nil
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
			shared = shared || len(involved(change)) == 0
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

// involved returns, in ascending order, the problems of the Change that can exist
// already.
func involved(change store.Change) []problem.ID {
	ids := make(map[problem.ID]bool)
	for _, expectation := range change.Expect {
		if e, ok := expectation.(store.ProblemAt); ok {
			ids[e.ID] = true
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
	return slices.Sorted(maps.Keys(ids))
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

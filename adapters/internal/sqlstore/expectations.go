package sqlstore

import "github.com/problemtracking/problems/domain/store"

// Expectation returns a statement. It finds a row if the expectation holds. ok is false
// for expectations about versions: each adapter stores its versions in its own way.
func (d *Dialect) Expectation(expectation store.Expectation) (s Statement, ok bool) {
	switch e := expectation.(type) {
	case store.ProblemAt:
		return Statement{d.problemAt, []any{int64(e.ID), e.Revision, d.ID(e.Batch)}, "a problem is not at the expected revision"}, true
	case store.ClaimAt:
		return Statement{d.claimAt, []any{int64(e.Problem), d.ID(e.Claim), micros(e.Expires)}, "a problem does not have the expected claim"}, true
	case store.KeyUnused:
		return Statement{"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM replies WHERE user_id = ? AND key = ? AND created >= ?)",
			[]any{d.ID(e.User), e.Key, notBefore(e.Since)}, keyUsed}, true
	case store.StateUnused:
		return Statement{"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM problems WHERE state = ?)", []any{d.ID(e.State)}, "a problem is in the state"}, true
	case store.WebhookAt:
		return Statement{d.webhookAt, []any{d.ID(e.ID), d.ID(e.Version)}, "a webhook does not have the expected settings"}, true
	case store.LeaseAt:
		if e.Version.IsNone() {
			return Statement{"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM leases WHERE name = ?)", []any{e.Name}, "there is a lease already"}, true
		}
		return Statement{d.leaseAt, []any{e.Name, d.ID(e.Version)}, "a lease does not have the expected version"}, true
	case store.StoreEmpty:
		return Statement{SQL: empty + " AND NOT EXISTS (SELECT 1 FROM " + d.WholeFeed + ")", Conflict: "the store is not empty"}, true
	}
	return Statement{}, false
}

const keyUsed = "a reply is kept for this key"

const empty = `SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM problems) AND NOT EXISTS (SELECT 1 FROM tokens)
	AND NOT EXISTS (SELECT 1 FROM states) AND NOT EXISTS (SELECT 1 FROM priorities)
	AND NOT EXISTS (SELECT 1 FROM classifications) AND NOT EXISTS (SELECT 1 FROM components)
	AND NOT EXISTS (SELECT 1 FROM milestones) AND NOT EXISTS (SELECT 1 FROM users)
	AND NOT EXISTS (SELECT 1 FROM queries) AND NOT EXISTS (SELECT 1 FROM sessions) AND NOT EXISTS (SELECT 1 FROM webhooks)
	AND NOT EXISTS (SELECT 1 FROM audit)`

package boltstore

import (
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// expect returns nil when the expectation holds.
func (c contents) expect(expectation store.Expectation) error {
	switch e := expectation.(type) {
	case store.ProblemAt:
		found, ok, err := get[problem.Problem](c, problems, number(e.ID))
		if err != nil {
			return err
		}
		batch, _ := c.revision(e.ID)
		return require(ok && found.Revision == e.Revision && batch == e.Batch,
			"problem %d is not at revision %d of batch %v", e.ID, e.Revision, e.Batch)
	case store.ClaimAt:
		claim, _, err := get[problem.Claim](c, claims, number(e.Problem))
		if err != nil {
			return err
		}
		return require(c.has(problems, number(e.Problem)) && claim.ID == e.Claim && claim.Expires.Equal(e.Expires), "problem %d has another claim than %v", e.Problem, e.Claim)
	case store.CatalogueAt:
		return require(c.counter(catalogueVersion) == e.Version, "the catalogue is not at version %v", e.Version)
	case store.AccessAt:
		return require(c.counter(accessVersion) == e.Version, "the tokens are not at version %v", e.Version)
	case store.KeyUnused:
		reply, ok, err := get[store.Reply](c, replies, replyKey(e.User, e.Key))
		if err != nil {
			return err
		}
		return require(!ok || reply.Created.Before(e.Since), "a reply is kept for this key")
	case store.StateUnused:
		for _, data := range c.under(problems, nil) {
			found, err := decode[problem.Problem](data)
			if err != nil {
				return err
			}
			if found.State == e.State {
				return conflict("problem %d is in the state", found.ID)
			}
		}
		return nil
	case store.WebhookAt:
		w, ok, err := c.webhook(e.ID)
		if err != nil {
			return err
		}
		return require(ok && w.Version == e.Version, "webhook %v does not have the settings of batch %v", e.ID, e.Version)
	case store.LeaseAt:
		l, _, err := get[lease.Lease](c, leases, []byte(e.Name))
		if err != nil {
			return err
		}
		return require(l.Version == e.Version, "lease %q is not that of batch %v", e.Name, e.Version)
	case store.StoreEmpty:
		for _, bucket := range []string{problems, states, priorities, classifications, components, milestones, users, tokens, queries, sessions, webhooks, auditLog, feed} {
			if !c.empty(bucket) {
				return conflict("the store is not empty: it has %s", bucket)
			}
		}
		return nil
	}
	return unsupported(expectation)
}

// require returns the fault of a Change in conflict with the content, unless the condition
// holds.
func require(holds bool, otherwise string, args ...any) error {
	if holds {
		return nil
	}
	return conflict(otherwise, args...)
}

package memory

import "github.com/problemtracking/problems/domain/store"

// expect returns nil when the expectation holds.
func (d *draft) expect(expectation store.Expectation) error {
	switch e := expectation.(type) {
	case store.ProblemAt:
		if r := d.record(e.ID); r == nil || r.problem.Revision != e.Revision || r.batch != e.Batch {
			return conflict("problem %d is not at revision %d of batch %v", e.ID, e.Revision, e.Batch)
		}
	case store.ClaimAt:
		if r := d.record(e.Problem); r == nil || r.claim.ID != e.Claim || !r.claim.Expires.Equal(e.Expires) {
			return conflict("problem %d has another claim than %v", e.Problem, e.Claim)
		}
	case store.CatalogueAt:
		if d.versions.Catalogue != e.Version {
			return conflict("the catalogue is not at version %d of batch %v", e.Version.Number, e.Version.Batch)
		}
	case store.AccessAt:
		if d.versions.Access != e.Version {
			return conflict("the tokens are not at version %d of batch %v", e.Version.Number, e.Version.Batch)
		}
	case store.KeyUnused:
		if reply, ok := d.reply(e.User, e.Key); ok && !reply.Created.Before(e.Since) {
			return conflict("a reply is kept for this key")
		}
	case store.StateUnused:
		for id, r := range d.problems.all() {
			if r != nil && r.problem.State == e.State {
				return conflict("problem %d is in the state", id)
			}
		}
	case store.WebhookAt:
		if w := d.webhook(e.ID); w == nil || w.Version != e.Version {
			return conflict("webhook %v does not have the settings of batch %v", e.ID, e.Version)
		}
	case store.LeaseAt:
		if l, _ := d.lease(e.Name); l.Version != e.Version {
			return conflict("lease %q is not that of batch %v", e.Name, e.Version)
		}
	case store.StoreEmpty:
		if !d.empty() {
			return conflict("the store is not empty")
		}
	default:
		return unsupported(expectation)
	}
	return nil
}

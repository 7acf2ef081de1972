package changes

import (
	"context"

	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
)

// queriesLease is the name of the lease that each change and deletion of a saved query raises, and
// each new one that is shared. So none undoes another one, nor passes the limit of shared ones, on
// any number of servers.
const queriesLease = "queries"

// LeaseOfQueries reads the lease of saved queries.
func LeaseOfQueries(ctx context.Context, r store.Reader) (l lease.Lease, err error) {
	l, _, err = r.Lease(ctx, queriesLease)
	return l, err
}

// RaiseQueries raises the lease, as it was read: so the Change fails when another one of saved
// queries has come since.
func (cb *Builder) RaiseQueries(l lease.Lease) {
	cb.AddExpect(store.LeaseAt{Name: queriesLease, Version: l.Version})
	cb.AddEffect(store.PutLease{Lease: lease.Lease{Name: queriesLease, Version: cb.Batch}})
}

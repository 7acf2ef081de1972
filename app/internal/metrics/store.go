package metrics

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// measured is a store whose commits are measured.
type measured struct {
	store.Store
	metrics *Metrics
	now     func() time.Time
}

// Store returns a store that does what s does and measures its commits by the
// given clock.
func (m *Metrics) Store(s store.Store, now func() time.Time) store.Store {
	return measured{s, m, now}
}

// Commit is that of the store.
func (s measured) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	start := s.now()
	receipt, err := s.Store.Commit(ctx, change)
	s.metrics.duration.Observe(s.now().Sub(start).Seconds())
	outcome := "ok"
	if err != nil {
		outcome = string(fault.KindOf(err))
	}
	s.metrics.commits.WithLabelValues(outcome).Inc()
	if fault.Is(err, fault.Conflict) {
		s.metrics.retries.Inc()
	}
	return receipt, err
}

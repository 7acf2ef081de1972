package postgres_test

import (
	"sync"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// TestReserveLeavesNothingOut reserves numbers while others store problems: a number is
// only skipped when somebody has stored one that was not reserved.
func TestReserveLeavesNothingOut(t *testing.T) {
	t.Parallel()
	const clients, each = 8, 25
	s, from := open(t, postgres.Options{URL: postgrestest.Schema(t)}), newSource()
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for range each {
				create(t, s, from, 1)
			}
		})
	}
	group.Wait()
	if next, err := s.Reserve(t.Context()); err != nil || next != clients*each+1 {
		t.Errorf("after %d problems the next number is %d, %v", clients*each, next, err)
	}
}

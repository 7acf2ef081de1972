package predicatetest

import (
	"context"
	"fmt"

	"github.com/problemtracking/problems/domain/predicate"
)

// Fake is an Entry with the given values. It fails for any other key.
type Fake struct {
	ID     any
	Values map[string]predicate.Value
}

// Get implements predicate.Entry, as does Identity.
func (f *Fake) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	v, ok := f.Values[key.Name]
	if !ok {
		return nil, fmt.Errorf("fake %v has no %s", f.ID, key.Name)
	}
	return v, nil
}

// Identity returns the ID: two Fakes with the same one are equal to predicates.
func (f *Fake) Identity() any { return f.ID }

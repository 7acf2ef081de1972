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

func (f *Fake) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	v, ok := f.Values[key.Name]
	if !ok {
		return nil, fmt.Errorf("fake %v has no %s", f.ID, key.Name)
	}
	return v, nil
}

func (f *Fake) Identity() any { return f.ID }

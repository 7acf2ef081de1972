package predicate

import (
	"context"
	"fmt"
)

// fake is an Entry with the given values. It fails for any other key.
type fake struct {
	id     any
	values map[string]Value
}

func (f *fake) Get(_ context.Context, key *Key) (Value, error) {
	v, ok := f.values[key.Name]
	if !ok {
		return nil, fmt.Errorf("fake %v has no %s", f.id, key.Name)
	}
	return v, nil
}

func (f *fake) Identity() any { return f.id }

package builtin

import (
	"context"
	"errors"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/domain/store"
)

const memoryURL = "memory:"

// Memory returns the kind of a store in the memory of its server.
func Memory() backend.Kind {
	return backend.Kind{
		Name:    "a store in memory",
		Schemes: []string{"memory"},
		Forms:   []string{memoryURL},
		Note:    "nothing survives a restart",
		Sharing: backend.Private,
		Check: func(url string) error {
			if url != memoryURL {
				return errors.New("a store in memory is written memory: and nothing else")
			}
			return nil
		},
		Open: func(ctx context.Context, o backend.Options) (store.Store, error) {
			o.Logger.Warn("the store is in memory: nothing survives a restart")
			return memory.Open(ctx, memory.Options{})
		},
	}
}

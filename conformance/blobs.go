package conformance

import (
	"testing"

	"github.com/problemtracking/problems/conformance/internal/blobs"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/domain/blob"
)

// Blobs holds a store of files against the contract of package blob. open opens the store
// of a directory, which is empty at first. A second call with the same directory opens the
// same files again. Each case is a subtest with a directory of its own.
func Blobs(t *testing.T, open func(t T, dir string) blob.Store) {
	t.Helper()
	for _, c := range blobs.Cases() {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the rule: %s", c.Rule)
				}
			})
			c.Run(blobs.NewBench(t, func(t engine.T, dir string) blob.Store { return open(t, dir) }))
		})
	}
}

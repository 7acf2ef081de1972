package files

import (
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/blob"
)

func TestFolder(t *testing.T) {
	t.Parallel()
	conformance.Blobs(t, func(t conformance.T, dir string) blob.Store {
		f, err := MakeFolder(dir + "/files")
		if err != nil {
			t.Fatalf("open: %v", err)
		}
		return f
	})
}

func TestMemory(t *testing.T) {
	t.Parallel()
	var stores sync.Map
	conformance.Blobs(t, func(_ conformance.T, dir string) blob.Store {
		m, _ := stores.LoadOrStore(dir, NewMemory(time.Now))
		return m.(*Memory)
	})
}

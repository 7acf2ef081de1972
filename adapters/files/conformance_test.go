package files

import (
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
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

// Of two servers on one folder, the first has it, until it ends. A command goes on beside it.
func TestFolderAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("this system has no lock for a folder")
	}
	path := filepath.Join(t.TempDir(), "files")
	first, second, command := OpenFolderAlone(path), OpenFolderAlone(path), OpenFolder(path)
	if err := first.Own(t.Context(), ident.ID{1}); err != nil {
		t.Fatal(err)
	}
	_, err := second.Owner(t.Context())
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "another server uses the folder") {
		t.Errorf("the second server has %v", err)
	}
	if owner, err := command.Owner(t.Context()); err != nil || owner != (ident.ID{1}) {
		t.Errorf("a command has %v, %v", owner, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if owner, err := second.Owner(t.Context()); err != nil || owner != (ident.ID{1}) {
		t.Errorf("afterwards, the second server has %v, %v", owner, err)
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	var stores sync.Map
	conformance.Blobs(t, func(_ conformance.T, dir string) blob.Store {
		m, _ := stores.LoadOrStore(dir, NewMemory(time.Now))
		return m.(*Memory)
	})
}

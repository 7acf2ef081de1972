package limits

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestFsyncs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	perSecond, err := Fsyncs(dir, 10*time.Millisecond)
	if err != nil || perSecond <= 0 {
		t.Errorf("%v per second, %v", perSecond, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := Fsyncs(filepath.Join(dir, "missing"), time.Millisecond); err == nil {
		t.Error("a directory that does not exist has a disk")
	}
}

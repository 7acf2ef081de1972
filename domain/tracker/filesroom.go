package tracker

import (
	"context"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
)

// FilesRoom bounds the files of all problems together (D48).
type FilesRoom struct {
	// Most is the limit of their bytes; 0 for none.
	Most int64
	// Reserve is the free space that uploads leave on the disk, for the store beside the
	// files: with a full disk, nothing could be written any more.
	Reserve int64
	// Free returns the free space, in bytes. It fails where nothing tells. nil: there is no disk.
	Free func() (int64, error)
}

// filesRoom is a FilesRoom with the files that it has. Other servers of the store may have
// added some since the last measuring.
type filesRoom struct {
	FilesRoom
	known atomic.Bool
	held  atomic.Int64 // bytes
}

// checkedEach is how many bytes of a file arrive between two looks at the disk.
const checkedEach = 1 << 20

func (f *filesRoom) measured(bytes int64) {
	f.held.Store(bytes)
	f.known.Store(true)
}

// measure measures the files, unless that was done.
func (f *filesRoom) measure(ctx context.Context, files blob.Store) error {
	if f.Most == 0 || f.known.Load() {
		return nil
	}
	var bytes int64
	for info, err := range files.List(ctx, blob.Key{}) {
		if err != nil {
			return err
		}
		bytes += info.Size
	}
	f.measured(bytes)
	return nil
}

// take takes room for some bytes. It fails with fault.StorageFull.
func (f *filesRoom) take(n int64) error {
	if held := f.held.Add(n); f.Most > 0 && held > f.Most {
		f.held.Add(-n)
		return fault.New(fault.StorageFull, "all files together have at most %d bytes: delete some, or ask the operator for more", f.Most)
	}
	return nil
}

// leaves fails with fault.StorageFull if some more bytes would not leave the reserve.
func (f *filesRoom) leaves(n int64) error {
	if f.Free == nil || f.Reserve == 0 {
		return nil
	}
	if free, err := f.Free(); err == nil && free-n < f.Reserve {
		return fault.New(fault.StorageFull, "the disk of the files is nearly full: uploads leave %d bytes free", f.Reserve)
	}
	return nil
}

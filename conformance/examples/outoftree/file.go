package boltstore

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"go.etcd.io/bbolt"
	bolt "go.etcd.io/bbolt/errors"

	"github.com/problemtracking/problems/domain/fault"
)

// patience is the wait of Open for the lock of a file: the previous process may be about
// to release it.
const patience = time.Second

// defaultMaxSize is the greatest size of a file unless the Options say otherwise:
// 64 GiB, and 1 GiB where addresses have 32 bits.
const defaultMaxSize = 1 << (24 + 6*bits.UintSize/32)

// openFile opens the file and locks it.
func openFile(o Options) (*bbolt.DB, error) {
	size := o.MaxSize
	if size == 0 {
		size = defaultMaxSize
	}
	db, err := bbolt.Open(o.Path, 0o600, &bbolt.Options{
		Timeout:      patience,
		FreelistType: bbolt.FreelistMapType, // the default gets slow in large files
		// bbolt maps the file into memory. To map more of it, it waits until there are no
		// readers. A View may take long, and may even wait for a Commit, so neither would
		// ever end. So the greatest size is mapped at once: it costs addresses, not
		// memory.
		InitialMmapSize: size,
		MaxSize:         size,
	})
	switch {
	case errors.Is(err, bolt.ErrTimeout):
		return nil, fault.Wrap(fault.Unavailable, err, "the file %s is open elsewhere: there can be one store for each file", o.Path)
	case err != nil:
		return nil, fault.Wrap(fault.Internal, err, "the file %s cannot be opened with addresses for %d bytes", o.Path, size)
	}
	err = syncDirectory(filepath.Dir(o.Path))
	if err == nil {
		err = db.Update(prepare)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("boltstore: %s: %w", o.Path, err), db.Close())
	}
	return db, nil
}

// syncDirectory makes the name of the file durable, as bbolt does with its content. The
// file may be new, or its machine may have failed too early. Windows does that by itself.
func syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// The bucket to recognize files of this package, and the version of their layout.
const (
	format  = "boltstore"
	version = "2"
)

// prepare makes the buckets in a new file, and refuses a file of something else.
func prepare(tx *bbolt.Tx) error {
	if mine := tx.Bucket([]byte(format)); mine != nil {
		if found := string(mine.Get([]byte("version"))); found != version {
			return fmt.Errorf("its layout is of version %q, but this program knows version %q", found, version)
		}
		return nil
	}
	if first, _ := tx.Cursor().First(); first != nil {
		return fmt.Errorf("it belongs to another program: it has a bucket %q", first)
	}
	mine, err := tx.CreateBucket([]byte(format))
	if err != nil {
		return err
	}
	for _, name := range buckets() {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	return mine.Put([]byte("version"), []byte(version))
}

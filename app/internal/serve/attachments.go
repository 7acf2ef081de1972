package serve

import (
	"context"
	"crypto/x509"
	"io"
	"iter"
	"math"
	"os"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	filestore "github.com/problemtracking/problems/adapters/files"
	"github.com/problemtracking/problems/adapters/s3"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/disk"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// FileStore returns the store for the files of attachments; nil when the settings name none.
// opened returns the store, or nil as long as it is not open: a database has the files, too. It
// is opened when somebody needs it. A folder that is away keeps nothing else from working, and
// nothing makes another one in its place.
func FileStore(s config.Settings, now func() time.Time, opened func() store.Store) blob.Store {
	switch at := s.Attachments.Files.Of(s.Storage.Store); {
	case at.InMemory():
		return filestore.NewMemory(now)
	case at.InDatabase():
		return &openedAtNeed{open: func() (blob.Store, error) {
			switch s := opened().(type) {
			case nil:
				return nil, fault.New(fault.Unavailable, "the store is not open yet")
			case interface{ Files() blob.Store }:
				return s.Files(), nil
			}
			return nil, fault.New(fault.Unavailable, "this kind of store keeps no files: its operator sets PROBLEMS_FILES")
		}}
	case at.Folder() != "":
		return filestore.OpenFolder(at.Folder())
	}
	if bucket, ok := s.Attachments.Files.Bucket(); ok {
		return &openedAtNeed{open: func() (blob.Store, error) { return openBucket(bucket, now) }}
	}
	return nil
}

// servedFiles is FileStore for a server. A folder is its own, unless several servers share the store:
// a copy of the store may run beside its original, and both would add and remove files.
func servedFiles(o Options, s *handle) blob.Store {
	at := o.Settings.Attachments.Files.Of(o.Settings.Storage.Store)
	if folder := at.Folder(); folder != "" && !o.Settings.Storage.Store.Is(backend.Shared) {
		return filestore.OpenFolderAlone(folder)
	}
	return FileStore(o.Settings, o.Now, s.current)
}

// openBucket opens a bucket of S3. Without a file of its own, the key is where the tools of AWS
// look for it: in the environment, in the user's file, or in the service of the machine.
func openBucket(b config.FilesBucket, now func() time.Time) (blob.Store, error) {
	o := s3.Options{Bucket: b.Bucket, Prefix: b.Prefix, Endpoint: b.Endpoint, Region: b.Region, Style: b.Style, Now: now}
	if b.CA != "" {
		pem, err := os.ReadFile(b.CA)
		if o.CA = x509.NewCertPool(); err != nil || !o.CA.AppendCertsFromPEM(pem) {
			return nil, fault.Wrap(fault.Unavailable, err, "the file of the authorities for the storage of files has no certificate")
		}
	}
	o.Credentials = credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{}})
	if b.Credentials != "" {
		o.Credentials = credentials.NewFileAWSCredentials(b.Credentials, "")
	}
	store, err := s3.Open(o)
	if err != nil {
		return nil, err
	}
	return store, nil
}

// filesRoom returns the limits of all files together. The disk of a database is elsewhere.
func filesRoom(s config.Settings) tracker.FilesRoom {
	room := tracker.FilesRoom{Most: int64(s.Attachments.MaxAllFiles), Reserve: int64(s.Attachments.FilesReserve)}
	if folder := s.Attachments.Files.Of(s.Storage.Store).Folder(); folder != "" {
		room.Free = func() (int64, error) {
			space, err := disk.Of(folder)
			return int64(min(space.Free, math.MaxInt64)), err
		}
	}
	return room
}

// openedAtNeed is a blob.Store that the first successful call opens.
type openedAtNeed struct {
	open func() (blob.Store, error)
	mu   sync.Mutex
	s    blob.Store
}

func (o *openedAtNeed) store() (_ blob.Store, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.s == nil {
		var s blob.Store
		if s, err = o.open(); err == nil {
			o.s = s
		}
	}
	return o.s, err
}

// Put implements blob.Store, as do the methods below.
func (o *openedAtNeed) Put(ctx context.Context, key blob.Key, r io.Reader) error {
	s, err := o.store()
	if err != nil {
		return err
	}
	return s.Put(ctx, key, r)
}

// Open returns a part of a file.
func (o *openedAtNeed) Open(ctx context.Context, key blob.Key, from, n int64) (io.ReadCloser, error) {
	s, err := o.store()
	if err != nil {
		return nil, err
	}
	return s.Open(ctx, key, from, n)
}

// Delete removes a file.
func (o *openedAtNeed) Delete(ctx context.Context, key blob.Key) error {
	s, err := o.store()
	if err != nil {
		return err
	}
	return s.Delete(ctx, key)
}

// List returns the files.
func (o *openedAtNeed) List(ctx context.Context, after blob.Key) iter.Seq2[blob.Info, error] {
	s, err := o.store()
	if err != nil {
		return func(yield func(blob.Info, error) bool) { yield(blob.Info{}, err) }
	}
	return s.List(ctx, after)
}

// Owner returns the owner of the files.
func (o *openedAtNeed) Owner(ctx context.Context) (ident.ID, error) {
	s, err := o.store()
	if err != nil {
		return ident.None, err
	}
	return s.Owner(ctx)
}

// Own names the owner of the files.
func (o *openedAtNeed) Own(ctx context.Context, owner ident.ID) error {
	s, err := o.store()
	if err != nil {
		return err
	}
	return s.Own(ctx, owner)
}

// Close closes what was opened.
func (o *openedAtNeed) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.s == nil {
		return nil
	}
	return o.s.Close()
}

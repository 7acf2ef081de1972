package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

const (
	// arriving is the folder of files that are not complete yet.
	arriving = "arriving"
	// ownerFile has the name of the owner.
	ownerFile = "OWNER"
)

// Folder is a blob.Store in a folder of a local disk:
//
//	OWNER                the name of the owner
//	arriving/            files on their way
//	{problem}/{attachment}
//
// It makes none of this before Own names an owner: an empty folder may be that of a disk that
// is not mounted.
type Folder struct {
	path string

	alone bool

	mu     sync.Mutex
	closed bool
	last   *os.Root // of the path when somebody used it last; nil: nobody has
	lock   *os.File // of last, if alone
}

var _ blob.Store = (*Folder)(nil)

// abandoned is the age of a file on its way that nobody completes any more.
const abandoned = 24 * time.Hour

// OpenFolder returns the files in a folder, which need not be there yet.
func OpenFolder(path string) *Folder { return &Folder{path: path} }

// OpenFolderAlone is OpenFolder for the only user of the files. While another one has the folder,
// everything fails with fault.Unavailable. OpenFolder goes on beside it, for commands.
func OpenFolderAlone(path string) *Folder { return &Folder{path: path, alone: true} }

// MakeFolder is OpenFolder, and makes the folder if there is none.
func MakeFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, failure(err)
	}
	return OpenFolder(path), failure(syncPath(filepath.Dir(path)))
}

// root returns the folder that is at the path now. Another one may have been mounted there,
// or moved to it: then the former one is closed, and what goes on in it fails.
func (f *Folder) root() (*os.Root, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, fs.ErrClosed
	}
	now, err := os.Stat(f.path)
	if err == nil && f.last != nil {
		if before, err := f.last.Stat("."); err == nil && os.SameFile(before, now) {
			return f.last, nil
		}
	}
	_ = f.release() // nothing is written through it any more
	if err == nil {
		f.last, err = os.OpenRoot(f.path)
	}
	if err == nil && f.alone {
		if f.lock, err = lock(f.last); err != nil {
			return nil, errors.Join(err, f.release())
		}
	}
	return f.last, err
}

// release closes the folder.
func (f *Folder) release() (err error) {
	if f.last != nil {
		err = f.last.Close()
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	f.last, f.lock = nil, nil
	return err
}

var errInUse = errors.New("another server uses it")

// removeDrafts removes the files that are abandoned at a time.
func removeDrafts(root *os.Root, now time.Time) error {
	names, err := names(root, arriving)
	for _, name := range names {
		draft := arriving + "/" + name
		if info, err := root.Lstat(draft); err == nil && now.Sub(info.ModTime()) > abandoned {
			if err := root.Remove(draft); err != nil {
				return err
			}
		}
	}
	return err
}

// Put implements blob.Store. The file gets its name when all of it is on the disk. A link
// does not replace a file, as a renaming would.
func (f *Folder) Put(ctx context.Context, key blob.Key, r io.Reader) error {
	if err := ended(ctx); err != nil {
		return err
	}
	root, err := f.root()
	if err != nil {
		return failure(err)
	}
	name := key.String()
	if _, err := root.Lstat(name); err == nil {
		return taken(key)
	}
	draft := arriving + "/" + strings.ReplaceAll(name, "/", ".")
	const fresh = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	file, err := root.OpenFile(draft, fresh, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeFolder(root, arriving); err == nil {
			file, err = root.OpenFile(draft, fresh, 0o600)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return taken(key)
	}
	if err != nil {
		return failure(err)
	}
	defer func() { _ = root.Remove(draft) }() // removeDrafts tries again
	from := &source{ctx: ctx, r: r}
	_, err = io.CopyBuffer(struct{ io.Writer }{file}, from, make([]byte, 128<<10))
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	switch {
	case from.err != nil:
		return from.err
	case err != nil:
		return failure(err)
	}
	folder := blob.Folder(key.Problem)
	if now, err := f.root(); err != nil || now != root {
		return failure(cmp.Or(err, errReplaced))
	}
	if err := makeFolder(root, folder); err != nil {
		return failure(err)
	}
	err = root.Link(draft, name)
	if errors.Is(err, fs.ErrNotExist) { // Delete has just removed the empty folder
		if err = makeFolder(root, folder); err == nil {
			err = root.Link(draft, name)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return taken(key)
	}
	if err == nil {
		err = syncFolder(root, folder)
	}
	return failure(err)
}

var errReplaced = errors.New("another folder has replaced that of the files meanwhile")

func makeFolder(root *os.Root, name string) error {
	switch err := root.Mkdir(name, 0o700); {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return syncFolder(root, ".")
}

// Open implements blob.Store.
func (f *Folder) Open(ctx context.Context, key blob.Key, from, n int64) (io.ReadCloser, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	root, err := f.root()
	if err == nil {
		var file *os.File
		if file, err = root.Open(key.String()); err == nil {
			return part(ctx, file, from, n)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(key)
	}
	return nil, failure(err)
}

// part returns a part of an open file.
func part(ctx context.Context, file *os.File, from, n int64) (io.ReadCloser, error) {
	info, err := file.Stat()
	if err == nil {
		_, err = file.Seek(min(max(from, 0), info.Size()), io.SeekStart) // file systems limit offsets
	}
	if err != nil {
		return nil, failure(errors.Join(err, file.Close()))
	}
	var r io.Reader = file
	if n >= 0 {
		r = io.LimitReader(file, n)
	}
	return &reading{source{ctx: ctx, r: r}, file}, nil
}

// Delete implements blob.Store. It removes the folder of a problem with its last file.
func (f *Folder) Delete(ctx context.Context, key blob.Key) error {
	if err := ended(ctx); err != nil {
		return err
	}
	root, err := f.root()
	if err == nil {
		err = root.Remove(key.String())
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return failure(err)
	}
	folder := blob.Folder(key.Problem)
	if err := syncFolder(root, folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure(err)
	}
	_ = root.Remove(folder) // fails unless it is empty
	return nil
}

// List implements blob.Store.
func (f *Folder) List(ctx context.Context, after blob.Key) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		root, err := f.root()
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		var folders []string
		if err == nil {
			folders, err = names(root, ".")
		}
		if err != nil {
			yield(blob.Info{}, failure(err))
			return
		}
		for _, folder := range folders {
			if after != (blob.Key{}) && folder < blob.Folder(after.Problem) {
				continue
			}
			if err := ended(ctx); err != nil {
				yield(blob.Info{}, err)
				return
			}
			files, err := names(root, folder)
			if err != nil {
				yield(blob.Info{}, failure(err))
				return
			}
			for _, name := range files {
				key, ok := blob.ParseKey(folder + "/" + name)
				if !ok || after != (blob.Key{}) && key.Compare(after) <= 0 {
					continue
				}
				info, err := root.Lstat(key.String())
				if errors.Is(err, fs.ErrNotExist) {
					continue // deleted meanwhile
				}
				if err != nil {
					yield(blob.Info{}, failure(err))
					return
				}
				if !yield(blob.Info{Key: key, Size: info.Size(), Stored: info.ModTime()}, nil) {
					return
				}
			}
		}
	}
}

// names returns the sorted names in a folder. One that is not there, or no folder, has none.
func names(root *os.Root, folder string) ([]string, error) {
	d, err := root.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }() // it was only read
	names, err := d.Readdirnames(-1)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	slices.Sort(names)
	return names, err
}

// Owner implements blob.Store.
func (f *Folder) Owner(ctx context.Context) (ident.ID, error) {
	if err := ended(ctx); err != nil {
		return ident.None, err
	}
	root, err := f.root()
	var text []byte
	if err == nil {
		text, err = root.ReadFile(ownerFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return ident.None, nil
	}
	if err != nil {
		return ident.None, failure(err)
	}
	owner, err := ident.Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return ident.None, fault.Wrap(fault.Internal, err, "the file %s in the folder of attachments does not name an owner", ownerFile)
	}
	return owner, nil
}

// Own implements blob.Store. A sweep calls it, so it also removes what crashes have left.
func (f *Folder) Own(ctx context.Context, owner ident.ID) error {
	if err := ended(ctx); err != nil {
		return err
	}
	root, err := f.root()
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := MakeFolder(f.path); err != nil {
			return err
		}
		root, err = f.root()
	}
	if err == nil {
		err = own(root, owner)
	}
	return failure(err)
}

func own(root *os.Root, owner ident.ID) error {
	if err := makeFolder(root, arriving); err != nil {
		return err
	}
	file, draft, err := ownerDraft(root)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(file, owner)
	written, statErr := file.Stat() // has the time of the disk
	if err = errors.Join(err, statErr, file.Sync(), file.Close()); err == nil {
		err = errors.Join(root.Rename(draft, ownerFile), syncFolder(root, "."), removeDrafts(root, written.ModTime()))
	}
	return err
}

// ownerDraft makes a file that nobody else writes: several may name an owner at once.
func ownerDraft(root *os.Root) (file *os.File, draft string, err error) {
	for n := 0; ; n++ {
		draft = fmt.Sprint(arriving, "/", ownerFile, ".", n)
		file, err = root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return file, draft, err
		}
	}
}

// Close implements blob.Store.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return f.release()
}

// syncFolder makes the names in a folder safe.
func syncFolder(root *os.Root, folder string) error {
	d, err := root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func syncPath(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// source is a reader that ends with its context, and keeps its own error apart from those of
// the disk.
type source struct {
	ctx context.Context
	r   io.Reader
	err error
}

func (s *source) Read(b []byte) (n int, err error) {
	if s.err = ended(s.ctx); s.err != nil {
		return 0, s.err
	}
	if n, err = s.r.Read(b); err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// reading is a part of a file.
type reading struct {
	source
	io.Closer
}

func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "the request ended; nothing was stored")
	}
	return nil
}

func taken(key blob.Key) error { return fault.New(fault.Conflict, "there is a file %s already", key) }

func missing(key blob.Key) error {
	return fault.New(fault.AttachmentNotFound, "there is no file %s", key)
}

// failure returns an error of the disk as a fault.
func failure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return fault.Wrap(fault.StorageFull, err, "the storage for files is full; nothing was stored")
	case errors.Is(err, fs.ErrClosed):
		return fault.Wrap(fault.Closed, err, "the store of files is closed")
	case errors.Is(err, errInUse):
		return fault.Wrap(fault.Unavailable, err, "another server uses the folder of attachments: a copy of a store needs a copy of the folder")
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(fault.Unavailable, err, "the service has no right to use the folder of attachments")
	}
	return fault.Wrap(fault.Unavailable, err, "the storage for files is away; nothing was stored")
}

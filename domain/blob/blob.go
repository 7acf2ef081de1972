// Package blob is the driven port for the bytes of attachments (D48). Their records are in
// package store. An adapter keeps files under keys, and knows nothing of problems.
//
// Each sentence with a "must" ends in the tag of its conformance cases.
package blob

import (
	"context"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Key names the file of an attachment. Its text is "{problem}/{attachment}".
type Key struct {
	Problem    problem.ID
	Attachment ident.ID
}

// Folder is the first part of the text of the keys of a problem.
func Folder(id problem.ID) string { return strconv.FormatInt(int64(id), 10) }

// String returns the text of the key, such as "12/01900000-0000-7000-8000-000000000001". It
// has digits, lower case letters, hyphens and one slash, so every system takes it for a path.
func (k Key) String() string { return Folder(k.Problem) + "/" + k.Attachment.String() }

// ParseKey returns the key with the text. ok is false for any other text.
func ParseKey(text string) (k Key, ok bool) {
	folder, file, _ := strings.Cut(text, "/")
	id, err := ident.Parse(file)
	if k.Problem, ok = problem.ParseID(folder); !ok || err != nil {
		return Key{}, false
	}
	k.Attachment = id
	return k, k.String() == text
}

// Compare orders keys by their texts, byte by byte. So "10/…" comes before "9/…".
func (k Key) Compare(other Key) int { return strings.Compare(k.String(), other.String()) }

// Info describes a stored file.
type Info struct {
	Key
	Size int64
	// Stored is the time of the Put, by the clock of the adapter.
	Stored time.Time
}

// Store keeps files. A file never changes. Its methods may be called from many goroutines
// at once. Every error must be a fault or wrap one, with the kind named in the
// method's comment (BLOB-010). A call whose context has ended must fail with fault.Unavailable
// (BLOB-010). Where no named kind fits, the kind is fault.Unavailable for a
// failure that may pass by itself, and fault.Internal for any other.
type Store interface {
	// Put stores all bytes of r under the key. When Put returns nil, every later Open must
	// return these bytes, also after a crash and by a store opened later (BLOB-001). Before,
	// nobody must see a part of the file: Open fails, and List leaves it out (BLOB-002). When
	// r fails, Put must return its error as it is, and store nothing (BLOB-003). When ctx
	// ends first, Put must store nothing and fail with fault.Unavailable (BLOB-003). When the
	// key is taken, Put must fail with fault.Conflict and leave the stored file as it is
	// (BLOB-004). Of several Puts at once with one key, one must succeed (BLOB-004). The kind
	// fault.StorageFull is for a file without room. The memory of a Put does not depend on the
	// length of r.
	Put(ctx context.Context, key Key, r io.Reader) error

	// Open returns the bytes of a file from an offset on, at most n of them, or all with a
	// negative n. Both must hold to the byte (BLOB-005). An offset at or behind the end must
	// give no bytes (BLOB-005). Without such a file, Open must fail with
	// fault.AttachmentNotFound (BLOB-006). The caller closes the reader. ctx
	// ends the reading, too. A Delete meanwhile may end the reading with an error, but the
	// bytes before must be right (BLOB-005).
	Open(ctx context.Context, key Key, from, n int64) (io.ReadCloser, error)

	// Delete removes a file. Without such a file it must do nothing and return nil
	// (BLOB-007). When it returns nil, no later Open or List must find the file, also in a
	// store opened later (BLOB-007). All others must stay (BLOB-007).
	Delete(ctx context.Context, key Key) error

	// List returns the files with keys greater than after, in the order of Key.Compare; the
	// zero Key is before all. It must have each file with a Put that returned before the
	// call, unless it was deleted, exactly once (BLOB-008). Its Size must be right, and its Stored
	// must lie between the begin and the end of the Put, give or take a minute (BLOB-008).
	// An error ends the iteration. It is read as it goes, so its memory is bounded.
	List(ctx context.Context, after Key) iter.Seq2[Info, error]

	// Owner returns the owner of the files: the name that Own has set last, or ident.None
	// (BLOB-009). It must last as a file does (BLOB-009). Files of another owner are never
	// removed.
	Owner(ctx context.Context) (ident.ID, error)

	// Own names the owner of the files.
	Own(ctx context.Context, owner ident.ID) error

	// Close releases the resources of the store. It removes no file.
	Close() error
}

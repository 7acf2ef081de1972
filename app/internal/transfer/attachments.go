package transfer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Files counts the files of attachments.
type Files struct {
	Copied, Bytes int64
	// Missing are those of attachments that are not deleted.
	Missing int64
	// Damaged are left out, because their digest is not that of the record. Wrong names the first of
	// them.
	Damaged int64
	Wrong   []string
}

// HasAttachments reports whether a store has records of attachments.
func HasAttachments(ctx context.Context, of store.Store) (some bool, err error) {
	probe := errors.New("found")
	err = eachAttachment(ctx, of, func(blob.Key, problem.Attachment) error { return probe })
	if errors.Is(err, probe) {
		return true, nil
	}
	return false, err
}

// lookedUp is how many problems are looked up at once.
const lookedUp = 200

// CopyFiles copies the files of the attachments of a store, and checks each by the digest in its
// record. It leaves out what is right in its place already: so it can be repeated.
func CopyFiles(ctx context.Context, of store.Store, from, to blob.Store) (f Files, err error) {
	err = eachAttachment(ctx, of, func(key blob.Key, a problem.Attachment) error {
		if err := f.copy(ctx, key, a, from, to); err != nil {
			return fmt.Errorf("attachment %s: %w", key, err)
		}
		return nil
	})
	return f, err
}

// eachAttachment calls a function with each attachment of a store, until it fails.
func eachAttachment(ctx context.Context, of store.Store, do func(blob.Key, problem.Attachment) error) error {
	for last := problem.ID(0); ; {
		var page []snapshot.Snapshot
		more := true
		err := of.View(ctx, func(r store.Reader) (err error) {
			ids := make([]problem.ID, lookedUp)
			for i := range ids {
				ids[i] = last + 1 + problem.ID(i)
			}
			if page, err = r.Problems(ctx, ids, ident.None, snapshot.Attachments); err != nil {
				return err
			}
			if last += lookedUp; len(page) == 0 {
				next, err := r.Dossiers(ctx, last, 1) // behind the gap
				if more = len(next) > 0; more {
					last = next[0].ID - 1
				}
				return err
			}
			return nil
		})
		if err != nil || !more {
			return err
		}
		for _, p := range page {
			for _, a := range p.Attachments {
				if err := do(blob.Key{Problem: p.ID, Attachment: a.ID}, a); err != nil {
					return err
				}
			}
		}
	}
}

// mostNamed is the largest number of files that ComparedFiles names.
const mostNamed = 20

// ComparedFiles are files that differ from their records. Wrong names the first of them.
type ComparedFiles struct {
	Right, Missing, Damaged int64
	Wrong                   []string
}

// CompareFiles compares the files of the attachments of a store with their records: their sizes,
// and with digests their bytes.
func CompareFiles(ctx context.Context, of store.Store, files blob.Store, digests bool) (c ComparedFiles, err error) {
	sizes := map[blob.Key]int64{}
	for info, err := range files.List(ctx, blob.Key{}) {
		if err != nil {
			return c, err
		}
		sizes[info.Key] = info.Size
	}
	return c, eachAttachment(ctx, of, func(key blob.Key, a problem.Attachment) error {
		if !a.Deleted.IsZero() {
			return nil
		}
		size, there := sizes[key]
		right := there && size == a.Bytes
		if right && digests {
			switch err := readWhole(ctx, files, key, a); {
			case errors.Is(err, errDamaged):
				right = false
			case err != nil:
				return err
			}
		}
		switch {
		case right:
			c.Right++
			return nil
		case there:
			c.Damaged++
		default:
			c.Missing++
		}
		if len(c.Wrong) < mostNamed {
			c.Wrong = append(c.Wrong, key.String())
		}
		return nil
	})
}

func readWhole(ctx context.Context, files blob.Store, key blob.Key, a problem.Attachment) error {
	r, err := files.Open(ctx, key, 0, -1)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, &checked{r: r, sum: sha256.New(), want: a.Digest})
	return err
}

func (f *Files) copy(ctx context.Context, key blob.Key, a problem.Attachment, from, to blob.Store) error {
	err := put(ctx, key, a, from, to)
	if fault.Is(err, fault.Conflict) { // there is one
		if err = readWhole(ctx, to, key, a); err == nil {
			return nil
		}
		if errors.Is(err, errDamaged) {
			if err = to.Delete(ctx, key); err == nil {
				err = put(ctx, key, a, from, to)
			}
		}
	}
	switch {
	case err == nil:
		f.Copied++
		f.Bytes += a.Bytes
	case errors.Is(err, errDamaged):
		f.Damaged++
		if len(f.Wrong) < mostNamed {
			f.Wrong = append(f.Wrong, key.String())
		}
	case fault.Is(err, fault.AttachmentNotFound):
		if a.Deleted.IsZero() {
			f.Missing++
		}
	default:
		return err
	}
	return nil
}

// put copies a file. It fails with errDamaged for one that is not as its record.
func put(ctx context.Context, key blob.Key, a problem.Attachment, from, to blob.Store) error {
	r, err := from.Open(ctx, key, 0, -1)
	if err != nil {
		return err
	}
	defer r.Close()
	return to.Put(ctx, key, &checked{r: r, sum: sha256.New(), want: a.Digest})
}

// checked is a file that has to have a digest.
type checked struct {
	r    io.Reader
	sum  hash.Hash
	want problem.Digest
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.sum.Write(p[:n]) // never fails
	if err == io.EOF && problem.Digest(c.sum.Sum(nil)) != c.want {
		return n, errDamaged
	}
	return n, err
}

var errDamaged = errors.New("it is damaged: its SHA-256 is not that of the record")
